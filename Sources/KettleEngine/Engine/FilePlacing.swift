import KettleModel
import KettleScheduler
import KettleSystem

/// The work on files that may block, away from the engine.
struct FileWork: Sendable {
  let storage: any FileStorage
  let objects: any ObjectStore
  /// Names and opens files. Finished files are deleted alone: a transfer that is reset and started
  /// again must find its name free. All other operations on one transfer are sequential anyway.
  let names: WorkerPool
  /// Digests of files that are not being written; these take long.
  let digests: WorkerPool
  /// Comparisons of finished files, one at a time.
  let checks: WorkerPool
  /// Uploads of parts to object stores, each with several connections.
  let uploads: WorkerPool
  /// Single requests to object stores, which do not wait for uploads.
  let stores: WorkerPool
  let placing: FilePlacing
  private let discarding: FileDiscarding

  init(_ storage: any FileStorage, _ objects: any ObjectStore, on work: WorkSource) {
    self.storage = storage
    self.objects = objects
    names = WorkerPool("kettle.files", width: 16, makeQueue: work.makeQueue)
    digests = WorkerPool("kettle.digests", width: 2, makeQueue: work.makeQueue)
    checks = WorkerPool("kettle.checks", width: 1, makeQueue: work.makeQueue)
    uploads = WorkerPool("kettle.uploads", width: 4, makeQueue: work.makeQueue)
    stores = WorkerPool("kettle.stores", width: 8, makeQueue: work.makeQueue)
    placing = FilePlacing(storage, on: names)
    discarding = FileDiscarding(storage)
  }

  /// Does work while no other file is named or opened.
  func alone<Answer: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable (any FileStorage) -> Answer
  ) async -> Answer {
    await withCheckedContinuation { done in
      names.asyncAlone { [storage] in done.resume(returning: work(storage)) }
    }
  }

  /// Deletes a partial file.
  func remove(_ identity: PartialIdentity) {
    names.async { [storage] in storage.removePartialFile(identity) }
  }

  /// Discards a partial file.
  ///
  /// - Parameter done: called on one of the pool's threads, also for earlier orders.
  func discard(
    _ order: FileDiscarding.Order, done: @escaping @Sendable (FileDiscarding.Order) -> Void
  ) {
    discarding.enqueue(order)
    names.async { [discarding] in for order in discarding.perform() { done(order) } }
  }
}

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
    /// What a file must have that counts in place of this one.
    var checksum: Checksum?
  }

  /// The work of one directory.
  private struct Batch: Sendable {
    var waiting: [Order] = []
    var worker = Worker.idle
  }

  private enum Worker: Sendable {
    case idle
    case scheduledOrRunning
  }

  private let files: any FileStorage
  private let pool: WorkerPool
  /// By directory, while there is work in it.
  private let batches = Mutex<[Substring: Batch]>([:])

  init(_ files: any FileStorage, on pool: WorkerPool) {
    self.files = files
    self.pool = pool
  }

  /// Queues an order. Call `begin` soon afterwards.
  func enqueue(_ order: Order) {
    let directory = order.file.resumeData.partialDirectory
    batches.withLock { $0[directory, default: Batch()].waiting.append(order) }
  }

  /// Starts the queued orders of directories without a running task.
  ///
  /// - Parameter done: called on one of the pool's threads with the results of a batch.
  func begin(_ done: @escaping @Sendable ([TransferScheduler.Event]) -> Void) {
    let idle = batches.withLock { batches in
      let idle = batches.filter { $0.value.worker == .idle }.map(\.key)
      for directory in idle { batches[directory]?.worker = .scheduledOrRunning }
      return idle
    }
    for directory in idle { finishFiles(in: directory, done) }
  }

  private func finishFiles(
    in directory: Substring, _ done: @escaping @Sendable ([TransferScheduler.Event]) -> Void
  ) {
    pool.async { [self] in
      let orders = batches.withLock { batches in
        defer { batches[directory]?.waiting = [] }
        return batches[directory]?.waiting ?? []
      }
      let results = files.finish(orders.map(\.file))
      done(
        zip(orders, results).map { order, result in
          .file(order.id, .placed(outcome(of: order, result), by: order.operation))
        })
      if hasMore(in: directory) { finishFiles(in: directory, done) }
    }
  }

  private func hasMore(in directory: Substring) -> Bool {
    batches.withLock { batches in
      guard batches[directory]?.waiting.isEmpty == false else {
        batches[directory] = nil
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
      guard failure.code == .partialFileChanged else {
        return .failure(
          files.judged(failure, onConflict: order.file.onConflict, order.checksum))
      }
      // The rename may have been done before a crash. If it was not, the transfer restarts, and no
      // record would name the file that was set aside.
      if let found = files.finishedFile(of: resumeData) { result = .success(found) }
    }
    if let other = resumeData.setAside { files.removePartialFile(other) }
    return result
  }
}

extension ResumeData {
  var partialDirectory: Substring {
    partialPath[..<(partialPath.lastIndex(of: "/") ?? partialPath.startIndex)]
  }
}

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
