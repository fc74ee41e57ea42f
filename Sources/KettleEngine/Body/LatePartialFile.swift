import KettleModel
import KettleScheduler
import KettleSystem

/// A partial file that is created on the first write.
///
/// A small body is complete in memory before its file could be created and recorded. So it flows at
/// once, and when it is complete one disk task creates, fills and syncs the file. A crash before
/// that leaves nothing behind, and costs no more than what is fetched again in any case.
final class LatePartialFile: PartialFile {
  private enum State: Sendable {
    case waiting
    case made(BodyOpening.Opened)
    case refused(TransferFailure)
  }

  private let opening: BodyOpening
  private let plan: BodyPlan
  private let preferredName: String
  /// Locked while the file is created; concurrent callers wait for it.
  private let state = Mutex(State.waiting)

  /// Returns nil when the file must be created before its body flows: it is large, its size is
  /// unknown, or a taken name may end the transfer before anything is fetched, or supply a part.
  init?(_ opening: BodyOpening, _ plan: BodyPlan, byteCountMax: Int64) {
    guard case .create(let new) = plan, new.old == nil, !new.continues, let total = new.total,
      total > 0,
      total <= byteCountMax,
      // Pieces are compared in the file.
      opening.spec.options.described?.pieces == nil
    else { return nil }
    switch opening.spec.onConflict {
    case .skip: return nil
    case .rename, .replace: break
    }
    self.opening = opening
    self.plan = plan
    preferredName = new.preferredName
  }

  /// The result of the creation; nil before the first request for it.
  var result: Result<BodyOpening.Opened, TransferFailure>? {
    state.withLock { state in
      switch state {
      case .waiting: nil
      case .made(let opened): .success(opened)
      case .refused(let failure): .failure(failure)
      }
    }
  }

  /// Creates the file if it does not exist yet. The first result is final. Blocks.
  @discardableResult
  func make() throws(TransferFailure) -> BodyOpening.Opened {
    try state.withLock { state in made(&state) }.get()
  }

  private func made(_ state: inout State) -> Result<BodyOpening.Opened, TransferFailure> {
    switch state {
    case .made(let opened): return .success(opened)
    case .refused(let failure): return .failure(failure)
    case .waiting: break
    }
    do throws(TransferFailure) {
      let opened = try opening.open(plan)
      state = .made(opened)
      return .success(opened)
    } catch {
      state = .refused(error)
      return .failure(error)
    }
  }

  private var made: (any PartialFile)? { (try? result?.get())?.file }

  var path: String { made?.path ?? "" }
  var finalName: String { made?.finalName ?? preferredName }
  var device: UInt64 { made?.device ?? 0 }
  var inode: UInt64 { made?.inode ?? 0 }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    try make().file.write(bytes, at: offset)
  }

  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    try make().file.read(buffer, at: offset)
  }

  func sync() throws(TransferFailure) -> Int64 { try make().file.sync() }

  func sample(ofFirst byteCount: Int64) -> FileSample? { made?.sample(ofFirst: byteCount) }

  func keepInMemory() { made?.keepInMemory() }

  /// Nothing to do: the file gets them when it is created.
  func setPermissions(_ permissions: FilePermissions) {}

  func truncate(to byteCount: Int64) throws(TransferFailure) {
    try make().file.truncate(to: byteCount)
  }
}
