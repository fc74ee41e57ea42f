import Synchronization
import TransferModel

/// Puts the body of one attempt into the partial file, in order.
///
/// Small pieces are gathered, because a write call for each piece of at most 16 KiB costs more than
/// the copy. No more than `unconfirmedByteCountMax` may be neither synced nor on record: when it is
/// reached the network waits for the disk, and a crash never costs more than that.
final class BodyWriter: ByteSink {
  /// One write call for so many bytes.
  static let gatheredByteCountMax = 1 << 20
  /// The promise of docs/architecture.md: at most 8 MiB are fetched again after a crash.
  static let unconfirmedByteCountMax: Int64 = 8 << 20
  /// Half of it, so that the disk can work while the network goes on.
  static let checkpointByteCount: Int64 = 4 << 20

  private enum Checkpoint: Sendable { case none, asked }
  private enum Flow: Sendable { case open, heldBack }

  private struct State: Sendable {
    var gathered: [UInt8] = []
    /// Where in the file `gathered` begins: everything before is written.
    var writtenUpTo: Int64
    var confirmedUpTo: Int64
    var checkpoint = Checkpoint.none
    var flow = Flow.open
    var failure: TransferFailure?

    var receivedUpTo: Int64 { writtenUpTo + Int64(gathered.count) }
  }

  let file: any PartialFile
  /// The body may not go further than this; nil when the size is unknown.
  private let upperLimit: Int64?
  private let subject: String
  private let askForCheckpoint: @Sendable () -> Void
  private let state: Mutex<State>

  /// - Parameter askForCheckpoint: called on the transport's thread, at most once between two
  ///   checkpoints.
  init(
    file: any PartialFile, from offset: Int64, upperLimit: Int64?, subject: String,
    askForCheckpoint: @escaping @Sendable () -> Void
  ) {
    self.file = file
    self.upperLimit = upperLimit
    self.subject = subject
    self.askForCheckpoint = askForCheckpoint
    state = Mutex(State(writtenUpTo: offset, confirmedUpTo: offset))
  }

  /// How far the file goes, with what is gathered but not written.
  var receivedUpTo: Int64 { state.withLock { $0.receivedUpTo } }

  var failure: TransferFailure? { state.withLock { $0.failure } }

  var hasUnconfirmedBytes: Bool { state.withLock { $0.receivedUpTo > $0.confirmedUpTo } }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    let (answer, asks) = state.withLock { state in take(bytes, &state) }
    if asks { askForCheckpoint() }
    return answer
  }

  private func take(
    _ bytes: UnsafeRawBufferPointer, _ state: inout State
  ) -> (SinkAnswer, asks: Bool) {
    guard state.failure == nil else { return (.failed, false) }
    let end = state.receivedUpTo + Int64(bytes.count)
    if let upperLimit, end > upperLimit {
      state.failure = TransferFailure(
        .tooLong, on: subject, detail: "more than \(upperLimit) bytes")
      return (.failed, false)
    }
    let unconfirmed = end - state.confirmedUpTo
    let wantsCheckpoint = unconfirmed > Self.checkpointByteCount && state.checkpoint == .none
    if wantsCheckpoint { state.checkpoint = .asked }
    if unconfirmed > Self.unconfirmedByteCountMax {
      state.flow = .heldBack
      return (.full, wantsCheckpoint)
    }
    state.gathered.append(contentsOf: bytes)
    if state.gathered.count >= Self.gatheredByteCountMax { write(&state) }
    return (state.failure == nil ? .taken : .failed, wantsCheckpoint)
  }

  /// Writes and syncs everything received, and answers how far the file goes then. Blocks.
  func sync() throws(TransferFailure) -> Int64 {
    let (upTo, failure) = state.withLock { state in
      write(&state)
      return (state.writtenUpTo, state.failure)
    }
    if let failure { throw failure }
    do {
      try file.sync()
    } catch {
      // A failed sync is never tried again as a proof: the kernel may have dropped the pages
      // (fsync(2), "Errors"), so nothing after the last success is believed.
      state.withLock { $0.failure = error }
      throw error
    }
    return upTo
  }

  /// What was received up to here is on record. Answers whether the network was held back and may
  /// go on.
  func confirm(upTo offset: Int64) -> Bool {
    state.withLock { state in
      state.confirmedUpTo = max(state.confirmedUpTo, offset)
      state.checkpoint = .none
      guard state.flow == .heldBack else { return false }
      state.flow = .open
      return true
    }
  }

  private func write(_ state: inout State) {
    guard !state.gathered.isEmpty, state.failure == nil else { return }
    let offset = state.writtenUpTo
    let result = state.gathered.withUnsafeBytes { bytes -> Result<Void, TransferFailure> in
      do throws(TransferFailure) {
        try file.write(bytes, at: offset)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success:
      state.writtenUpTo += Int64(state.gathered.count)
      state.gathered.removeAll(keepingCapacity: true)
    case .failure(let failure): state.failure = failure
    }
  }
}
