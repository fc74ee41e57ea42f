import KettleModel
import KettleScheduler
import KettleSystem

/// Keeps a document in memory and reads it when it is complete.
final class DocumentSink: ByteSink {
  private let document: RequestPurpose.Document
  private let url: String
  private let bytes = Mutex<[UInt8]>([])

  /// - Parameter url: for the failure of a body that is too long.
  init(_ document: RequestPurpose.Document, url: String) {
    self.document = document
    self.url = url
  }

  func receive(_ received: UnsafeRawBufferPointer) -> SinkAnswer {
    bytes.withLock { bytes in
      guard received.count <= document.byteCountMax - bytes.count else { return .failed }
      bytes.append(contentsOf: received)
      return .taken
    }
  }

  /// The outcome of an attempt with this body; nil if the body changes nothing about it. A large
  /// document takes a second to read, so this is called on a thread that nothing waits for.
  func outcome(of end: AttemptEnd) -> AttemptOutcome? {
    switch end {
    case .complete, .satisfied:
      .document(ArrivedDocument(bytes.withLock { $0 }, as: document))
    case .sinkFailed:
      .failed(
        TransferFailure(.tooLong, on: url, detail: "more than \(document.byteCountMax) bytes"))
    case .cancelled, .failed, .untrusted, .certificateWanted: nil
    }
  }
}

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
