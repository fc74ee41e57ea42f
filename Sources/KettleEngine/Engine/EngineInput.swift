import Dispatch
import KettleScheduler
import KettleModel

/// What reaches the engine from its threads and queues, in order, through one inbox.
enum EngineInput: Sendable {
  case transport(TransportEvent)
  /// Changes are in the store: what waited for them can be done.
  case committed([BrainAction], announce: [TransferID], kept: [JournalChange])
  case lineRead(LineRequest, Result<[TransferRecord], any Error>)
  case bodyOpened(TransferID, AttemptID, Result<BodyOpening.Opened, TransferFailure>)
  /// What an attempt brought is in the kernel's hands.
  case attemptEnded(AttemptID, AttemptOutcome, TransferBody.EndedSegment)
  case checkpointDone(TransferID, TransferBody, Result<TransferBody.Synced, TransferFailure>)
  case bodyClosed(
    TransferID, OperationID, Result<TransferMachine.ClosedBody?, TransferFailure>)
  case digested(TransferID, OperationID, Result<String, TransferFailure>)
  case placed(TransferID, OperationID, Result<FinishedFile, TransferFailure>)
  case discarded(TransferID, OperationID)
  case alarm
}

/// An attempt as the engine knows it, from its beginning until its last byte is written.
struct LiveAttempt: Sendable {
  enum Phase: Sendable {
    case asking
    /// Its body was accepted.
    case flowing
  }

  var transfer: TransferID
  var asked: AskedRange?
  /// How much of the request's body is in the kernel's hands; nil when nothing was told.
  var sentByteCount: Int64?
  var phase = Phase.asking
  /// As its head says.
  var trust = BodySegment.Trust.atItsEnd
}

/// The partial file of a transfer that runs.
enum LiveBody: Sendable {
  /// When it is to be closed before it is open, that is noted.
  case opening(close: OperationID?)
  /// It is made when what came is to be written.
  case late(LateBody)
  /// With when bytes were last put on record.
  case open(TransferBody, checkpointedAt: MonotonicTime)
  /// Its last bytes are being synced; until they are on record, it knows best what is there.
  case closing(TransferBody)

  /// What takes bytes.
  var body: TransferBody? {
    switch self {
    case .opening, .closing: nil
    case .late(let late): late.body
    case .open(let body, _): body
    }
  }

  /// How much of the file is there; nil while nobody but the record knows.
  var heldByteCount: Int64? {
    switch self {
    case .opening: nil
    case .late(let late): late.body.heldByteCount
    case .open(let body, _), .closing(let body): body.heldByteCount
    }
  }
}

/// A digest that follows the partial file, on a queue of its own.
struct LiveDigest: Sendable {
  var inode: UInt64
  var algorithm: Checksum.Algorithm
  var digest: any FileDigest
  let queue = DispatchQueue(label: "kettle.digest")
}

/// Somebody who waits until controls are carried out.
struct RestWaiter: Sendable {
  var moving: Set<TransferID>
  var done: Completion<Void>
}
