import Dispatch
import KettleModel
import KettleScheduler

/// Input of the engine from its threads and queues, delivered in order through one inbox.
enum EngineInput: Sendable {
  case transport(TransportEvent)
  /// The headers for a host that an attempt waits for.
  case headersRead(AttemptID, Result<[HeaderField], TransferFailure>)
  /// Changes are in the store, and the actions that waited for them can be performed.
  case committed([TransferAction], announce: [TransferID], kept: [JournalChange])
  case queueRead(QueueRead, Result<[TransferRecord], any Error>)
  case bodyOpened(TransferID, AttemptID, Result<BodyOpening.Opened, TransferFailure>)
  /// All bytes of the attempt were passed to the kernel.
  case attemptEnded(AttemptID, AttemptOutcome, PartialFileWriter.EndedSegment)
  /// The body of the attempt flows into the recorded partial file.
  case bodyFlows(TransferID)
  /// Blocks were written: these attempts, which were held back, may continue.
  case roomMade(Set<AttemptID>)
  case checkpointSynced(
    TransferID, PartialFileWriter, Result<PartialFileWriter.Synced, TransferFailure>)
  case bodyClosed(
    TransferID, OperationID, Result<ClosedBody?, TransferFailure>)
  case digested(TransferID, OperationID, Result<String, TransferFailure>)
  case unpacked(TransferID, OperationID, BodyUnpacking.End)
  case placed(TransferID, OperationID, Result<FinishedFile, TransferFailure>)
  case discarded(TransferID, OperationID)
  /// The title of the page that arrived in place of a file.
  case titleRead(TransferID, String)
  case alarm
  /// A request led to decisions: what they leave to do follows when all input is handled.
  case turnsTaken
}

/// An attempt as the engine knows it, from its start until its last byte is written.
struct LiveAttempt: Sendable {
  enum Phase: Sendable {
    case asking
    /// The body was accepted.
    case flowing
  }

  var transfer: TransferID
  var requested: RequestedRange?
  /// After how long a silence it ends at the latest; nil when unknown.
  var patienceMilliseconds: Int64?
  /// Bytes of the request's body passed to the kernel; nil before the first report.
  var sentByteCount: Int64?
  var phase = Phase.asking
  /// Where a body is kept that is not written to a file.
  var document: DocumentSink?
  /// What decrypts its body.
  var decryption: DecryptingSink?
  /// As the response head says.
  var trust = BodySegment.Trust.atItsEnd
  /// Whether it is a stream of HTTP/2; known with its head.
  var isStream = false
}

/// A partial file that is being opened.
struct OpeningBody: Sendable {
  /// The one whose response is to flow into it.
  let attempt: AttemptID
  let copying = LiveCopying()
  /// Set when the file must be closed as soon as it is open.
  var close: OperationID?
  /// How the attempt ended meanwhile, if that is not to stop the copying.
  var end: AttemptEnd?

  init(_ attempt: AttemptID) { self.attempt = attempt }
}

/// The partial file of a running transfer.
enum LiveBody: Sendable {
  case opening(OpeningBody)
  /// Created when the received bytes are written.
  case late(LateBody)
  case open(PartialFileWriter, CheckpointPace)
  /// Its last bytes are being synced. Until they are recorded, the writer knows best what is there.
  case closing(PartialFileWriter)

  /// The writer that accepts bytes.
  var writer: PartialFileWriter? {
    switch self {
    case .opening, .closing: nil
    case .late(let late): late.writer
    case .open(let writer, _): writer
    }
  }

  /// The number of bytes of the file; nil while only the record knows it.
  var fileByteCount: Int64? {
    switch self {
    case .opening(let opening): opening.copying.byteCount
    case .late(let late): late.writer.fileByteCount
    case .open(let writer, _), .closing(let writer): writer.fileByteCount
    }
  }
}

/// A digest that follows the partial file, on its own queue.
struct LiveDigest: Sendable {
  var inode: UInt64
  var algorithm: Checksum.Algorithm
  var digest: any FileDigest
  let queue = DispatchQueue(label: "kettle.digest")
}

/// A caller that waits until controls are carried out.
struct RestWaiter: Sendable {
  var moving: Set<TransferID>
  var done: Completion<Void>
}
