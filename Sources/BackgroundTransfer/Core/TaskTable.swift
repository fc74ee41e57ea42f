import Foundation
import FoundationNetworking
import Glibc
import KettleModel
import KettleSystem

/// The task objects of a session, indexed by number and by what they transfer.
struct TaskTable: Sendable {
  private var byNumber: [Int64: URLSessionTask] = [:]
  /// Lets a session with thousands of downloads find a duplicate quickly.
  private var byContent: [TaskKey: Set<Int64>] = [:]

  var all: some Collection<URLSessionTask> { byNumber.values }

  subscript(number: Int64) -> URLSessionTask? { byNumber[number] }

  mutating func insert(_ task: URLSessionTask) {
    byNumber[task.handle.number] = task
    if let key = TaskKey(task.handle) {
      byContent[key, default: []].insert(task.handle.number)
    }
  }

  mutating func remove(_ number: Int64) {
    guard let task = byNumber.removeValue(forKey: number), let key = TaskKey(task.handle)
    else { return }
    byContent[key]?.remove(number)
    if byContent[key]?.isEmpty == true { byContent[key] = nil }
  }

  /// Returns the equal tasks, oldest first.
  func same(as plan: DownloadPlan) -> [URLSessionTask] {
    byContent[TaskKey(plan)]?.sorted().compactMap { byNumber[$0] } ?? []
  }
}

/// The fields in which two equal tasks agree.
private struct TaskKey: Hashable {
  let url: String?
  let method: String?
  let headers: [String: String]
  let body: Data?
  let destination: String?
  /// The path of the file that an upload sends.
  let file: String?

  init(_ plan: DownloadPlan) {
    self.init(plan.request, destination: plan.destination, file: plan.file)
  }

  /// nil for tasks that the service will never have.
  init?(_ handle: TaskHandle) {
    guard handle.number > 0, let request = handle.originalRequest else { return nil }
    self.init(request, destination: handle.destination, file: handle.file)
  }

  private init(_ request: URLRequest, destination: URL?, file: URL?) {
    url = request.url?.absoluteString
    method = request.httpMethod
    headers = request.allHTTPHeaderFields ?? [:]
    body = request.httpBody
    self.destination = destination?.standardizedFileURL.path
    self.file = file?.standardizedFileURL.path
  }
}

/// A handler that passes on the first value and ignores later ones.
final class Once<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var body: (@Sendable (Value) -> Void)?
  }

  private let state: Mutex<State>

  init(_ body: @escaping @Sendable (Value) -> Void) { state = Mutex(State(body: body)) }

  func call(_ value: Value) {
    let body = state.withLock { state in
      defer { state.body = nil }
      return state.body
    }
    body?(value)
  }
}

/// Shows the progress of the titled tasks in the tab or taskbar entry of the program's terminal.
final class TerminalGauge: Sendable {
  private let batch = Mutex(PresentedBatch())
  private let shown = Mutex<BatchGauge?>(nil)
  /// Returns whether the terminal took all of the text.
  private let write: @Sendable (String) -> Bool

  init(write: @escaping @Sendable (String) -> Bool) { self.write = write }

  /// Records the newest view of a task. Writes nothing, so that it can be called under a lock.
  func record(_ view: TaskView, of key: PresentedBatch.Key, progress: TransferProgress?) {
    batch.withLock {
      $0.record(
        view, of: key, completedByteCount: progress?.completedByteCount ?? 0,
        totalByteCount: progress?.totalByteCount)
    }
  }

  /// Shows the progress if it has changed. What the terminal does not take now is shown with the
  /// next change.
  func draw() { draw { batch.withLock { $0.gauge } } }

  /// Removes the gauge.
  func clear() { draw { nil } }

  private func draw(_ gauge: () -> BatchGauge?) {
    shown.withLock { shown in
      let gauge = gauge()
      if gauge != shown, write(BatchGauge.sequence(gauge)) { shown = gauge }
    }
  }
}

extension TerminalGauge {
  /// The gauge of this process; nil when its standard error is not a terminal that shows progress.
  static let ofProgram: TerminalGauge? = {
    let environment = ProcessInfo.processInfo.environment
    guard isatty(STDERR_FILENO) == 1, TerminalProgram({ environment[$0] }).showsProgress,
      // Opened again, so that a terminal that has been stopped does not block the program.
      let terminal = OwnedDescriptor(
        opened: open("/dev/tty", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC))
    else { return nil }
    let descriptor = SharedDescriptor(terminal)
    return TerminalGauge { text in
      // A job in the background leaves the terminal to the foreground.
      guard tcgetpgrp(descriptor.number) == getpgrp() else { return false }
      let bytes = Array(text.utf8)
      return Glibc.write(descriptor.number, bytes, bytes.count) == bytes.count
    }
  }()
}
