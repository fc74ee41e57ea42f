import Glibc
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleCurl

/// A host with two addresses, of which the first accepts connections and sends nothing.
struct SilentAddressTests {
  private let body = SeededBody(seed: 63, byteCount: 50_000)
  private let good: ScriptedOrigin
  private let silent: ScriptedOrigin

  init() throws {
    (good, silent) = try sharingOnePort {
      let good = try ScriptedOrigin()
      return (good, try ScriptedOrigin(lastByte: 2, port: good.port))
    }
    good.serve(OriginBehavior(body), at: "/file")
    silent.serve(OriginBehavior(body).with { $0.headWaitsFor = "never" }, at: "/file")
  }

  private func probe(_ order: String = "127.0.0.2,127.0.0.1") throws -> TransportProbe {
    try TransportProbe(
      knownAddresses: ["dual.example:\(good.port):\(order)"],
      knownScopes: [try #require(IPAddress("127.0.0.2")): .global])
  }

  private func fetch(
    _ probe: TransportProbe, _ scheme: String = "http", idle: Int64 = 2000,
    _ change: (inout AttemptRequest) -> Void = { _ in }
  ) async throws -> TransportProbe.Fetched {
    let url = try TransferURL.parse("\(scheme)://dual.example:\(good.port)/file").get().url
    return try await probe.fetch(url) {
      $0.timeouts.idleMilliseconds = idle
      change(&$0)
    }
  }

  private func left(_ probe: TransportProbe) -> [IPAddress] {
    probe.reported.read { events in
      events.compactMap { if case .addressLeft(_, let address) = $0 { address } else { nil } }
    }
  }

  // Fault 150
  @Test func `the other address is asked, and the silent one is left out afterwards`() async throws
  {
    let probe = try probe()
    for _ in 1...2 {
      let fetched = try await fetch(probe)
      #expect(fetched.end == .complete)
      #expect(fetched.bytes().elementsEqual(body.bytes))
    }
    #expect(silent.connectionCount == 1)
    #expect(left(probe) == [try #require(IPAddress("127.0.0.2"))])
  }

  // Fault 150
  @Test(.enabled(if: TLSServer.isThere))
  func `an address that ignores the greeting of TLS is left as well`() async throws {
    let authority = try TestAuthority()
    let identity = try authority.identity()
    let (server, mute) = try sharingOnePort {
      let server = try TLSServer(.status, identity: identity)
      return (server, try LoopbackListener(lastByte: 2, port: server.port))
    }
    defer {
      mute.stop()
      while let waiting = mute.accept() { close(waiting) }
    }
    let probe = try TransportProbe(
      knownAddresses: ["localhost:\(server.port):127.0.0.2,127.0.0.1"])
    let url = try TransferURL.parse("https://localhost:\(server.port)/").get().url
    let fetched = try await probe.fetch(url) {
      $0.timeouts.idleMilliseconds = 2000
      $0.caCertificatePath = authority.certificatePath
    }
    #expect(fetched.end == .complete)
    #expect(left(probe) == [try #require(IPAddress("127.0.0.2"))])
  }

  // Fault 150
  @Test func `when every address has been silent, all are tried again`() async throws {
    let probe = try probe()
    good.serve(OriginBehavior(body).with { $0.headWaitsFor = "never" }, at: "/file")
    #expect(try await fetch(probe).end.failure?.code == .timedOut)
    #expect(good.connectionCount == 1)
    silent.serve(OriginBehavior(body), at: "/file")
    #expect(try await fetch(probe, idle: 60_000).end == .complete)
  }

  // Fault 54, 150
  @Test func `an address that a redirect must not reach is no alternative`() async throws {
    let probe = try probe()
    let fetched = try await fetch(probe) { $0.minimumReach = .world }
    #expect(fetched.end.failure?.code == .timedOut)
    #expect(good.connectionCount == 0)
    #expect(left(probe) == [])
  }

  @Test func `a server that thinks for long is not left when it has one address`() async throws {
    let probe = try probe("127.0.0.2")
    let fetched = try await fetch(probe, idle: 600)
    #expect(fetched.end.failure?.code == .timedOut)
    #expect(silent.connectionCount == 1)
  }

  // MARK: What is remembered

  private let now = MonotonicTime(milliseconds: 1_000_000)
  private let one = IPAddress.v4(1)
  private let other = IPAddress.v4(2)

  @Test func `an address is left out for some time, until it answers or no other works`() {
    var table = SilentAddresses()
    table.record(one, of: "h", at: now)
    #expect(table.contains(one, of: "h", at: now))
    #expect(!table.contains(other, of: "h", at: now))
    #expect(!table.contains(one, of: "g", at: now))
    let end = now.advanced(byMilliseconds: SilentAddresses.milliseconds)
    #expect(!table.contains(one, of: "h", at: end))
    table.recordAnswer(by: one, of: "h")
    #expect(table.isEmpty)
    table.record(one, of: "h", at: now)
    table.record(other, of: "h", at: now)
    table.forget("h")
    #expect(table.isEmpty)
  }

  @Test func `hosts without end are not remembered`() {
    var table = SilentAddresses()
    for number in 0...SilentAddresses.hostCountMax {
      table.record(one, of: "h\(number)", at: now)
    }
    #expect(!table.contains(one, of: "h\(SilentAddresses.hostCountMax)", at: now))
    let later = now.advanced(byMilliseconds: SilentAddresses.milliseconds)
    table.record(one, of: "new", at: later)
    #expect(table.contains(one, of: "new", at: later))
  }

  @Test func `each further address gets twice the time, and not every one is tried`() {
    var choice = AddressChoice(isPossible: true, idleMilliseconds: 600_000)
    var patience: [Int64] = []
    while let milliseconds = choice.patienceMilliseconds {
      patience.append(milliseconds)
      choice.lookUp()
      #expect(choice.patienceMilliseconds == nil)
      choice.move()
    }
    #expect(patience == [10_000, 20_000, 40_000])
    #expect(
      AddressChoice(isPossible: true, idleMilliseconds: 3000).patienceMilliseconds == 1500)
    #expect(AddressChoice(isPossible: false, idleMilliseconds: 3000).patienceMilliseconds == nil)
  }

  @Test func `silent addresses are taken once, if they were left out`() {
    var choice = AddressChoice(isPossible: true, idleMilliseconds: 60_000)
    let isTakenAtOnce = choice.takesSilentOnes()
    let isLeftOut = choice.leavesOut()
    let isTaken = choice.takesSilentOnes()
    let isLeftOutAgain = choice.leavesOut()
    let isTakenAgain = choice.takesSilentOnes()
    #expect(!isTakenAtOnce && isLeftOut && isTaken && !isLeftOutAgain && !isTakenAgain)
  }
}
