import Foundation
import Glibc
import KettleControl
import KettleModel
import KettleSystem
import Testing

/// A service on a real socket whose tasks the test controls. It has its own threads, because the
/// library blocks its callers.
final class FakeService: Sendable {
  struct State: Sendable {
    var requests: [ControlRequest] = []
    var tasks: [Int64: SessionTask] = [:]
    var nextID: Int64 = 101
    /// The methods to refuse.
    var refusals: [String: ControlError] = [:]
    /// The methods to leave unanswered.
    var silence: Set<String> = []
    var listener: Int32 = -1
  }

  /// The open connections. A descriptor is shut down and closed under one lock, so that a reused
  /// number is not mistaken for it.
  private final class Clients: Sendable {
    private let open = Mutex<Set<Int32>>([])

    func add(_ client: Int32) { open.withLock { _ = $0.insert(client) } }

    func close(_ client: Int32) {
      open.withLock { open in
        open.remove(client)
        Glibc.close(client)
      }
    }

    func shutDown() { open.withLock { for client in $0 { shutdown(client, Int32(SHUT_RDWR)) } } }

    func send(_ line: [UInt8]) {
      let all = line + [UInt8(ascii: "\n")]
      open.withLock { open in
        for client in open {
          _ = all.withUnsafeBytes {
            Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
        }
      }
    }
  }

  private let clients = Clients()
  let root: String
  let paths: ServicePaths
  let state = Mutex(State())
  /// Wakes the waiters for requests.
  private let changed = NSCondition()

