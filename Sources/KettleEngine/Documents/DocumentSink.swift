import KettleModel
import KettleScheduler
import KettleSystem

/// Keeps a small body in memory.
final class DocumentSink: ByteSink {
  private let url: String
  private let byteCountMax: Int
  private let bytes = Mutex<[UInt8]>([])

  /// - Parameter url: for the failure of a body that is too long.
  init(url: String, byteCountMax: Int) {
    self.url = url
    self.byteCountMax = byteCountMax
  }

  func receive(_ received: UnsafeRawBufferPointer) -> SinkAnswer {
    bytes.withLock { bytes in
      guard received.count <= byteCountMax - bytes.count else { return .failed }
      bytes.append(contentsOf: received)
      return .taken
    }
  }

  /// The outcome of an attempt with this body; nil if the body changes nothing about it.
  func outcome(of end: AttemptEnd) -> AttemptOutcome? {
    switch end {
    case .complete, .satisfied: .document(bytes.withLock { $0 })
    case .sinkFailed:
      .failed(TransferFailure(.tooLong, on: url, detail: "more than \(byteCountMax) bytes"))
    case .cancelled, .failed, .untrusted, .certificateWanted: nil
    }
  }
}
