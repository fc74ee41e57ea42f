/// A transfer, as stored: everything that must survive the service.
public struct TransferRecord: Hashable, Sendable, Identifiable {
  public var id: TransferID
  /// Unique within the session, from 1.
  public var taskIdentifier: Int64
  public var spec: TransferSpec
  public var createdAt: WallTime
  /// Lower positions start first among equal priorities.
  public var queuePosition: Int64
  public var state: TransferState
  public var reason: WaitingReason?
  public var goesOnAt: WallTime?
  public var resumeData: ResumeData?
  public var finishedFile: FinishedFile?
  /// Why it failed, or, while it waits, the latest error.
  public var failure: TransferFailure?
  public var freshStart: FreshStartReason?
  /// The number of retries since bytes last arrived.
  public var retryCount: Int
  public var finishedAt: WallTime?
  /// A number that increases with every completed transfer, so that "up to now" does not depend on
  /// the clock. Set only while it is completed; records of older versions lack it.
  public var finishNumber: Int64?
  /// Set if and only if `spec.task` is.
  public var task: TaskStatus?

  /// Creates the record of a new transfer.
  public init(
    id: TransferID, taskIdentifier: Int64, spec: TransferSpec, createdAt: WallTime,
    queuePosition: Int64, state: TransferState
  ) {
    self.id = id
    self.taskIdentifier = taskIdentifier
    self.spec = spec
    self.createdAt = createdAt
    self.queuePosition = queuePosition
    self.state = state
    retryCount = 0
    task = spec.task == nil ? nil : TaskStatus()
  }
}

extension TransferRecord {
  /// Whether it does nothing until a request or its turn in the queue, so that it can be kept in
  /// the store alone. Nearly all transfers of a long list are of this kind.
  ///
  /// A program's tasks stay in memory, because their events are reported to the program as they
  /// occur. So do the lists that bring collections up to date, which are looked up by these.
  package var isDormant: Bool {
    guard spec.task == nil, spec.options.collection?.sync == nil else { return false }
    return switch state {
    case .queued, .paused, .completed: true
    case .failed: finishedAt != nil
    // A crash left bytes that must still be deleted.
    case .idle: resumeData == nil
    case .scheduled, .running, .waiting, .verifying: false
    }
  }

  /// Whether it was cleared from view; see `TransferState.isCleared`.
  package func isCleared(upTo clearedUpTo: Int64?) -> Bool {
    state.isCleared(finishNumber: finishNumber, upTo: clearedUpTo)
  }
}

/// Everything needed to continue a transfer, as stored.
public struct ResumeData: Hashable, Sendable, Codable {
  /// Absolute path of the partial file.
  public var partialPath: String
  /// The device and inode of the partial file when it was created. No other file is written to.
  public var device: UInt64
  public var inode: UInt64
  /// The beginning of the partial file, where its inode number may change; nil where it lasts.
  public var sample: FileSample?
  /// The durable bytes: synced to disk before this was recorded.
  public var durable: ByteRangeSet
  public var totalByteCount: Int64?
  public var validator: Validator?
  /// The name that the file will get when it is complete.
  public var finalName: String
  /// Recorded before the final rename, so that recovery can finish it.
  public var isWhole: Bool = false
  /// The modification time of the closed partial file, since 1970. A later one means that another
  /// process wrote to it. nil while the file is open, and therefore after a crash.
  public var lastWriteNanoseconds: Int64?
  /// The digest of the whole file according to the server (RFC 9530, section 3).
  public var serverChecksum: Checksum?
  /// The media type without parameters, in lower case. It reveals an error page in place of the
  /// file.
  public var mediaType: String?
  /// How the bytes are compressed, in the server's word (`Content-Encoding`); nil if they are not.
  public var contentCoding: String?
  /// The URL of the user or of a mirror that was requested when the validator came, if it is not
  /// the transfer's own: the user has replaced that since, or a mirror has opened the file.
  public var validatorURL: String?
  /// The URL that answered with the validator, after redirects; nil in records of older versions,
  /// which take the requested one for it.
  public var answer: ChainedURL?
  /// Whether a response had another ETag and its bytes were compared instead; nil for no.
  public var isProvedByBytes: Bool?
  /// Whether digests that were known before decide what belongs to the file, so that no validator
  /// is needed; nil for no.
  public var isProvedByDigests: Bool?
  /// Which segments of a playlist the durable bytes are; nil for any other file.
  public var playlist: PlaylistProgress?
  /// The partial file of another version, kept until this one is complete.
  public var setAside: PartialIdentity?
  /// The file of another program whose bytes the partial file begins with, as it was when they were
  /// copied. It has the final name and is replaced if it is still the same then.
  public var continued: FileIdentity?
  /// The action that discarded these bytes: the partial file moves to the bin and is not deleted.
  public var binAction: Int64?
  /// The upload of the whole file to the object store that is its destination.
  public var upload: ObjectUpload?

