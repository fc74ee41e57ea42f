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
