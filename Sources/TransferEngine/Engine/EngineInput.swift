import Synchronization
import TransferCore
import TransferModel

/// What reaches the engine from its threads and queues, in order, through one inbox.
enum EngineInput: Sendable {
  case transport(TransportEvent)
  /// Changes are in the store: what waited for them can be done.
  case committed([BrainAction], announce: [TransferID])
  case bodyOpened(AttemptID, Result<BodyOpening.Opened, TransferFailure>)
  case checkpointDue(AttemptID)
  case checkpointDone(AttemptID, Result<Int64, TransferFailure>)
  /// The attempt is over and what it brought is on the disk, or is not to be believed.
  case drained(AttemptID, SettledEnd, heldUpTo: Int64?)
  case digested(TransferID, OperationID, Result<String, TransferFailure>)
  case placed(TransferID, OperationID, Result<FinishedFile, TransferFailure>)
  case discarded(TransferID, OperationID)
  case alarm
}

/// An attempt as the engine knows it, from `begin` to `settled`.
struct LiveAttempt: Sendable {
  enum Phase: Sendable {
    /// No body yet.
    case asking
    /// The partial file is being opened; the attempt may already be over.
    case opening(ended: AttemptEnd?)
    /// The file is open, the store does not know it yet.
    case opened(BodyWriter)
    case flowing(BodyWriter)
    /// It is over; its last bytes are being written.
    case draining
  }

  var transfer: TransferID
  var phase = Phase.asking
  /// When bytes were last put on record.
  var checkpointedAt: MonotonicTime

  var writer: BodyWriter? {
    switch phase {
    case .opened(let writer), .flowing(let writer): writer
    case .asking, .opening, .draining: nil
    }
  }
}

/// A continuation that several may want to resume; the first one does.
final class SingleResumption: Sendable {
  private let continuation: Mutex<CheckedContinuation<Void, Never>?>

  init(_ continuation: CheckedContinuation<Void, Never>) {
    self.continuation = Mutex(continuation)
  }

  func resume() {
    let held = continuation.withLock { held in
      defer { held = nil }
      return held
    }
    held?.resume()
  }
}

/// Somebody who waits until controls are carried out.
struct RestWaiter: Sendable {
  var moving: Set<TransferID>
  var done: CheckedContinuation<Void, Never>
}
