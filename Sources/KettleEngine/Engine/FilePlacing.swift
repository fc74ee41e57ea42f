import KettleModel
import KettleScheduler
import KettleSystem

/// Gives complete files their final names, in batches per directory.
///
/// A name is durable once its directory was synced, and one sync covers all names given before it.
/// So each directory has one task at a time, and files that arrive meanwhile form the next batch.
/// Directories do not wait for each other.
final class FilePlacing: Sendable {
  struct Order: Sendable {
    var id: TransferID
    var operation: OperationID
    var file: FileToFinish
  }

  private struct Line: Sendable {
    var waiting: [Order] = []
    var worker = Worker.resting
  }

  private enum Worker: Sendable {
    case resting
    /// Scheduled or running.
    case called
  }

  private let files: any FileStorage
  private let lanes: WorkerPool
  /// By directory, while there is work in it.
  private let lines = Mutex<[Substring: Line]>([:])

  init(_ files: any FileStorage, on lanes: WorkerPool) {
    self.files = files
    self.lanes = lanes
  }

  /// Queues an order. Call `begin` soon afterwards.
  func take(_ order: Order) {
    let directory = order.file.resumeData.partialDirectory
    lines.withLock { $0[directory, default: Line()].waiting.append(order) }
  }

  /// Starts the queued orders of directories without a running task.
  ///
  /// - Parameter done: called on one of the lanes with the results of a batch.
  func begin(_ done: @escaping @Sendable ([EngineInput]) -> Void) {
    let idle = lines.withLock { lines in
      let idle = lines.filter { $0.value.worker == .resting }.map(\.key)
      for directory in idle { lines[directory]?.worker = .called }
      return idle
    }
    for directory in idle { work(in: directory, done) }
  }

  private func work(
    in directory: Substring, _ done: @escaping @Sendable ([EngineInput]) -> Void
  ) {
    lanes.async { [self] in
      let orders = lines.withLock { lines in
        defer { lines[directory]?.waiting = [] }
        return lines[directory]?.waiting ?? []
      }
      let results = files.finish(orders.map(\.file))
      done(
        zip(orders, results).map { order, result in
          .placed(order.id, order.operation, outcome(of: order, result))
        })
      if isLeft(in: directory) { work(in: directory, done) }
    }
  }

  private func isLeft(in directory: Substring) -> Bool {
    lines.withLock { lines in
      guard lines[directory]?.waiting.isEmpty == false else {
        lines[directory] = nil
        return false
      }
      return true
    }
  }

  private func outcome(
    of order: Order, _ result: Result<FinishedFile, TransferFailure>
  ) -> Result<FinishedFile, TransferFailure> {
    let resumeData = order.file.resumeData
    var result = result
    if case .failure(let failure) = result {
      guard failure.code == .partialFileChanged else { return result }
      // The rename may have been done before a crash. If it was not, the transfer restarts, and no
      // record would name the file that was set aside.
      if let found = files.finishedFile(of: resumeData) { result = .success(found) }
    }
    if let other = resumeData.setAside { files.removePartialFile(other) }
    return result
  }
}

extension ResumeData {
  fileprivate var partialDirectory: Substring {
    partialPath[..<(partialPath.lastIndex(of: "/") ?? partialPath.startIndex)]
  }
}
