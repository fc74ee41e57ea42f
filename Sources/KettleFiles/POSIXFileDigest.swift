import KettleEngine
import KettleModel
import KettleSystem

/// The digest of a file that is still being written, read through its own descriptor.
final class POSIXFileDigest: FileDigest {
  /// Large enough that the calls cost nothing compared with the digest, and small enough for the
  /// cache.
  private static let pieceByteCount = 256 << 10

  private struct State: ~Copyable {
    /// nil after `finish`.
    var digest: MessageDigest?
    var byteCount: Int64 = 0
  }

  private let file: OpenFile
  private let path: String
  private let state: Mutex<State>

  init(_ file: OpenFile, _ digest: consuming sending MessageDigest, path: String) {
    self.file = file
    self.path = path
    state = Mutex(State(digest: consume digest))
  }

  var byteCount: Int64 { state.withLock { $0.byteCount } }

  func advance(
    to upper: Int64, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) {
    try state.withLock { state in
      Result { () throws(TransferFailure) in try advance(&state, to: upper, shouldStop) }
    }.get()
  }

  private func advance(
    _ state: inout State, to upper: Int64, _ shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) {
    guard upper > state.byteCount else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.pieceByteCount, alignment: 16)
    defer { buffer.deallocate() }
    while upper > state.byteCount, !shouldStop() {
      let count = Int(min(upper - state.byteCount, Int64(buffer.count)))
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
      try read(piece, at: state.byteCount)
      guard state.digest?.update(UnsafeRawBufferPointer(piece)) == true else {
        throw digestFailed()
      }
      state.byteCount += Int64(count)
    }
  }

  private func read(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(TransferFailure) {
    let isWhole: Bool
    do {
      isWhole = try file.read(buffer, at: offset)
    } catch {
      throw error.failure(.file(path))
    }
    guard isWhole else {
      throw TransferFailure(.partialFileChanged, on: path, detail: PartFileLocation.isShorter)
    }
  }

  func finish() throws(TransferFailure) -> String {
    guard let hex = state.withLock({ $0.digest.take()?.finish() }) else { throw digestFailed() }
    return hex
  }

  private func digestFailed() -> TransferFailure {
    TransferFailure(.internalProblem, on: path, detail: "the digest failed")
  }
}