  init() throws {
    var template = Array("/tmp/kettle-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    paths = ServicePaths(
      environment: ["HOME": root], passwordHome: root, userDirectories: nil)
    try FileManager.default.createDirectory(
      atPath: paths.runtimeDirectory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    // A client uses only the service that its home has recorded.
    try FileManager.default.createDirectory(
      atPath: (paths.lockPath as NSString).deletingLastPathComponent,
      withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try paths.socketPath.write(toFile: paths.lockPath, atomically: false, encoding: .utf8)
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(atPath: root)
  }

  /// Starts listening.
  func start() throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: paths.socketPath.utf8) }
    unlink(paths.socketPath)
    let bound = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0 && listen(descriptor, 16) == 0)
    state.withLock { $0.listener = descriptor }
    // The thread owns the descriptor. If another thread closed it, this one could accept a
    // connection of another service whose descriptor got the same number.
    Thread.detachNewThread { [weak self, clients] in
      defer { close(descriptor) }
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        clients.add(client)
        Thread.detachNewThread { [weak self] in
          Self.serve(client) { self?.answer($0, to: client) }
          clients.close(client)
        }
      }
    }
  }

  /// Closes all connections and stops listening.
  func stop() {
    let listener = state.withLock { state in
      defer { state.listener = -1 }
      return state.listener
    }
    unlink(paths.socketPath)
    if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
    clients.shutDown()
  }

  private static func serve(_ client: Int32, _ body: ([UInt8]) -> Void) {
    var decoder = LineDecoder(byteCountMax: LineDecoder.byteCountMaxFromClient)
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = read(client, &buffer, buffer.count)
      guard count > 0 else { break }
      var lines: [[UInt8]] = []
      try? decoder.decode(Array(buffer[..<count]).span, into: &lines)
      for line in lines { body(line) }
    }
  }

  private func write(_ line: [UInt8], to client: Int32) {
    let all = line + [UInt8(ascii: "\n")]
    _ = all.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  private func answer(_ line: [UInt8], to client: Int32) {
    guard case .request(let id, let request) = RequestCoder().decode(line) else { return }
    let (reply, isSilent) = state.withLock { state in
      state.requests.append(request)
      if let refusal = state.refusals[request.method] {
        return (ReplyCoder().encode(error: refusal, to: id), false)
      }
      return (state.reply(to: request, id), state.silence.contains(request.method))
    }
    if !isSilent { write(reply, to: client) }
    changed.lock()
    changed.broadcast()
    changed.unlock()
  }

  // MARK: Control by the test

  func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

  var requests: [ControlRequest] { state.withLock { $0.requests } }

  /// Waits for a matching request. Returns nil on timeout.
  @discardableResult
  func wait<Found>(for match: (ControlRequest) -> Found?) -> Found? {
    let deadline = Date(timeIntervalSinceNow: 60)
    changed.lock()
    defer { changed.unlock() }
    while true {
      if let found = requests.lazy.compactMap(match).first { return found }
      guard changed.wait(until: deadline) else { return nil }
    }
  }

  /// Waits for the task to be added. Returns its spec.
  func added(_ number: Int64) throws -> TransferSpec {
    try #require(waitForAdd(of: number))
  }

  /// Returns nil on timeout. It records no issue, because it may be called on another thread, where
  /// the current test is unknown.
  func waitForAdd(of number: Int64) -> TransferSpec? {
    wait { request -> TransferSpec? in
      guard case .add(let params) = request else { return nil }
      return params.transfers.first { $0.task?.taskIdentifier == number }
    }
  }

  /// Changes a task and notifies all clients.
  func move(
    _ number: Int64, to taskState: TransferState, _ kind: TransferEvent.Kind = .stateChanged,
    isTold: Bool = true, change: (inout TransferSnapshot) -> Void = { _ in }
  ) throws {
    let snapshot = try state.withLock { state in
      var task = try #require(state.tasks[number])
      task.snapshot.state = taskState
      change(&task.snapshot)
      state.tasks[number] = task
      return task.snapshot
    }
    guard isTold else { return }
    let event = TransferEvent(
      kind: kind, id: snapshot.id, at: WallTime(millisecondsSince1970: 0), snapshot: snapshot)
    clients.send(try #require(ReplyCoder().encode(.event(event))))
  }

  /// Notifies all clients that events are missing.
  func resynchronise() throws { clients.send(try #require(ReplyCoder().encode(.resynchronise))) }

  /// Completes a task with a file of this content.
  func finish(_ number: Int64, content: String = "tea", status: Int = 200) throws {
    let path = root + "/held-\(number)"
    try Data(content.utf8).write(to: URL(fileURLWithPath: path))
    try move(number, to: .completed) {
      $0.path = path
      $0.bytesReceived = Int64(content.utf8.count)
      $0.bytesExpected = $0.bytesReceived
      $0.task?.reply = ServerReply(
        url: $0.url, status: status,
        headers: [
          HeaderField(received: "ETag", "\"1\""), HeaderField(received: "Vary", "a"),
          HeaderField(received: "vary", "b"),
          HeaderField(received: "content-length", "\(content.utf8.count)"),
        ])
    }
  }
}

extension FakeService.State {
  fileprivate mutating func reply(to request: ControlRequest, _ id: RequestID) -> [UInt8] {
    let coder = ReplyCoder()
    switch request {
    case .hello: return coder.encode(result: Hello.Result(), to: id)
    case .attachSession:
      let last = tasks.keys.max() ?? 0
      return coder.encode(
        result: AttachSession.Result(
          tasks: tasks.values.sorted { $0.snapshot.id < $1.snapshot.id }, lastTaskIdentifier: last),
        to: id)
    case .add(let params):
      return coder.encode(
        result: AddTransfers.Result(ids: params.transfers.map { add($0) }), to: id)
    case .acknowledgeTasks(let params): return coder.encode(result: acknowledge(params), to: id)
    case .addURLs, .list, .listIDs, .find, .sum, .findURLs, .follow, .verify, .syncCollection,
      .compareCollection, .listMembers, .chooseMembers, .describe, .control,
      .relink, .begin,
      .limit,
      .move,
      .prioritize, .assign, .listQueues, .clear, .news, .reset, .listHosts, .resetHost, .forgetHost,
      .listBin, .undo,
      .emptyBin,
      .subscribe, .watch, .status, .stop, .reload, .describeRPC, .listSessions, .finishEvents,
      .adoptSession,
      .dropSession, .cancelTasks, .updateTask, .answerChallenge, .fleet:
      return coder.encode(
        result: ControlTransfers.Result(applied: [], refused: []), to: id)
    }
  }

  private mutating func acknowledge(
    _ params: AcknowledgeTasks.Params
  ) -> AcknowledgeTasks.Result {
    if params.onlyTokens != true {
      tasks = tasks.filter { !params.ids.contains($0.value.snapshot.id) }
    }
    return AcknowledgeTasks.Result(
      tokens: params.keepsResumeData ? params.ids.map { ResumeToken(id: $0, secret: "s") } : [])
  }

  private mutating func add(_ spec: TransferSpec) -> TransferID {
    let number = spec.task?.taskIdentifier ?? 0
    if let known = tasks[number] { return known.snapshot.id }
    let id = TransferID(rawValue: nextID)
    nextID += 1
    tasks[number] = SessionTask(
      snapshot: TransferSnapshot(
        id: id, session: spec.session, taskIdentifier: number, title: "b", url: spec.url.text,
        state: .running, createdAt: WallTime(millisecondsSince1970: 0), task: TaskStatus()),
      spec: spec)
    return id
  }
}
