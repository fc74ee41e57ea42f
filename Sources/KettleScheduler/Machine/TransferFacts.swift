import KettleModel

/// What is known about a transfer apart from its state: the request, the bytes and the history.
struct TransferFacts: Sendable, Hashable {
  /// What a URL may serve in place of the file.
  enum Description: Sendable, Hashable {
    case none
    case metalink
    case torrent
    case playlist
    /// A web page, whatever the name promises.
    case page
  }

  enum ByteTrust: Sendable, Hashable {
    case certain
    /// The partial file was not closed: the service or the machine has crashed.
    case uncertain
  }

  let id: TransferID
  var taskIdentifier: Int64
  var spec: TransferSpec
  let createdAt: WallTime
  var queuePosition: Int64
  var resumeData: ResumeData?
  var finishedFile: FinishedFile?
  var freshStart: FreshStartReason?
  /// Retries since bytes last arrived.
  var retryCount: Int
  var finishedAt: WallTime?
  var finishNumber: Int64?
  /// What its program knows or will be notified of. The state has the pending challenge.
  var taskStatus: TaskStatus?
  /// Why the transfer last waited, until it runs again. The state has the failure of a transfer
  /// that is waiting or has failed.
  var lastFailure: TransferFailure?
  var repetitions = RepetitionCounts()
  /// Where the file may come from. It is not part of the record.
  var mirrors = MirrorTable()
  /// Which URL of its source is requested next. It is not part of the record.
  var route = Route.answering
  /// How the file is requested when the transfer gets a slot again; nil for the usual way. It is
  /// not part of the record.
  var queuedMode: RequestMode?
  /// What the server of another URL says about the file. It is not part of the record.
  var offer: OfferedValidator?
  /// What the user has decided for hosts, as of the last start. It is not part of the record.
  var remembered = RememberedHosts()
  /// The cookies that servers have set while they redirected. They are not part of the record.
  var redirectCookies = RedirectCookies()
  /// What the URL serves according to its responses. It is not part of the record.
  var description = Description.none
  /// The documents that this run has followed. They are not part of the record.
  var documents = DocumentChain()
  /// The playlist being joined. It is not part of the record.
  var playlist: PlaylistRun?
  /// The list of a collection while it is read. It is not part of the record.
  var listing: ListingRun?
  /// Whether the durable bytes are still those that were recorded. It is not part of the record.
  var trust = ByteTrust.certain
  /// The action of the user that is discarding its files; nil deletes them.
  var binAction: Int64?

  init(_ record: TransferRecord) {
    id = record.id
    taskIdentifier = record.taskIdentifier
    spec = record.spec
    createdAt = record.createdAt
    queuePosition = record.queuePosition
    resumeData = record.resumeData
    finishedFile = record.finishedFile
    freshStart = record.freshStart
    retryCount = record.retryCount
    finishedAt = record.finishedAt
    finishNumber = record.finishNumber
    taskStatus = record.task
    taskStatus?.challenge = nil
    lastFailure = record.failure
    if let resumeData, !resumeData.durable.isEmpty, resumeData.lastWriteNanoseconds == nil {
      trust = .uncertain
    }
  }

  /// The record of a transfer with these facts in a state. Only here do the two come together.
  func record(in state: TransferMachine.State) -> TransferRecord {
    var record = TransferRecord(
      id: id, taskIdentifier: taskIdentifier, spec: spec, createdAt: createdAt,
      queuePosition: queuePosition, state: state.visible)
    record.reason = state.waiting?.reason
    record.goesOnAt = state.continuesAt
    record.resumeData = resumeData
    record.finishedFile = finishedFile
    record.failure = state.failure ?? lastFailure
    record.freshStart = freshStart
    record.retryCount = retryCount
    record.finishedAt = finishedAt
    record.finishNumber = finishNumber
    record.task = taskStatus
    record.task?.challenge = state.waiting?.challenge
    return record
  }

  /// What the transfer adds for its program; nil if it is the user's own.
  var task: TaskContract? {
    get {
      guard let options = spec.task, let taskStatus else { return nil }
      return TaskContract(options: options, status: taskStatus)
    }
    set {
      spec.task = newValue?.options
      taskStatus = newValue?.status
    }
  }

  var isTask: Bool { spec.task != nil }

  /// The request as it is sent: with what the user has decided for its hosts.
  var requestSpec: TransferSpec { remembered.completed(spec) }

  /// The URL of the user or program, for failures.
  var urlText: String { spec.url.text }
}

