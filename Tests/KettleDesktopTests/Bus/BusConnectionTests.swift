import ScriptedBus
import Testing

@testable import KettleDesktop

@Suite(.timeLimit(.minutes(5)))
struct BusConnectionTests {
  /// A generous limit, because the machine may be busy.
  private static let patience = Duration.seconds(600)

  private func open(
    _ addresses: [BusAddress],
    observer: @escaping @Sendable (BusEvent) -> Void = { _ in }
  ) async throws(BusError) -> BusConnection {
    try await BusConnection.open(addresses, timeout: Self.patience, observer: observer)
  }

  /// Keeps the bus until it has taken the connection, which then keeps it.
  private func open(
    _ bus: ScriptedBus, observer: @escaping @Sendable (BusEvent) -> Void = { _ in }
  ) async throws(BusError) -> BusConnection {
    defer { withExtendedLifetime(bus) {} }
    return try await open(bus.addresses, observer: observer)
  }

  private func echo(_ values: [BusValue] = []) -> BusCall {
    BusCall("Echo", of: "org.example", on: "org.example", at: "/org/example", values)
  }

  private func echoed(
    _ values: [BusValue] = [], by connection: BusConnection?
  ) async throws(BusError) -> [BusValue]? {
    try await connection?.call(echo(values), timeout: Self.patience)
  }