  private enum CodingKeys: String, CodingKey {
    case partialPath, device, inode, sample
    case durable = "held"
    case totalByteCount, validator, finalName, isWhole, lastWriteNanoseconds, serverChecksum
    case mediaType, contentCoding, validatorURL, answer, isProvedByBytes, isProvedByDigests,
      playlist, setAside, continued, binAction, upload
  }

  public init(
    partialPath: String, device: UInt64, inode: UInt64, durable: ByteRangeSet,
    totalByteCount: Int64?,
    validator: Validator?, finalName: String
  ) {
    self.partialPath = partialPath
    self.device = device
    self.inode = inode
    self.durable = durable
    self.totalByteCount = totalByteCount
    self.validator = validator
    self.finalName = finalName
  }

  /// Whether no response has shown yet that the bytes of another program are those of the file.
  ///
  /// The writer compares before it writes, so whatever follows them proves them.
  public var hasUnprovedBytes: Bool {
    guard let continued, !isWhole else { return false }
    return durable.prefixByteCount <= continued.byteCount
  }

  public var partialIdentity: PartialIdentity {
    PartialIdentity(path: partialPath, device: device, inode: inode, sample: sample)
  }
}

/// The path of a partial file and what identifies it, so that no other file is mistaken for it.
public struct PartialIdentity: Hashable, Sendable, Codable {
  /// Absolute.
  public var path: String
  public var device: UInt64
  public var inode: UInt64
  /// Where the inode number may change; nil where it lasts.
  public var sample: FileSample?

  public init(path: String, device: UInt64, inode: UInt64, sample: FileSample? = nil) {
    self.path = path
    self.device = device
    self.inode = inode
    self.sample = sample
  }
}

/// An upload in parts that an object store has begun.
public struct ObjectUpload: Hashable, Sendable, Codable {
  public var key: String
  /// By which the store knows the upload.
  public var uploadID: String
  public var partByteCount: Int64
  /// Stored with the object, so that it is recognized when the answer to its completion was lost.
  public var mark: String
  /// Whether the store keeps the SHA-256 of each part.
  public var hasChecksums: Bool

  /// A file of at most this size is stored in one request, and a part of a larger one has at least
  /// this size.
  package static let wholeByteCountMax: Int64 = 8 << 20
  /// (docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html)
  package static let partCountMax: Int64 = 10_000

  public init(
    key: String, uploadID: String, partByteCount: Int64, mark: String, hasChecksums: Bool
  ) {
    self.key = key
    self.uploadID = uploadID
    self.partByteCount = partByteCount
    self.mark = mark
    self.hasChecksums = hasChecksums
  }
}

/// How much of a playlist has been joined into the partial file.
public struct PlaylistProgress: Hashable, Sendable, Codable {
  /// The number of segments whose bytes are durable.
  public var joinedCount: Int
  /// Where the next segment begins.
  public var joinedByteCount: Int64
  public var segmentCount: Int
  /// The sum of the durations of all segments.
  public var milliseconds: Int64
  /// What the joined segments belong to. Nothing is joined to segments without it.
  public var identity: PlaylistIdentity?
  /// The joined segment whose bytes prove that a playlist is still the same.
  public var sample: JoinedSegment?
  /// The versions of the resources whose parts are joined, the latest last.
  public var resources: [SegmentedResource]?

  public init(
    joinedCount: Int = 0, joinedByteCount: Int64 = 0, segmentCount: Int, milliseconds: Int64,
    identity: PlaylistIdentity? = nil
  ) {
    self.joinedCount = joinedCount
    self.joinedByteCount = joinedByteCount
    self.segmentCount = segmentCount
    self.milliseconds = milliseconds
    self.identity = identity
  }

  /// Nothing is joined, and no playlist is known.
  package static let nothing = PlaylistProgress(segmentCount: 0, milliseconds: 0)
}

