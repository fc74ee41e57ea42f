import Foundation
import Glibc
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ServiceConnectionTests {
  /// Longer than in the product, because hundreds of tests share the processors.
  private static let helloBudget = Duration.seconds(60)

  private func connect(_ world: ClientWorld) async throws -> ServiceConnection {
    try await ServiceConnection.connect(
      paths: world.paths, clientName: "test", helloBudget: Self.helloBudget)
  }

  private static func event(_ number: Int64, _ kind: TransferEvent.Kind = .stateChanged)
    -> TransferEvent
  {
    TransferEvent(
      kind: kind, id: TransferID(rawValue: number), at: WallTime(millisecondsSince1970: number),
      snapshot: TransferSnapshot(
        id: TransferID(rawValue: number), session: .kettle, taskIdentifier: number, title: "t",
        url: "u", state: .running, createdAt: WallTime(millisecondsSince1970: 0)))
  }

  @Test func `the greeting identifies the run of the service`() async throws {
    for instance in ["1798120000000-4711", nil] {
      let world = try ClientWorld()
      let service = try await ScriptedService(world, answersHello: false) {
        try await $0.reply(Hello.Result(instance: instance))
      }
      let client = try await connect(world)
      #expect(client.instance == instance)
      await client.close()
      await service.close()
    }
  }

  @Test func `a call gets its result`() async throws {
    let world = try ClientWorld()
    let service = try await ScriptedService(world) { exchange in
      guard case .control(let params) = exchange.request else { return }
      guard case .ids(let ids) = params.selection else { return }
      try await exchange.reply(ControlTransfers.Result(applied: ids, refused: []))
    }
    let client = try await connect(world)
    let ids = [TransferID(rawValue: 3), TransferID(rawValue: 9)]
    let result = try await client.call(
      ControlTransfers.self, .init(control: .pause, selection: .ids(ids)))
    #expect(result.applied == ids)
    await client.close()
    await service.close()
  }

  @Test func `calls that overlap get their own results in any order`() async throws {
    let world = try ClientWorld()
    let waiting = Mutex<[ScriptedService.Exchange]>([])
    let service = try await ScriptedService(world) { exchange in
      let all = waiting.withLock { waiting in
        waiting.append(exchange)
        return waiting.count == 20 ? waiting : []
      }
      for exchange in all.reversed() {
        guard case .control(let params) = exchange.request else { continue }
        guard case .ids(let ids) = params.selection else { continue }
        try await exchange.reply(ControlTransfers.Result(applied: ids, refused: []))
      }
    }
    let client = try await connect(world)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number: Int64 in 0..<20 {
        group.addTask {
          let ids = [TransferID(rawValue: number)]
          let result = try await client.call(
            ControlTransfers.self, .init(control: .stop, selection: .ids(ids)))
          #expect(result.applied == ids)
        }
      }
      try await group.waitForAll()
    }
    await client.close()
    await service.close()
  }

  @Test func `an error of the service is thrown unchanged`() async throws {
    let world = try ClientWorld()
    let service = try await ScriptedService(world) {
      try await $0.refuse(ControlError(.unknownTransfer, "7"))
    }
    let client = try await connect(world)
    await #expect(throws: ControlError(.unknownTransfer, "7")) {
      try await client.call(DescribeTransfer.self, .init(id: TransferID(rawValue: 7)))
    }
    await client.close()
    await service.close()
  }

  @Test func `a request that is too long for the service is not sent`() async throws {
    let world = try ClientWorld()
    let service = try await ScriptedService(world) { try await $0.reply(Nothing()) }
    let client = try await connect(world)
    let filter = RowFilter(text: String(repeating: "x", count: LineDecoder.byteCountMaxFromClient))
    await #expect(throws: ControlError(.invalidRequest, "line")) {
      try await client.call(SubscribeViewport.self, Viewport(filter: filter))
    }
    _ = try await client.call(SubscribeViewport.self, Viewport())
    await client.close()
    await service.close()
  }

  @Test func `a lost service fails all current and later calls`() async throws {
    let world = try ClientWorld()
    let asked = Mutex(0)
    let service = try await ScriptedService(world) { exchange in
      let count = asked.withLock { count in
        count += 1
        return count
      }
      if count == 5 { await exchange.connection.close() }
    }
    let client = try await connect(world)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<5 {
        group.addTask {
          await #expect(throws: ClientError.connectionLost) {
            try await client.call(ServiceStatus.self, Nothing())
          }
        }
      }
    }
    await #expect(throws: ClientError.connectionLost) {
      try await client.call(ServiceStatus.self, Nothing())
    }
    for await _ in client.notifications { Issue.record("nothing was said") }
    await service.close()
  }

  @Test func `a cancelled call ends at once, and the connection continues`() async throws {
    let world = try ClientWorld()
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let service = try await ScriptedService(world) { exchange in
      if case .status = exchange.request {
        arrived.yield()
      } else {
        try await exchange.reply(Nothing())
      }
    }
    let client = try await connect(world)
    let unanswered = Task { try await client.call(ServiceStatus.self, Nothing()) }
    for await _ in arrivals { break }
    unanswered.cancel()
    await #expect(throws: CancellationError.self) { try await unanswered.value }
    _ = try await client.call(StopService.self, Nothing())
    await client.close()
    await service.close()
  }

  @Test func `events arrive in order, including those before the end`() async throws {
    let world = try ClientWorld()
    let service = try await ScriptedService(world) { exchange in
      try await exchange.reply(Nothing())
      for number: Int64 in 0..<2000 { try await exchange.notify(.event(Self.event(number))) }
      await exchange.connection.close()
    }
    let client = try await connect(world)
    _ = try await client.call(WatchEvents.self, .init(includesProgress: false))
    var next: Int64 = 0
    for await notification in client.notifications {
      #expect(notification == .event(Self.event(next)))
      next += 1
    }
    #expect(next == 2000)
    await service.close()
  }

  @Test func `only the newest unread window is kept`() async throws {
    let world = try ClientWorld()
    let service = try await ScriptedService(world) { exchange in
      for first in 0..<500 {
        let window = RowWindow(first: first, matchingCount: 0, rows: [], totals: Totals())
        try await exchange.notify(.viewport(window))
      }
      try await exchange.reply(Nothing())
    }
    let client = try await connect(world)
    _ = try await client.call(SubscribeViewport.self, Viewport())
    for await notification in client.notifications {
      guard case .viewport(let window) = notification else { continue }
      #expect(window.first == 499)
      break
    }
    await client.close()
    await service.close()
  }

  // Fault 118
  @Test func `a client that never reads its events loses them, and receives a notice`()
    async throws
  {
    let world = try ClientWorld()
    let service = try await ScriptedService(world) { exchange in
      var event = Self.event(1)
      event.snapshot.title = String(repeating: "t", count: 500_000)
      for _ in 0..<40 { try await exchange.notify(.event(event)) }
      try await exchange.reply(Nothing())
    }
    let client = try await connect(world)
    _ = try await client.call(WatchEvents.self, .init(includesProgress: false))
    for await notification in client.notifications {
      #expect(notification == .resynchronise)
      break
    }
    await client.close()
    await service.close()
  }

  // Fault 117
  @Test func `too many connections are not a failed start`() async throws {
    let world = try ClientWorld()
    let lock = try #require(try ServiceLock.acquire(at: world.paths.lockPath))
    let listener = try await ControlListener.start(
      at: world.paths.socketPath, holding: lock, limits: .init(connectionCountMax: 1))
    let first = try await ControlConnection.connect(to: world.paths.socketPath)
    var accepted: [ControlConnection] = []
    for await connection in listener.connections {
      accepted.append(connection)
      break
    }
    var starter = ServiceStarter(
      paths: world.paths, clientName: "test", executablePath: "/nowhere/kettle")
    starter.crowdBudget = .zero
    for startsIfNeeded in [true, false] {
      await #expect(throws: ClientError.tooManyConnections(count: "1")) {
        try await starter.connect(startingIfNeeded: startsIfNeeded)
      }
    }
    #expect(accepted.count == 1)
    for connection in accepted + [first] { await connection.close() }
    await listener.close()
  }

  // Fault 117
  @Test func `a client connects once another one has left`() async throws {
    let world = try ClientWorld()
    let lock = try #require(try ServiceLock.acquire(at: world.paths.lockPath))
    let (refusals, refused) = AsyncStream.makeStream(of: Void.self)
    let listener = try await ControlListener.start(
      at: world.paths.socketPath, holding: lock, limits: .init(connectionCountMax: 1),
      refused: { _ in refused.yield() })
    let first = try await ControlConnection.connect(to: world.paths.socketPath)
    var connections = listener.connections.makeAsyncIterator()
    let occupant = try #require(await connections.next())
    var starter = ServiceStarter(
      paths: world.paths, clientName: "test", executablePath: "/nowhere/kettle")
    starter.crowdBudget = .seconds(60)
    let patient = starter
    let second = Task { try await patient.connect(startingIfNeeded: false) }
    for await _ in refusals { break }
    await first.close()
    await occupant.close()
    let accepted = await connections.next()
    #expect(accepted != nil)
    // Without a reply to its greeting.
    await accepted?.close()
    _ = await second.result
    await listener.close()
  }

  // Fault 96
  @Test func `without a listener the service is not running, even with a socket file`() async throws
  {
    let world = try ClientWorld()
    let path = world.paths.socketPath
    await #expect(throws: ClientError.notRunning(socketPath: path)) { try await connect(world) }
    try PrivateDirectory.prepare(world.paths.runtimeDirectory)
    _ = try abandonSocketFile(path)
    await #expect(throws: ClientError.notRunning(socketPath: path)) { try await connect(world) }
  }

  @Test func `a service at another path is found through its lock file`() async throws {
    let world = try ClientWorld()
    let service = try await ScriptedService(
      at: world.root + "/other/control.sock", lockPath: world.paths.lockPath)
    let client = try await connect(world)
    await client.close()
    await service.close()
    await #expect(throws: ClientError.notRunning(socketPath: world.paths.socketPath)) {
      try await connect(world)
    }
  }

  // Fault 134
  @Test func `a version mismatch is reported, whichever side detects it`() async throws {
    let refusing = try ClientWorld()
    let first = try await ScriptedService(refusing, answersHello: false) {
      try await $0.refuse(ControlError(.versionMismatch, "2"))
    }
    await #expect(throws: ClientError.versionMismatch(ours: 1, theirs: "2")) {
      try await connect(refusing)
    }
    await first.close()
    let careless = try ClientWorld()
    let second = try await ScriptedService(careless, answersHello: false) {
      try await $0.reply(Hello.Result(protocolVersion: 3))
    }
    await #expect(throws: ClientError.versionMismatch(ours: 1, theirs: "3")) {
      try await connect(careless)
    }
    await second.close()
  }

  // Fault 178
  @Test func `a service that does not answer the greeting times out`() async throws {
    let world = try ClientWorld()
    let service = try await ScriptedService(world, answersHello: false)
    let silent = ClientError.notAnswering(processID: Int64(getpid()))
    await #expect(throws: silent) {
      try await ServiceConnection.connect(
        paths: world.paths, clientName: "test", helloBudget: .milliseconds(50))
    }
    // It is there, so none is started.
    var starter = ServiceStarter(
      paths: world.paths, clientName: "test", executablePath: "/nowhere/kettle")
    starter.helloBudget = .milliseconds(50)
    let impatient = starter
    await #expect(throws: silent) { try await impatient.connect(startingIfNeeded: true) }
    await #expect(throws: silent) { try await isRunning(impatient) }
    await service.close()
  }

  // Fault 176
  @Test func `the service of another home at the usual path is not used`() async throws {
    let (first, second) = (try ClientWorld(), try ClientWorld())
    let service = try await ScriptedService(first)
    var paths = second.paths
    paths.socketPath = first.paths.socketPath
    await #expect(throws: ClientError.notRunning(socketPath: paths.socketPath)) {
      try await ServiceConnection.connect(
        paths: paths, clientName: "test", helloBudget: Self.helloBudget)
    }
    for (asked, answers) in [(paths, false), (first.paths, true)] {
      var starter = ServiceStarter(
        paths: asked, clientName: "test", executablePath: "/nowhere")
      starter.helloBudget = Self.helloBudget
      #expect(try await isRunning(starter) == answers)
    }
    // Its own is found beside it.
    let own = try await ScriptedService(second)
    let client = try await ServiceConnection.connect(
      paths: paths, clientName: "test", helloBudget: Self.helloBudget)
    await client.close()
    await own.close()
    await service.close()
  }

  @Test func `a stopping service counts as not running`() async throws {
    let world = try ClientWorld()
    let service = try await ScriptedService(world, answersHello: false) {
      try await $0.refuse(ControlError(.stopping, ""))
    }
    await #expect(throws: ClientError.notRunning(socketPath: world.paths.socketPath)) {
      try await connect(world)
    }
    await service.close()
  }

  /// Asks on a thread of its own: the call blocks, and the threads of the tests, of which there are
  /// as many as cores, are those on which the service answers.
  private func isRunning(_ starter: ServiceStarter) async throws -> Bool {
    try await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Result { try starter.openSocketIfRunning() != nil })
      }
    }.get()
  }

  private func abandonSocketFile(_ path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    return Glibc.close(descriptor)
  }
}