  private func error(
    _ body: () async throws(BusError) -> Void
  ) async -> BusError? {
    do throws(BusError) {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  @Test func `a call gets its reply`() async throws {
    let bus = try ScriptedBus()
    let connection = try await open(bus)
    let values: [BusValue] = [.string("water"), .array(of: .int64, [.int64(100)]), .boolean(true)]
    #expect(try await echoed(values, by: connection) == values)
  }

  @Test func `replies are matched to their calls`() async throws {
    let bus = try ScriptedBus()
    let connection = try await open(bus)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 as Range<UInt32> {
        group.addTask {
          try await echoed([.uint32(number)], by: connection) == [.uint32(number)]
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  /// More than a socket accepts at once.
  @Test func `large messages pass in both directions`() async throws {
    let bus = try ScriptedBus()
    let connection = try await open(bus)
    let large = String(repeating: "steam ", count: 160_000)
    let answer = try await echoed([.string(large)], by: connection)
    guard case .string(let text)? = answer?.first else {
      Issue.record("no string")
      return
    }
    #expect(text.utf8.elementsEqual(large.utf8))
  }

  @Test func `an error reply has its name and text`() async throws {
    let bus = try ScriptedBus()
    let connection = try await open(bus)
    let call = BusCall.property(
      "Level", of: "org.example", on: "org.example", at: "/", mayStartService: false)
    let error = await error { () throws(BusError) in
      _ = try await connection.call(call, timeout: Self.patience)
    }
    #expect(
      error
        == .failed(
          name: "org.freedesktop.DBus.Error.ServiceUnknown", text: "nobody has that name"))
  }

  @Test func `a call times out, and the next one is answered`()
    async throws
  {
    let bus = try ScriptedBus()
    let connection = try await open(bus)
    let mute = BusCall("Mute", of: "org.example", on: "org.example", at: "/org/example")
    let error = await error { () throws(BusError) in
      _ = try await connection.call(mute, timeout: .milliseconds(20))
    }
    #expect(error == .timedOut)
    #expect(try await echoed([.byte(1)], by: connection) == [.byte(1)])
  }

  @Test func `signals arrive in order, and the end after them`() async throws {
    let bus = try ScriptedBus()
    let (events, continuation) = AsyncStream<BusEvent>.makeStream()
    let connection = try await open(bus) { continuation.yield($0) }
    try await connection.addMatch("type='signal'", timeout: Self.patience)
    #expect(bus.rules == ["type='signal'"])
    let member = BusMessage.Member(path: "/", interface: "org.example", name: "Boiled")
    for number in 0..<3 as Range<Int32> { bus.send(.signal(member), [.int32(number)]) }
    bus.drop()
    var received = events.makeAsyncIterator()
    for number in 0..<3 as Range<Int32> {
      #expect(await received.next() == .signal(member, [.int32(number)]))
    }
    #expect(await received.next() == .ended(.ended))
    #expect(await error { () throws(BusError) in _ = try await echoed(by: connection) } == .ended)
  }

  @Test func `a call to us gets an error`() async throws {
    let bus = try ScriptedBus()
    let connection = try await open(bus)
    let member = BusMessage.Member(
      path: "/", interface: "org.freedesktop.DBus.Peer", name: "GetMachineId")
    bus.send(.call(member), [])
    var heard = bus.heard.makeAsyncIterator()
    #expect(await heard.next() == "Hello")
    #expect(await heard.next() == "org.freedesktop.DBus.Error.UnknownMethod")
    connection.close()
  }

  @Test func `the next address is tried`() async throws {
    let bus = try ScriptedBus()
    let addresses = BusAddress.parse("unix:path=\(bus.path)-gone;unix:path=\(bus.path)")
    let connection = try await open(addresses)
    #expect(try await echoed(by: connection) == [])
  }

  @Test func `an unreachable bus is reported with its errno`() async throws {
    let bus = try ScriptedBus()
    for (addresses, code) in [
      ([], 0), (BusAddress.parse("unix:path=\(bus.path)-gone"), 2),
      ([.path([UInt8](repeating: 47, count: 108))], 36),
    ] as [([BusAddress], Int32)] {
      let error = await error { () throws(BusError) in
        _ = try await open(addresses)
      }
      #expect(error == .unreachable(code))
    }
  }

  @Test(
    arguments: [
      (.silent, .timedOut), (.refusing, .refused), (.endlessLine, .refused),
      (.babbling([]), .timedOut), (.babbling([0xFF]), .fault(.malformed)),
      (.babbling([UInt8](repeating: 0x6C, count: 64)), .fault(.malformed)),
      (.babbling([0x6C, 1, 0, 1, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0]), .fault(.tooLarge)),
    ] as [(ScriptedBus.Manner, BusError)])
  func `a misbehaving bus is disconnected`(manner: ScriptedBus.Manner, expected: BusError)
    async throws
  {
    let bus = try ScriptedBus(manner)
    let timeout = expected == .timedOut ? Duration.milliseconds(100) : Self.patience
    let error = await error { () throws(BusError) in
      _ = try await BusConnection.open(bus.addresses, timeout: timeout) { event in
        Issue.record("received \(event) of a released connection")
      }
    }
    #expect(error == expected)
  }

  @Test func `a bus that misbehaves later fails the pending calls`() async throws {
    let bus = try ScriptedBus()
    let (events, continuation) = AsyncStream<BusEvent>.makeStream()
    let connection = try await open(bus) { continuation.yield($0) }
    bus.behave(.babbling([0, 1, 2]))
    let error = await error { () throws(BusError) in _ = try await echoed(by: connection) }
    #expect(error == .fault(.malformed))
    var received = events.makeAsyncIterator()
    #expect(await received.next() == .ended(.fault(.malformed)))
  }

  @Test func `a bus that reads nothing does not exhaust memory`() async throws {
    let bus = try ScriptedBus()
    let (events, continuation) = AsyncStream<BusEvent>.makeStream()
    let connection = try await open(bus) { continuation.yield($0) }
    bus.behave(.deaf)
    #expect(try await echoed(by: connection) == [])
    let large = BusValue.string(String(repeating: "x", count: 1_000_000))
    await withTaskGroup(of: BusError?.self) { group in
      for _ in 0..<5 {
        group.addTask {
          await error { () throws(BusError) in
            _ = try await echoed([large], by: connection)
          }
        }
      }
      for await error in group { #expect(error == .fault(.tooLarge)) }
    }
    var received = events.makeAsyncIterator()
    #expect(await received.next() == .ended(.fault(.tooLarge)))
  }

  @Test func `a released connection disconnects from the bus`() async throws {
    let bus = try ScriptedBus()
    var connection: BusConnection? = try await open(bus) { event in
      Issue.record("received \(event) of a released connection")
    }
    #expect(try await echoed(by: connection) == [])
    connection = nil
    await bus.isDeserted()
  }
}
