import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

/// A session whose service and program are the test: it records the requests and the calls.
struct SessionBench {
  private(set) var machine: BackgroundSessionMachine
  /// The delegate calls made so far, in order.
  private(set) var calls: [DelegateCall] = []
  private(set) var requests: [(serial: Int64, request: ServiceRequest)] = []
  private(set) var views: [Int64: [TaskView]] = [:]
  private(set) var resumeData: [TaskResumption?] = []
  private(set) var settled: [TaskEnd] = []
  private(set) var restored: [Int64] = []
  private(set) var forgotten: [Int64] = []
  private(set) var connectCount = 0
  private(set) var requestsWaitingCount = 0
  private(set) var isClosed = false
  /// Whether delegate calls return immediately.
  var returnsAtOnce = true
  /// Whether the connection sends each request immediately.
  var sendsAtOnce = true

  static let session = SessionID(rawValue: "books")

  init(isLaunched: Bool = false) {
    machine = BackgroundSessionMachine(nonce: "run", isLaunched: isLaunched)
  }

  /// Creates an attached session without tasks.
  static func attached(isLaunched: Bool = false) -> SessionBench {
    var bench = SessionBench(isLaunched: isLaunched)
    bench.attach([])
    return bench
  }

  /// What follows from a call that returned at once comes before the rest of the actions.
  mutating func feed(_ input: BackgroundSessionInput) {
    var pending = machine.handle(input)
    while !pending.isEmpty {
      switch pending.removeFirst() {
      case .send(let serial, let request): requests.append((serial, request))
      case .requestsWaiting:
        requestsWaitingCount += 1
        if sendsAtOnce { pending += machine.handle(.readyToSend) }
      case .call(let call):
        calls.append(call)
        if returnsAtOnce { pending = machine.handle(.returned) + pending }
      case .restored(let task): restored.append(task.snapshot.taskIdentifier)
      case .show(let number, let view): views[number, default: []].append(view)
      case .resumeData(_, let resumption): resumeData.append(resumption)
      case .settled(_, let end, _): settled.append(end)
      case .forget(let number): forgotten.append(number)
      case .connect: connectCount += 1
      case .close: isClosed = true
      }
    }
  }

  /// Creates a task and returns its number.
  mutating func create(
    _ kind: TaskOptions.Kind = .download, isAwaited: Bool = false,
    change: (inout TransferSpec) -> Void = { _ in }
  ) throws -> Int64 {
    let number = machine.reserveNumber()
    var spec = try Self.spec(kind, number)
    change(&spec)
    feed(.create(number, spec, isAwaited: isAwaited))
    return number
  }

  /// Creates a running task, which is transfer 100 + its number in the service.
  mutating func run(
    _ kind: TaskOptions.Kind = .download, isAwaited: Bool = false,
    change: (inout TransferSpec) -> Void = { _ in }
  ) throws -> Int64 {
    let number = try create(kind, isAwaited: isAwaited, change: change)
    feed(.resume(number))
    try answer(.added([Self.id(number)]))
    return number
  }

  mutating func attach(
    _ tasks: [SessionTask], last: Int64 = 0, awaited: Set<Int64> = []
  ) {
    feed(.attached(.init(tasks: tasks, lastTaskIdentifier: last), awaited: awaited))
  }

  /// Answers the last request.
  mutating func answer(_ reply: ServiceReply) throws {
    feed(.answered(try #require(requests.last).serial, reply))
  }

  mutating func event(
    _ number: Int64, _ state: TransferState, kind: TransferEvent.Kind = .stateChanged,
    change: (inout TransferSnapshot) -> Void = { _ in }
  ) {
    var snapshot = Self.snapshot(number, state)
    change(&snapshot)
    feed(
      .event(
        TransferEvent(
          kind: kind, id: snapshot.id, at: WallTime(millisecondsSince1970: 0), snapshot: snapshot)))
  }

  mutating func progress(_ number: Int64, _ bytes: Int64, of total: Int64? = nil) {
    event(number, .running, kind: .progress) {
      $0.bytesReceived = bytes
      $0.bytesExpected = total
    }
  }

  mutating func reserveUnsendableNumber() -> Int64 { machine.reserveUnsendableNumber() }

  mutating func clearRecords() {
    calls = []
    requests = []
  }

  var requestsOnly: [ServiceRequest] { requests.map(\.request) }

  static func id(_ number: Int64) -> TransferID { TransferID(rawValue: 100 + number) }

  static func spec(_ kind: TaskOptions.Kind, _ number: Int64) throws -> TransferSpec {
    var spec = TransferSpec(url: try TransferURL.parse("http://books.example/b").get().url)
    spec.session = session
    spec.task = TaskOptions(kind: kind)
    spec.task?.taskIdentifier = number
    if kind == .upload {
      spec.request = RequestContent(method: "PUT", body: .file(path: "/b", byteCount: 50))
    }
    return spec
  }

  static func snapshot(_ number: Int64, _ state: TransferState) -> TransferSnapshot {
    TransferSnapshot(
      id: id(number), session: session, taskIdentifier: number, title: "b",
      url: "http://books.example/b", state: state,
      createdAt: WallTime(millisecondsSince1970: 0), task: TaskStatus())
  }

  static func task(
    _ number: Int64, _ state: TransferState, kind: TaskOptions.Kind = .download,
    change: (inout TransferSnapshot) -> Void = { _ in }
  ) throws -> SessionTask {
    var snapshot = snapshot(number, state)
    change(&snapshot)
    return SessionTask(snapshot: snapshot, spec: try spec(kind, number))
  }
}

extension BackgroundSessionMachine {
  /// Whether the service has acknowledged every request.
  var isAllAcknowledged: Bool { unacknowledgedCount == 0 }
}

extension TransferSnapshot {
  /// A finished file of 100 bytes.
  mutating func finish(_ path: String = "/held/1", status: Int = 200, bytes: Int64 = 100) {
    self.path = path
    bytesReceived = bytes
    bytesExpected = bytes
    task?.reply = ServerReply(
      url: url, status: status, headers: [HeaderField(received: "Content-Length", "\(bytes)")])
  }

  /// Fails after 40 bytes from a server that supports ranges.
  mutating func breakOff(
    _ code: TransferFailure.Code = .connectionLost, detail: String? = nil,
    headers: [(String, String)] = [("ETag", "\"1\"")]
  ) {
    error = TransferFailure(code, on: "books.example", detail: detail)
    bytesReceived = 40
    task?.reply = ServerReply(
      url: url, status: 200, headers: headers.map { HeaderField(received: $0.0, $0.1) })
  }
}
