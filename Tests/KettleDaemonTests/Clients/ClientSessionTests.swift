import Foundation
import Glibc
import KettleControl
import KettleEngine
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem
import Logging
import TestSupport
import Testing

@testable import KettleDaemon

/// Clients in other programs, which exchange lines over a socket.
@Suite(.timeLimit(.minutes(5)))
struct ClientSessionTests {
  private static let hello =
    #"{"jsonrpc":"2.0","id":0,"method":"hello","params":{"protocolVersion":1,"client":"c"}}"#

  private static func status(_ id: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"service.status"}"#
  }

  /// A session over a real socket; every reply has the request's id and this much text.
  private func talk(
    replyByteCount: Int = 0, farewellBudget: Duration = .seconds(10),
    lineByteCountMax: Int = LineDecoder.byteCountMaxFromClient,
    _ body: @escaping @Sendable (Int32) -> String
  ) async throws -> (said: String, endedWithin: Duration) {
    let world = try ServiceSocket()
    var limits = ControlListener.Limits()
    limits.lineByteCountMax = lineByteCountMax
    let listener = try await world.listener(limits)
    let padding = String(repeating: "x", count: replyByteCount)
    let path = world.socketPath
    async let said = onThread { () -> String in
      let descriptor = connectedSocket(path)
      defer { close(descriptor) }
      return body(descriptor)
    }
    var ended = Duration.zero
    for await connection in listener.connections {
      let start = ContinuousClock.now
      let broadcaster = Self.broadcaster()
      await ClientSession(
        connection: connection, broadcaster: broadcaster, logger: Logger(label: "test"),
        dropped: Self.dropped,
        farewellBudget: farewellBudget
      ) { _, id, _, _ in ReplyCoder().encode(result: padding, to: id) }.run()
      ended = ContinuousClock.now - start
      break
    }
    await listener.close()
    return (await said, ended)
  }

  private static let dropped = DroppedClientLog(logger: Logger(label: "test")) {
    MonotonicTime(milliseconds: 0)
  }

  private static func broadcaster() -> Broadcaster {
    Broadcaster(
      freeSpace: FreeSpace(now: { MonotonicTime(milliseconds: 0) }) { nil },
      archive: InMemoryJournal(), rows: RowMaker(documentsDirectory: "/d"))
  }

  @Test func `a client that closes its sending half receives all replies`()
    async throws
  {
    // The replies exceed the socket's buffer, so they wait while the client does not read.
    let count = 200
    let (said, _) = try await talk(replyByteCount: 20_000) { descriptor in
      let all = [Self.hello] + (1...count).map { Self.status($0) }
      send(all.joined(separator: "\n") + "\n", to: descriptor)
      shutdown(descriptor, Int32(SHUT_WR))
      return readToEnd(descriptor)
    }
    let lines = said.split(separator: "\n")
    #expect(lines.count == count + 1)
    #expect(lines.last?.contains("\"id\":\(count),\"result\"") == true)
  }

  @Test func `a client that closes its sending half and never reads is disconnected after a while`()
    async throws
  {
    let (released, release) = AsyncStream<Void>.makeStream()
    let (_, ended) = try await talk(
      replyByteCount: 2_000_000, farewellBudget: .milliseconds(50)
    ) { descriptor in
      // Another request would not be read before this reply is.
      send(Self.hello + "\n", to: descriptor)
      shutdown(descriptor, Int32(SHUT_WR))
      var entry = pollfd(fd: descriptor, events: 0, revents: 0)
      // Nothing is read; waits for the other end to hang up.
      poll(&entry, 1, 600_000)
      release.finish()
      return ""
    }
    for await _ in released {}
    #expect(ended >= .milliseconds(50) && ended < .seconds(600))
  }

  // Fault 118
  @Test func `a client that sends and does not read waits, and receives every reply in order`()
    async throws
  {
    let world = try ServiceSocket()
    let listener = try await world.listener(ControlListener.Limits())
    let path = world.socketPath
    let (count, replyByteCount) = (600, 20_000)
    async let said: String = onThread {
      let descriptor = connectedSocket(path)
      defer { close(descriptor) }
      let all = [Self.hello] + (1...count).map { Self.status($0) }
      send(all.joined(separator: "\n") + "\n", to: descriptor)
      shutdown(descriptor, Int32(SHUT_WR))
      return readToEnd(descriptor)
    }
    let padding = String(repeating: "x", count: replyByteCount)
    let broadcaster = Self.broadcaster()
    let largest = Mutex(0)
    for await connection in listener.connections {
      await ClientSession(
        connection: connection, broadcaster: broadcaster, logger: Logger(label: "test"),
        dropped: Self.dropped
      ) { _, id, _, _ in
        largest.withLock { $0 = max($0, broadcaster.mailboxes.usedByteCount) }
        return ReplyCoder().encode(result: padding, to: id)
      }.run()
      break
    }
    let ids = await said.split(separator: "\n").compactMap { line in
      line.split(separator: "\"id\":").last?.split(separator: ",").first.flatMap { Int($0) }
    }
    #expect(ids == Array(0...count))
    // At most the limit of the 12 MB is queued. An item that is being sent counts twice.
    #expect(largest.withLock { $0 } <= 2 * ClientOutbox.Limits().replyByteCountMax)
    await listener.close()
  }

  // Fault 106
  @Test func `a client that does not read does not delay the shutdown`() async throws {
    let world = try ServiceSocket()
    let listener = try await world.listener(ControlListener.Limits())
    let path = world.socketPath
    let (hungUp, sayHungUp) = AsyncStream<Void>.makeStream()
    async let client: Void = onThread {
      let descriptor = connectedSocket(path)
      defer { close(descriptor) }
      send(Self.hello + "\n" + Self.status(1) + "\n", to: descriptor)
      var entry = pollfd(fd: descriptor, events: 0, revents: 0)
      poll(&entry, 1, 30_000)
      sayHungUp.finish()
    }
    for await connection in listener.connections {
      let broadcaster = Self.broadcaster()
      let (asked, sayAsked) = AsyncStream<Void>.makeStream()
      let session = ClientSession(
        connection: connection, broadcaster: broadcaster, logger: Logger(label: "test"),
        dropped: Self.dropped,
        farewellBudget: .seconds(600)
      ) { _, id, _, _ in
        sayAsked.finish()
        return ReplyCoder().encode(result: String(repeating: "x", count: 5_000_000), to: id)
      }
      let running = Task { await session.run() }
      for await _ in asked {}
      let start = ContinuousClock.now
      running.cancel()
      await running.value
      #expect(ContinuousClock.now - start < .seconds(600))
      break
    }
    for await _ in hungUp {}
    await client
    await listener.close()
  }

  // Fault 116
  @Test func `a line that is too long gets an error before the connection closes`() async throws {
    let (said, _) = try await talk(lineByteCountMax: 1000) { descriptor in
      send(Self.hello + "\n" + Self.status(1) + "\n", to: descriptor)
      send(String(repeating: " ", count: 1_000_000), to: descriptor)
      return readToEnd(descriptor)
    }
    let lines = said.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines.last
        == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"line"}}"#)
  }

  // Fault 109
  // Fault 119
  @Test func `a client that leaves during a reply ends only its own session`()
    async throws
  {
    let (_, ended) = try await talk(
      replyByteCount: 5_000_000, farewellBudget: .seconds(600)
    ) { descriptor in
      send(Self.hello + "\n" + Self.status(1) + "\n", to: descriptor)
      var byte: UInt8 = 0
      recv(descriptor, &byte, 1, 0)
      return ""
    }
    #expect(ended < .seconds(600))
  }

  @Test(arguments: [(#","isWatchedByPerson":true"#, true), ("", false)])
  func `a person counts as watching while the client that declared it is connected`(
    said: String, isWatched: Bool
  ) async throws {
    let world = try ServiceSocket()
    let listener = try await world.listener(ControlListener.Limits())
    let path = world.socketPath
    let hello = Self.hello.replacingOccurrences(
      of: #""client":"c""#, with: #""client":"c"\#(said)"#)
    async let client: String = onThread {
      let descriptor = connectedSocket(path)
      defer { close(descriptor) }
      send(hello + "\n" + Self.status(1) + "\n", to: descriptor)
      shutdown(descriptor, Int32(SHUT_WR))
      return readToEnd(descriptor)
    }
    let broadcaster = Self.broadcaster()
    for await connection in listener.connections {
      await ClientSession(
        connection: connection, broadcaster: broadcaster, logger: Logger(label: "test"),
        dropped: Self.dropped
      ) { _, id, _, _ in
        #expect(broadcaster.isWatchedByPerson == isWatched)
        return ReplyCoder().encode(result: Nothing(), to: id)
      }.run()
      break
    }
    #expect(await client.contains(#""id":1,"result""#))
    #expect(!broadcaster.isWatchedByPerson)
    await listener.close()
  }

  private static func add(_ id: Int) -> String {
    """
    {"jsonrpc":"2.0","id":\(id),"method":"transfers.addURLs",\
    "params":{"urls":["http://files.example/\(id)"]}}
    """
  }

  /// Replies when its gates open, and reports its steps.
  private final class SlowStore: Sendable {
    let steps: AsyncStream<String>
    private let said: AsyncStream<String>.Continuation
    let gates = (0...4).map { _ in Completion<Void>() }

    init() { (steps, said) = AsyncStream.makeStream() }

    func answer(
      _ request: ControlRequest, id: RequestID, whenDecided decided: () -> Void
    ) async -> [UInt8] {
      guard case .number(let number) = id, request.adds else {
        said.yield("asked")
        return ReplyCoder().encode(result: Nothing(), to: id)
      }
      said.yield("begun \(number)")
      decided()
      await gates[Int(number)].value()
      said.yield("kept \(number)")
      return ReplyCoder().encode(result: Nothing(), to: id)
    }
  }

  /// Starts although the first one has not finished.
  private static func whatMustWaitHasTime() async { for _ in 0..<10_000 { await Task.yield() } }

  @Test func `two add requests run at once, and replies stay in order`() async throws {
    let world = try ServiceSocket()
    let listener = try await world.listener(ControlListener.Limits())
    let path = world.socketPath
    async let client: String = onThread {
      let descriptor = connectedSocket(path)
      defer { close(descriptor) }
      let all = [Self.hello, Self.add(1), Self.add(2), Self.add(3), Self.add(4), Self.status(5)]
      send(all.joined(separator: "\n") + "\n", to: descriptor)
      shutdown(descriptor, Int32(SHUT_WR))
      return readToEnd(descriptor)
    }
    let store = SlowStore()
    async let watching: [String] = {
      var steps: [String] = []
      for await step in store.steps {
        steps.append(step)
        switch step {
        case "begun 2":
          await Self.whatMustWaitHasTime()
          store.gates[1].finish()
        // A request that finishes first is still answered in its turn.
        case "begun 3": store.gates[3].finish()
        case "kept 3": store.gates[2].finish()
        case "begun 4":
          await Self.whatMustWaitHasTime()
          store.gates[4].finish()
        case "asked": return steps
        default: break
        }
      }
      return steps
    }()
    let broadcaster = Self.broadcaster()
    for await connection in listener.connections {
      await ClientSession(
        connection: connection, broadcaster: broadcaster, logger: Logger(label: "test"),
        dropped: Self.dropped
      ) { request, id, _, decided in
        if case .hello = request { return ReplyCoder().encode(result: Nothing(), to: id) }
        return await store.answer(request, id: id, whenDecided: decided)
      }.run()
      break
    }
    #expect(
      await watching
        == [
          "begun 1", "begun 2", "kept 1", "begun 3", "kept 3", "kept 2", "begun 4", "kept 4",
          "asked",
        ])
    let replied = await client.split(separator: "\n").map { line in
      line.split(separator: "\"id\":").last?.prefix(1) ?? ""
    }
    #expect(replied == ["0", "1", "2", "3", "4", "5"])
    await listener.close()
  }

  // Fault 134
  @Test func `requests before hello are refused, and a version mismatch reports our version`()
    async throws
  {
    let other = Self.hello.replacingOccurrences(of: ":1,", with: ":9,")
    let (said, _) = try await talk { descriptor in
      send(Self.status(1) + "\n" + other + "\n", to: descriptor)
      shutdown(descriptor, Int32(SHUT_WR))
      return readToEnd(descriptor)
    }
    #expect(
      said.split(separator: "\n") == [
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"service.status"}}"#,
        #"{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"1"}}"#,
      ])
  }
}

/// A directory directly under /tmp, because a socket path must be short.
private final class ServiceSocket: Sendable {
  let root: String
  let socketPath: String

  init() throws {
    var template = Array("/tmp/kettle-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    socketPath = root + "/run/control.sock"
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func listener(_ limits: ControlListener.Limits) async throws -> ControlListener {
    let lock = try #require(try ServiceLock.acquire(at: root + "/service.lock"))
    return try await ControlListener.start(at: socketPath, holding: lock, limits: limits)
  }
}

private func connectedSocket(_ path: String) -> Int32 {
  let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let result = withUnsafePointer(to: address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
  #expect(result == 0)
  return descriptor
}

/// Sends everything, or as much as the other end accepts before it hangs up.
private func send(_ text: String, to descriptor: Int32) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}

private func readToEnd(_ descriptor: Int32) -> String {
  var all: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = recv(descriptor, &piece, piece.count, 0)
    guard count > 0 else { return String(decoding: all, as: UTF8.self) }
    all += piece.prefix(count)
  }
}

/// Runs blocking calls off the threads of the tasks.
private func onThread<Answer: Sendable>(
  _ body: @escaping @Sendable () -> Answer
) async -> Answer {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
