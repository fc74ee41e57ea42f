import KettleModel
import KettleSystem

/// Decrypts a segment on its way to the partial file.
final class DecryptingSink: ByteSink {
  private let writer: PartialFileWriter
  private let attempt: AttemptID
  private let url: String
  private let state: Mutex<State>

  private struct State {
    /// nil once it has failed.
    var decryption: (any BodyDecryption)?
    var isEmpty = true
  }

  /// - Parameters:
  ///   - decryption: nil if the key cannot be used.
  ///   - url: for the failure of a segment that cannot be decrypted.
  init(
    _ writer: PartialFileWriter, attempt: AttemptID, _ decryption: (any BodyDecryption)?,
    url: String
  ) {
    self.writer = writer
    self.attempt = attempt
    self.url = url
    state = Mutex(State(decryption: decryption))
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
    let plain = state.withLock { state -> [UInt8]? in
      state.isEmpty = false
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
    let (last, isBroken) = state.withLock { state -> ([UInt8]?, Bool) in
      guard let decryption = state.decryption else { return (nil, true) }
      guard isComplete, !state.isEmpty else { return (nil, false) }
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