/// A file under its final name, or an object.
public struct FinishedFile: Hashable, Sendable, Codable {
  /// The URL of an object, as in `s3://BUCKET/KEY`.
  public var path: String
  /// nil if the file existed before and was kept (`ConflictPolicy.skip`), so it is not ours, and
  /// for an object.
  public var identity: FileIdentity?
  /// Set for an object that the transfer has stored.
  public var object: StoredObject?
  /// The algorithm of the checksum that it matches; nil if it was not compared with one.
  public var verifiedBy: Checksum.Algorithm?
  /// The strong ETag that every response had; nil without one.
  public var entityTag: String?
  /// How its bytes are compressed; nil if they are not.
  public var contentCoding: String?
  /// How its bytes arrived; nil for a file that arrived within a second without incident.
  package var arrival: Arrival?
  /// The result of the last comparison with what is known of its bytes; nil before the first.
  public var check: FileCheck?

  public init(path: String, identity: FileIdentity?) {
    self.path = path
    self.identity = identity
  }

  /// The size of a file or an object of Kettle; nil for any other.
  public var byteCount: Int64? { identity?.byteCount ?? object?.byteCount }

  /// Records a comparison. The repair of a file that is still damaged stays known.
  package mutating func record(_ check: FileCheck) {
    var check = check
    if check.isBad, check.repair == nil { check.repair = self.check?.repair }
    self.check = check
  }
}

/// An object as it was stored.
public struct StoredObject: Hashable, Sendable, Codable {
  public var byteCount: Int64
  /// As the store has sent it; nil if it has sent none.
  public var entityTag: String?

  public init(byteCount: Int64, entityTag: String? = nil) {
    self.byteCount = byteCount
    self.entityTag = entityTag
  }
}

/// How the bytes of a finished file arrived, as far as the service observed it.
package struct Arrival: Hashable, Sendable, Codable {
  /// nil if the transfer ran for less than a second.
  package var bytesPerSecond: Int64?
  /// nil if all parts were equally fast.
  package var ridge: Ridge?
  /// The last events before the end; nil if there was none but those of every transfer.
  package var events: [HistoryEntry]?

  package static let eventCountMax = 20
  package static let textByteCountMax = 4096

  package init(bytesPerSecond: Int64? = nil, ridge: Ridge? = nil, events: [HistoryEntry]? = nil) {
    self.bytesPerSecond = bytesPerSecond
    self.ridge = ridge
    self.events = events
  }
}

/// A change to the store.
public enum JournalChange: Sendable, Hashable {
  /// Inserts the record or replaces the one with the same id. Indirect, because a record is about a
  /// kilobyte and lists of changes are copied on their way to the store.
  indirect case put(TransferRecord)
  /// Sets the durable ranges in the resume data of a record and changes nothing else.
  case progress(TransferID, ByteRangeSet)
  /// Adds digests of a file's bytes, in place of those of the same bytes.
  case digests(TransferID, [DigestedBytes])
  /// Removes all digests of a transfer: it begins another file.
  case forgetDigests(TransferID)
  /// Adds files to the list of a collection.
  ///
  /// - Parameter first: the number of the first of them. Those that have it or a higher one are
  ///   removed, so that a list that is read again replaces the earlier one.
  case members(TransferID, from: Int64, [ListedMember])
  /// Takes over what a later list says: new files, and changed ones, which are to be fetched again.
  /// Files that are gone leave the list if the sync removes them.
  case syncMembers(CollectionSync, from: TransferID)
  /// Files of a list that are not fetched, because the user has not chosen them.
  case leaveOutMembers(TransferID, [MemberRun])
  case remove(TransferID)
  /// Inserts the session or replaces the one with the same name.
  case putSession(SessionRecord)
  /// Removes a session but keeps its counter of task identifiers.
  case removeSession(SessionID)
  /// Clears every completed transfer up to this finish number from view. A lower number than before
  /// has no effect.
  case clearFinished(upTo: Int64)
  /// Brings completed transfers back into view, except those up to this finish number; nil brings
  /// back all.
  case uncover(clearedUpTo: Int64?)
  /// Changes what can be undone. Indirect, like `put`.
  indirect case bin(BinChange)
  /// Records that a host responded at this time.
  case hostServed(Origin, at: WallTime)
  /// Records what the user has decided for a host; an empty value removes it.
  case rememberHost(Origin, RememberedHost)
  /// Changes the runs of hooks. Indirect, like `put`.
  indirect case hook(HookChange)
}
