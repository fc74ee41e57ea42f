import KettleModel
import KettleScheduler

/// What the engine knows of transfers beyond their records, by id.
///
/// Most transfers of a long list have no entry, because an empty entry is removed at once. Sets
/// index the entries that ticks and turns visit, so that these skip transfers at rest.
struct LiveTransfers: Sendable {
  /// The number of dormant transfers whose observations are kept.
  static let rememberedCountMax = 2000

  private var entries: [TransferID: LiveTransfer] = [:]
  /// The transfers whose partial file is open, being opened or being closed.
  private(set) var withBody: Set<TransferID> = []
  /// The transfers whose requests have sent more than was reported.
  private(set) var sending: Set<TransferID> = []
  private(set) var working: Set<TransferID> = []

  /// The number of entries.
  var count: Int { entries.count }

  subscript(id: TransferID) -> LiveTransfer {
    get { entries[id] ?? LiveTransfer() }
    _modify {
      defer { index(id) }
      yield &entries[id, default: LiveTransfer()]
    }
  }

  /// Brings the sets in line with an entry, and removes one without content.
  private mutating func index(_ id: TransferID) {
    guard let entry = entries[id] else { return }
    if entry.body != nil { withBody.insert(id) } else { withBody.remove(id) }
    if entry.isSending { sending.insert(id) } else { sending.remove(id) }
    if entry.work != nil { working.insert(id) } else { working.remove(id) }
    if entry.isEmpty { entries[id] = nil }
  }

  /// Forgets a transfer that is not on the list any more.
  mutating func remove(_ id: TransferID) {
    guard entries[id] != nil else { return }
    self[id].stopWork()
    self[id] = LiveTransfer()
  }

  /// Drops the entries of transfers that leave memory. Keeps the observations of those that have
  /// run, up to `rememberedCountMax`.
  ///
  /// - Parameters:
  ///   - residentCount: the number of transfers in memory.
  ///   - isResident: whether a transfer is one of them.
  mutating func evict(
    _ ids: [TransferID], residentCount: Int, isResident: (TransferID) -> Bool
  ) {
    for id in ids where entries[id] != nil {
      let observation = self[id].observation
      remove(id)
      if observation?.hasRun == true { self[id].observation = observation }
    }
    guard count > residentCount + Self.rememberedCountMax else { return }
    for id in entries.keys where !isResident(id) { self[id].observation = nil }
  }

  /// Removes and returns the transfers that have sent more than was reported.
  mutating func takeSending() -> [TransferID] {
    let ids = sending.sorted()
    for id in ids { self[id].isSending = false }
    return ids
  }

  /// Stops all work on files that no transfer waits for.
  mutating func stopWork(unless isAwaited: (TransferID, OperationID) -> Bool) {
    for id in working {
      guard let operation = entries[id]?.work?.operation, !isAwaited(id, operation) else {
        continue
      }
      self[id].stopWork()
    }
  }

  /// Forgets the speeds of all transfers, which were measured under another limit.
  mutating func forgetSpeeds() {
    for id in entries.keys { entries[id]?.observation?.forgetSpeeds() }
  }
}

/// What the engine knows of one transfer beyond its record.
struct LiveTransfer: Sendable {
  var body: LiveBody?
  var digest: LiveDigest?
  /// What is done with its partial file between or after its attempts.
  var work: LiveFileWork?
  /// The check of its finished file, while it runs.
  var checking: LiveFileWork?
  /// How much free space was not enough to unpack its file.
  var tooFewFreeBytes: Int64?
  /// Whether its small body found a full disk, so that the next one is not fetched before its file
  /// is made.
  var needsFileFirst = false
  /// Whether its request has sent more than was reported.
  var isSending = false
  /// The number of its changes on their way to the store.
  private var unkeptCount = 0
  /// nil when nothing was observed.
  var observation: TransferObservation?

  /// The observations, which begin with the first change.
  var observed: TransferObservation {
    get { observation ?? TransferObservation() }
    _modify {
      var observation = self.observation.take() ?? TransferObservation()
      defer { self.observation = observation }
      yield &observation
    }
  }

  fileprivate var isEmpty: Bool {
    isStored && work == nil && tooFewFreeBytes == nil && !needsFileFirst && !isSending
      && observation == nil
  }

  /// Whether the transfer can leave memory: it has no open file, and the store has its changes.
  var isStored: Bool { body == nil && digest == nil && checking == nil && isRecorded }

  /// Whether the store has its changes.
  var isRecorded: Bool { unkeptCount == 0 }

  mutating func noteUnkept() { unkeptCount += 1 }

  mutating func noteKept() { unkeptCount = max(0, unkeptCount - 1) }

  /// Notes how much of a request's body was sent.
  mutating func noteSent(_ byteCount: Int64) {
    observed.sentByteCount = byteCount
    isSending = true
  }

  /// Forgets what an attempt that is over has sent.
  mutating func endSending() {
    observation?.sentByteCount = nil
    isSending = false
  }

  /// Forgets the body, whose file is closed.
  mutating func endBody() {
    body = nil
    observation?.rest()
  }

  /// Forgets what concerns a partial file that is discarded.
  mutating func discardFile() {
    digest = nil
    tooFewFreeBytes = nil
  }

  mutating func stopWork() {
    work?.abandon()
    work = nil
  }
}

/// An attempt as the engine knows it, from its start until its last byte is written.
struct LiveAttempt: Sendable {
  enum Phase: Sendable {
    /// Its headers are read from a file.
    case awaitingHeaders(AttemptRequest)
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

/// A body whose partial file does not exist yet.
struct LateBody: Sendable {
  /// Whether the file is being created while bytes still arrive.
  enum Making: Sendable {
    case notAsked
    case begun
  }

  var writer: PartialFileWriter
  var file: LatePartialFile
  var attempt: AttemptID
  var since: MonotonicTime
  var making = Making.notAsked
}

/// A digest that follows the partial file, on its own queue.
struct LiveDigest: Sendable {
  var inode: UInt64
  var algorithm: Checksum.Algorithm
  var digest: any FileDigest
  let queue: any WorkQueue
}
