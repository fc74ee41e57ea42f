import KettleModel
import KettleSystem

/// Decrypts a segment on its way to the partial file.
final class DecryptingSink: ByteSink {
  private let writer: PartialFileWriter
  private let attempt: AttemptID
  private let url: String
  private let encryptedByteCount: Int64?
  private let state: Mutex<State>

  private struct State {
    /// nil once it has failed.
    var decryption: (any BodyDecryption)?
    var byteCount: Int64 = 0
  }

  /// - Parameters:
  ///   - decryption: nil if the key cannot be used.
  ///   - encryptedByteCount: how long the segment is; nil when unknown.
  ///   - url: for the failure of a segment that cannot be decrypted.
  init(
    _ writer: PartialFileWriter, attempt: AttemptID, _ decryption: (any BodyDecryption)?,
    encryptedByteCount: Int64?, url: String
  ) {
    self.writer = writer
    self.attempt = attempt
    self.encryptedByteCount = encryptedByteCount
    self.url = url
    state = Mutex(State(decryption: decryption))
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    let plain = state.withLock { state -> [UInt8]? in
      state.byteCount += Int64(bytes.count)
      let plain = state.decryption?.decrypt(bytes)
      if plain == nil { state.decryption = nil }
      return plain
    }
    guard let plain else { return .failed }
    return plain.withUnsafeBytes { writer.receive($0, of: attempt) }
  }

  /// Passes on the last bytes of a complete body. Returns the failure of a body that cannot be
  /// decrypted.
  func finish(isComplete: Bool) -> TransferFailure? {
    let byteCount = state.withLock { $0.byteCount }
    if isComplete, let encryptedByteCount, encryptedByteCount != byteCount {
      return TransferFailure(
        byteCount < encryptedByteCount ? .truncated : .tooLong, on: url,
        detail: "\(byteCount) of \(encryptedByteCount) bytes")
    }
    let (last, isBroken) = state.withLock { state -> ([UInt8]?, Bool) in
      guard let decryption = state.decryption else { return (nil, true) }
      guard isComplete, state.byteCount > 0 else { return (nil, false) }
      let last = decryption.finish()
      return (last, last == nil)
    }
    if isBroken {
      return TransferFailure(
        .playlistUnusable, on: url, detail: "a segment cannot be decrypted with its key")
    }
    last?.withUnsafeBytes { _ = writer.receive($0, of: attempt) }
    return nil
  }
}