/// How often a transfer did what could otherwise repeat without end. A start by the user resets
/// the counts.
struct RepetitionCounts: Sendable, Hashable {
  /// What is requested after range replies that could not be used.
  private(set) var rangeForm = RangeForm.untried
  /// Abandoned versions of the file.
  private(set) var freshStartCount = 0
  private var changedFileCount = 0
  private var refusalBlamedOnHostCount = 0
  /// Attempts that ended because the server was silent. Bytes that arrive do not reset it: a server
  /// may be silent for long in the middle of each response.
  private(set) var silentAttemptCount = 0
  /// Refusals of the link since bytes last arrived.
  private(set) var refusedLinkCount = 0
  /// Contradictory or wrong responses since bytes last arrived.
  private var unusableReplyCount = 0
  private var startingOverCount = 0
  private var partUnaskedCount = 0
  private var leftStreamCount = 0
  private var lostUploadCount = 0
  private var uselessUploadResourceCount = 0
  /// Pieces that did not have their digest.
  private(set) var wrongPieceCount = 0

  var permitsFreshStart: Bool { freshStartCount <= 5 }
  /// Whether a complete file that was changed is fetched again. What changes every file would
  /// change the next one too.
  var permitsFetchingAgain: Bool { changedFileCount <= 1 }
  /// Whether another refusal may be attributed to the host instead of the transfer.
  var permitsBlamingHost: Bool { refusalBlamedOnHostCount < 3 }
  /// Whether a stream may be used: one that was left would only be left again.
  var permitsStream: Bool { leftStreamCount == 0 }

  /// Whether the upload resources of the server are still used: one that loses what it was sent
  /// would be tried without end.
  var permitsUploadResource: Bool { uselessUploadResourceCount < 3 }

  /// Whether an upload to an object store that has lost one begins again.
  var permitsUploadingAgain: Bool { lostUploadCount < 3 }

  /// Whether all bytes are requested as a range, because a plain GET was answered with a part.
  var requestsAllAsRange: Bool { partUnaskedCount > 0 }
  /// Whether the file may be fetched from its beginning because of unusable responses.
  var permitsStartingOver: Bool { startingOverCount == 0 }
  var hasManyUnusableReplies: Bool { unusableReplyCount >= 3 }

  /// Returns whether another form of the same request is left to try.
  @discardableResult
  mutating func recordWrongReply(to requested: RequestedRange?) -> Bool {
    let permittedParts = rangeForm.permitsParts
    rangeForm.recordWrongReply(to: requested)
    return permittedParts && rangeForm == .toEnd(wrongReplyCount: 0)
  }
  mutating func recordRightRangeReply() { rangeForm.recordRightReply() }
  mutating func recordFreshStart() { freshStartCount += 1 }
  mutating func recordChangedFile() { changedFileCount += 1 }
  mutating func recordSilentAttempt() { silentAttemptCount += 1 }
  mutating func recordRefusalBlamedOnHost() { refusalBlamedOnHostCount += 1 }
  mutating func recordRefusedLink() { refusedLinkCount += 1 }
  mutating func recordUnusableReply() { unusableReplyCount += 1 }
  mutating func recordStartingOver() { startingOverCount += 1 }
  mutating func recordPartUnasked() { partUnaskedCount += 1 }
  mutating func recordLostUpload() { lostUploadCount += 1 }
  /// The link is good: bytes have arrived.
  mutating func recordArrival() {
    refusedLinkCount = 0
    unusableReplyCount = 0
  }
  /// The link is good for the whole file. A refused range is not waited for again.
  mutating func recordWholeReply() { refusedLinkCount = min(refusedLinkCount, 1) }
  mutating func recordLeftStream() { leftStreamCount += 1 }
  mutating func recordWrongPiece() { wrongPieceCount += 1 }
  mutating func recordUselessUploadResource() { uselessUploadResourceCount += 1 }
}

extension TransferFacts {
  /// How long a connection may deliver nothing.
  ///
  /// - Parameter usual: the time for a server that has not been silent yet.
  func silentMillisecondsMax(usually usual: Int64) -> Int64 {
    let doublings = min(repetitions.silentAttemptCount, AttemptPlan.patienceDoublingsMax)
    let chosen = Int64(spec.options.silenceSeconds ?? 0) * 1000
    return max(usual, chosen) << Int64(doublings)
  }
}

// MARK: The bytes

extension TransferFacts {
  /// Whether the next attempt can use received bytes. Unusable bytes are never recorded: each POST
  /// has a response of its own, and the page that came with an error status is not part of the
  /// file.
  var keepsBytes: Bool { spec.content == nil && acceptsFile }

  /// Whether the body is the file and not a page in its place.
  var acceptsFile: Bool {
    switch taskStatus?.reply?.status {
    case nil: true
    case .some(let status): (200..<300).contains(status)
    }
  }

  /// The resume data, if nothing is left to fetch.
  var wholeResumeData: ResumeData? {
    guard let resumeData, let total = resumeData.totalByteCount, !resumeData.hasUnprovedBytes,
      resumeData.isWhole || resumeData.durable.prefixByteCount == total
    else { return nil }
    return resumeData
  }

