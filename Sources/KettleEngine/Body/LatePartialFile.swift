import KettleSystem
import KettleScheduler
import KettleModel

/// A partial file that is made when the first byte is to be written.
///
/// A small body is in memory before its file could be made and go on record. So it flows at once,
/// and when it is whole one way to the disk makes the file, fills it and syncs it. A crash before
/// that leaves nothing, and costs no more than what is fetched again in any case.
final class LatePartialFile: PartialFile {
  private enum State: Sendable {
    case waiting
    case made(BodyOpening.Opened)
    case refused(TransferFailure)
  }

  private let opening: BodyOpening
  private let plan: BodyPlan
  private let preferredName: String
  /// Had while the file is made: who comes meanwhile waits for it.
  private let state = Mutex(State.waiting)

  /// nil when the file that the plan asks for is to be made before its body flows: it is large, or
  /// its size is not known, or a taken name is to end the transfer before anything is fetched.
  init?(_ opening: BodyOpening, _ plan: BodyPlan, byteCountMax: Int64) {
    guard case .create(let new) = plan, new.old == nil, let total = new.total, total > 0,
      total <= byteCountMax
    else { return nil }
    switch opening.spec.onConflict {
    case .skip: return nil
    case .rename, .replace: break
    }
    self.opening = opening
    self.plan = plan
    preferredName = new.preferredName
  }

  /// How it went; nil while nobody asked for it.
  var result: Result<BodyOpening.Opened, TransferFailure>? {
    state.withLock { state in
      switch state {
      case .waiting: nil
      case .made(let opened): .success(opened)
      case .refused(let failure): .failure(failure)
      }
    }
  }

  /// Makes the file when it is not there. The first answer stands. Blocks.
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

  func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int64) throws(TransferFailure) {
    try make().file.write(pieces, at: offset)
  }

  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    try make().file.read(buffer, at: offset)
  }

  func sync() throws(TransferFailure) -> Int64 { try make().file.sync() }

  func keepInMemory() { made?.keepInMemory() }

  func truncate(to byteCount: Int64) throws(TransferFailure) {
    try make().file.truncate(to: byteCount)
  }
}
