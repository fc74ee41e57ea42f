import KettleSystem
import KettleScheduler
import KettleModel

/// Gives whole files their names, those of one directory together.
///
/// A name is there for good when its directory was synced, and one sync does for all names that
/// were given before it. So there is one piece of work in a directory at a time, and what comes
/// meanwhile is the next one. Directories do not wait for each other.
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
    /// It comes, or is at work.
    case called
  }

  private let files: any FileStorage
  private let lanes: WorkLanes
  /// By directory, as long as there is something to do in it.
  private let lines = Mutex<[Substring: Line]>([:])

  init(_ files: any FileStorage, on lanes: WorkLanes) {
    self.files = files
    self.lanes = lanes
  }

  /// Takes an order; `begin` is to be called soon.
  func take(_ order: Order) {
    let directory = order.file.resumeData.partialDirectory
    lines.withLock { $0[directory, default: Line()].waiting.append(order) }
  }

  /// Begins with what was taken where nobody is at work.
  ///
  /// - Parameter done: called on one of the lanes with what became of each, many at once.
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
      // Before a crash the rename may have been done already. Where it was not, the transfer begins
      // anew, and nobody would remember the file that was set aside.
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