  /// Fetches damaged bytes again. Joined segments are not fetched in part.
  mutating func forget(_ damaged: [ByteRange]) {
    guard !damaged.isEmpty else { return }
    if resumeData?.playlist != nil {
      forgetBytes()
      freshStart = .partialFileChanged
    }
    for range in damaged { resumeData?.durable.remove(range) }
    resumeData?.isWhole = false
  }

  /// Discards what was received: the next attempt begins with an empty partial file.
  mutating func forgetBytes() {
    resumeData?.durable = ByteRangeSet()
    resumeData?.sample = nil
    resumeData?.totalByteCount = nil
    resumeData?.validator = nil
    resumeData?.answer = nil
    resumeData?.isProvedByBytes = nil
    resumeData?.playlist = nil
    resumeData?.continued = nil
    // Opening without a last write time truncates it to its durable bytes.
    resumeData?.lastWriteNanoseconds = nil
  }

  /// Discards everything about the file. A failed transfer keeps its end time and what its program
  /// is notified of; one that was stopped after it had failed keeps the reason.
  mutating func forgetProgress(before next: TransferMachine.AfterDiscarding) {
    let (finishedAt, taskStatus, lastFailure) = (finishedAt, taskStatus, lastFailure)
    forgetProgress()
    switch next {
    case .idle: self.lastFailure = lastFailure
    case .failed:
      self.finishedAt = finishedAt
      self.taskStatus = taskStatus
    case .queued, .removed: break
    }
  }

  /// Files that are discarded from now on move to the bin. Bytes that an earlier action discarded
  /// stay with that action.
  mutating func discardFiles(into action: Int64) {
    binAction = action
    if resumeData?.binAction == nil { resumeData?.binAction = action }
  }

  /// The bytes on their way to the bin in this state, as they are restored, and the action that
  /// discarded them; nil until the partial file is closed.
  func bytesForBin(in state: TransferMachine.State) -> (action: Int64, ResumeData)? {
    guard case .discarding = state, var resumeData, let action = resumeData.binAction else {
      return nil
    }
    resumeData.binAction = nil
    return (action, resumeData)
  }

  mutating func forgetProgress() {
    binAction = nil
    resumeData = nil
    finishedFile = nil
    lastFailure = nil
    freshStart = nil
    retryCount = 0
    finishedAt = nil
    taskStatus?.reply = nil
    taskStatus?.sentByteCount = 0
    taskStatus?.resumedAtByteCount = nil
    taskStatus?.uploadResumption = nil
  }

  /// Returns what follows when the bytes or the file are of another version: a request from the
  /// original URL. A file that changes with each request would otherwise be restarted endlessly.
  mutating func startingFresh(because reason: FreshStartReason) -> TransferMachine.AfterEnding {
    if let target = spec.options.repairs { return .failed(.unrepaired(target, because: reason)) }
    let reason = blamed(reason)
    if resumeData != nil { freshStart = reason }
    repetitions.recordFreshStart()
    guard repetitions.permitsFreshStart else { return .failed(tooManyFreshStarts(reason)) }
    if let next = startingPlaylistFresh(because: reason) { return next }
    return requesting(.fresh(reason))
  }

  /// Returns why bytes are useless: a file is not changed that never had them.
  func blamed(_ reason: FreshStartReason) -> FreshStartReason {
    guard reason == .resourceChanged, resumeData?.hasUnprovedBytes == true else { return reason }
    return .otherBeginning
  }

  /// Another request for the file.
  func requesting(_ mode: RequestMode) -> TransferMachine.AfterEnding {
    .request(request(for: mode))
  }

  private func tooManyFreshStarts(_ reason: FreshStartReason) -> TransferFailure {
    let count = repetitions.freshStartCount
    return switch reason {
    case .partialFileChanged:
      TransferFailure(
        .partialFileChanged, on: resumeData?.partialPath ?? urlText, detail: "\(count) times")
    case .resourceChanged, .rangeIgnored, .noValidator, .otherSources, .contradictoryReplies,
      .otherBeginning, .asked:
      TransferFailure(.otherVersion, on: urlText, detail: "it was another one \(count) times")
    }
  }
}

extension TransferFailure {
  /// The failure of a repair whose bytes are not those of the file any more.
  static func unrepaired(_ target: RepairTarget, because reason: FreshStartReason) -> Self {
    switch reason {
    case .partialFileChanged:
      TransferFailure(
        .partialFileChanged, on: target.path, detail: "the bytes fetched for its repair are gone")
    case .resourceChanged, .rangeIgnored, .noValidator, .otherSources, .contradictoryReplies,
      .otherBeginning, .asked:
      TransferFailure(
        .otherVersion, on: target.path, detail: "the server has no longer the file that was fetched"
      )
    }
  }
}

extension TransferSpec {
  /// What goes beyond a plain GET; nil when nothing does.
  var content: RequestContent? {
    guard let request, !request.isPlainGET else { return nil }
    return request
  }
}
