import KettleModel
import KettleScheduler
import KettleSystem

/// Discards partial files: moves them to the bin, or deletes them.
///
/// A control of many transfers discards many files in a moment. Those that wait when one begins are
/// discarded together and share the syncs of their directories.
final class FileDiscarding: Sendable {
  struct Order: Sendable {
    var id: TransferID
    var operation: OperationID
    var resumeData: ResumeData
  }

  private let files: any FileStorage
  private let waiting = Mutex<[Order]>([])

  init(_ files: any FileStorage) { self.files = files }

  /// Adds an order. Call `perform` afterwards, on a thread that may block.
  func enqueue(_ order: Order) { waiting.withLock { $0.append(order) } }

  /// Performs all orders that wait, and returns them when their renames last.
  func perform() -> [Order] {
    let orders = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !orders.isEmpty else { return [] }
    files.moveTogether { moves in
      for order in orders { discard(order, by: moves) }
    }
    return orders
  }

  private func discard(_ order: Order, by moves: any FileMoves) {
    let resumeData = order.resumeData
    // A crash between the rename and its record leaves the file under its final name.
    if resumeData.isWhole, let file = files.finishedFile(of: resumeData) {
      _ = files.removeFinishedFile(file)
    }
    if let action = resumeData.binAction {
      let name = BinEntry.fileName(of: order.id, in: action)
      moves.movePartialFile(resumeData.partialIdentity, toName: name)
      if let other = resumeData.setAside {
        moves.movePartialFile(other, toName: name + BinEntry.setAsideSuffix)
      }
    } else {
      files.removePartialFile(resumeData.partialIdentity)
      if let other = resumeData.setAside { files.removePartialFile(other) }
    }
  }
}
