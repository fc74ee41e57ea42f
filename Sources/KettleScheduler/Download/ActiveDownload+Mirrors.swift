import KettleModel

/// Connections to mirrors of the source that has opened the file.
///
/// Nothing that a mirror says proves that it serves the same file: validators of two servers are
/// not comparable. So it first repeats a **sample** of bytes that are present. What it sends later
/// must have the validator that came with the sample, and where the bytes before a part are
/// present, they are requested as well and compared before anything of the part is kept.
extension ActiveDownload {
  /// How many bytes a sample has.
  static let sampleByteCount: Int64 = 64 << 10
  /// Fewer bytes prove nothing.
  static let comparedByteCountMin: Int64 = 4 << 10
  /// A sample that takes longer counts as a failure.
  static let sampleMillisecondsMax: Int64 = 10_000
  /// How long a sample is waited for before other sources get its connection.
  static let sampleMillisecondsPatience: Int64 = 1000
  /// How long the speed of a connection is not judged.
  static let slownessMillisecondsMin: Int64 = 3000

  /// How many connections fetch missing bytes from a source.
  func fetchingCount(from source: MirrorTable.SourceID) -> Int {
    fetching.count { $0.source == source && $0.phase != .closing }
  }

  // MARK: Requests

  /// The sources that can fetch a piece or show a sample, the best one first.
  func wantedSources(
    for piece: Piece, _ facts: TransferFacts, at now: MonotonicTime
  ) -> [WantedSource] {
    var uses: [MirrorTable.SourceID: MirrorTable.Use] = [:]
    for connection in connections where connection.phase != .closing {
      if connection.isSample {
        uses[connection.source, default: .init()].sampling += 1
      } else {
        uses[connection.source, default: .init()].fetching += 1
      }
    }
    // The silent connection's own source is asked last.
    let silent = piece.silentAttempt.flatMap { connection(of: $0)?.source }
    var candidates = facts.mirrors.candidates(uses, at: now)
    if piece.silentAttempt == nil, !fetching.isEmpty, awaitsSamples(of: candidates, facts, at: now)
    {
      candidates.removeAll { uses[$0].map { $0.fetching > 0 } ?? false }
    }
    let ordered = candidates.filter { $0 != silent } + candidates.filter { $0 == silent }
    return ordered.compactMap { id in
      if id == opener { return WantedSource(id: id, url: additionalURL) }
      guard let source = facts.mirrors[id], request(for: piece, from: id, facts) != nil else {
        return nil
      }
      return WantedSource(id: id, url: source.target)
    }
  }

  /// Whether sources that are in use get no further connection, because others will soon be proved.
  private func awaitsSamples(
    of candidates: [MirrorTable.SourceID], _ facts: TransferFacts, at now: MonotonicTime
  ) -> Bool {
    let isPending = connections.contains {
      $0.isSample && $0.phase != .closing
        && now.milliseconds(since: $0.begunAt) < Self.sampleMillisecondsPatience
    }
    let isPossible = candidates.contains { !facts.mirrors.isProved($0) }
    return isPending || isPossible && sample == nil
  }

  mutating func beginMirror(
    _ attempt: AttemptID, for piece: Piece, from id: MirrorTable.SourceID, _ facts: TransferFacts,
    at now: MonotonicTime
  ) -> AttemptPlan? {
    guard let source = facts.mirrors[id], let requested = request(for: piece, from: id, facts),
      let range = requested.upper.flatMap({ ByteRange(lower: requested.lower, upper: $0) })
    else { return nil }
    var connection = DownloadConnection(
      attempt: attempt, url: source.target, redirects: source.redirects, requested: requested,
      range: range, at: now)
    connection.source = id
    if connection.isSample {
      // It fetches nothing of the piece.
      return begin(connection, fetching: .gap(range), facts, at: now)
    }
    return begin(connection, fetching: piece, facts, at: now)
  }

  /// What a mirror is asked for; nil when nothing could prove what it would send.
  private func request(
    for piece: Piece, from id: MirrorTable.SourceID, _ facts: TransferFacts
  ) -> RequestedRange? {
    switch facts.mirrors[id]?.standing {
    case .unproved? where facts.mirrors.isProvedByPieces,
      .proved? where facts.mirrors.isProvedByPieces:
      return RequestedRange(lower: piece.range.lower, upper: piece.range.upper, proof: .pieces)
    case .unproved?:
      // A silent part does not wait for it.
      return piece.silentAttempt == nil ? sample : nil
    case .proved(let validator)?:
      let range = withPresentBytes(before: piece)
      let comparedUpTo = comparedUpTo(of: piece)
      let isCompared = comparedUpTo - range.lower >= Self.comparedByteCountMin
      guard isCompared || validator != nil else { return nil }
      return RequestedRange(
        lower: range.lower, upper: range.upper,
        proof: .mirror(comparedUpTo: comparedUpTo, validator: validator?.strongValue))
    case .withoutParts?, .lied?, nil: return nil
    }
  }

  /// The last present bytes that the opener has sent or that were durable; nil while there are too
  /// few.
  private var sample: RequestedRange? {
    let large = trustedNow.ranges.last { $0.byteCount >= Self.sampleByteCount }
    return large.map {
      RequestedRange(
        lower: $0.upper - Self.sampleByteCount, upper: $0.upper,
        proof: .mirror(comparedUpTo: $0.upper, validator: nil))
    }
  }

  /// The trusted bytes, including those of connections that continue.
  private var trustedNow: ByteRangeSet {
    var known = trusted
    for connection in connections where connection.source == opener {
      guard let lower = connection.range?.lower,
        let delivered = ByteRange(lower: lower, upper: max(lower, connection.receivedUpTo))
      else { continue }
      known.insert(delivered)
    }
    return known
  }

  /// The piece, and present bytes before it.
  private func withPresentBytes(before piece: Piece) -> ByteRange {
    let range = piece.range
    switch piece {
    // Both begin with bytes of the connection that they copy, or where another one ends.
    case .copy, .share: return range
    case .gap:
      let before = received.ranges.last { $0.upper == range.lower }
      let lower = max(before?.lower ?? range.lower, range.lower - Self.overlapByteCount)
      return ByteRange(lower: lower, upper: range.upper) ?? range
    }
  }

  /// The end of the present bytes at the beginning of a piece.
  private func comparedUpTo(of piece: Piece) -> Int64 {
    switch piece {
    case .gap(let range), .share(_, let range): range.lower
    case .copy(let copied, let range, _):
      min(max(range.lower, connection(of: copied)?.receivedUpTo ?? range.lower), range.upper)
    }
  }

  // MARK: Responses

  /// Decides what the response of a mirror means. Whatever it says, it changes only what is known
  /// about the mirror.
  mutating func receiveFromMirror(
    _ response: Response, at index: Int, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    let connection = connections[index]
    let id = connection.source
    let now = context.now.monotonic
    var resumeData = facts.resumeData
    resumeData?.validator = nil
    if case .proved(let validator)? = facts.mirrors[id]?.standing {
      resumeData?.validator = validator
    }
    let classifier = ResponseClassifier(
      url: connection.url, requested: connection.requested, mode: .resuming,
      resumeData: resumeData, kinship: .sameURL, acceptance: facts.acceptance)
    let verdict = classifier.classify(response.head, at: context.now)
    if facts.mirrors.isProvedByPieces {
      // The document has said the size.
      let claimed = response.head.fileByteCount
      if let claimed, claimed != facts.resumeData?.totalByteCount {
        facts.mirrors.recordLie(of: id)
        return closing(index)
      }
    } else if let next = recordClaim(of: id, in: response.head, &facts) {
      return .end(next)
    }
    switch verdict {
    case .acceptRange where response.head.countsOnlyAtItsEnd:
      facts.mirrors.recordMissingParts(of: id)
    case .acceptRange(let range, let details):
      connections[index].offered = details.validator
      // No claim about one ETag can be made any more.
      if !connection.isSample { facts.resumeData?.isProvedByBytes = true }
      return join(range, at: index, of: facts.id, in: context)
    case .redirect(let location):
      switch RedirectPolicy.decide(
        location: location, from: connection.url, redirectCount: connection.redirects.count)
      {
      case .follow(let url):
        facts.mirrors.redirect(
          id, to: url, redirects: connection.redirects.followed(by: response.reach))
      case .refuse: facts.mirrors.recordFailure(of: id, at: now)
      }
    case .retry(let failure, let after):
      return mirrorRefused(failure, retryAfter: after, at: index, &facts, in: context)
    case .acceptWhole(let whole):
      let isOther = whole.facts.total.map { $0 != facts.resumeData?.totalByteCount } ?? false
      if isOther {
        facts.mirrors.recordLie(of: id)
      } else {
        facts.mirrors.recordMissingParts(of: id)
      }
    case .requestAgain(.fresh): facts.mirrors.recordLie(of: id)
    case .alreadyWhole, .requestAgain, .requestAsRange, .refused, .fail, .wait:
      facts.mirrors.recordFailure(of: id, at: now)
    }
    return closing(index)
  }

  /// Records the size that a mirror says the file has. Returns what follows if another source than
  /// the opener now says what the file is.
  private func recordClaim(
    of id: MirrorTable.SourceID, in head: ResponseHead, _ facts: inout TransferFacts
  ) -> TransferMachine.AfterEnding? {
    guard let total = facts.resumeData?.totalByteCount, let claimed = head.fileByteCount else {
      return nil
    }
    facts.mirrors.recordClaim(of: id, byteCount: claimed)
    guard let decider = facts.mirrors.decider(against: total) else { return nil }
    facts.mirrors.overrule(by: decider, openerSaid: total)
    return facts.startingFresh(because: .otherSources)
  }

  /// The host of a mirror refuses a connection. Beside others, that concerns their number.
  private mutating func mirrorRefused(
    _ failure: TransferFailure, retryAfter: RetryAfter?, at index: Int,
    _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    let connection = connections[index]
    let now = context.now.monotonic
    var hint = HostLimitHint(
      origin: connection.url.origin,
      status: failure.statusNumber,
      closedMilliseconds: context.retryPolicy.closedMilliseconds(failure, retryAfter))
    if failure.isRefusal, context.otherConnectionCount > 0 {
      hint.connectionsMax = context.otherConnectionCount
      facts.mirrors.pause(
        connection.source, until: now.advanced(byMilliseconds: ConnectionPacing.pauseMilliseconds))
    } else {
      facts.mirrors.recordFailure(
        of: connection.source, retryAfterMilliseconds: retryAfter?.boundedMilliseconds, at: now)
    }
    return closing(index, hint)
  }

  // MARK: Ends

  /// Decides what follows the end of a connection to a mirror.
  mutating func end(
    mirror connection: DownloadConnection, by ended: Ended, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> Step {
    recordBytes(of: connection, ended, &facts)
    let now = context.now.monotonic
    switch ended.outcome {
    case .complete, .document:
      if connection.receivedUpTo >= connection.range?.upper ?? .max {
        if !connection.isSample { facts.mirrors.recordSuccess(of: connection.source) }
      } else {
        facts.mirrors.recordFailure(of: connection.source, at: now)
      }
    case .cancelled:
      let silence = now.milliseconds(since: connection.lastProgressAt)
      if connection.missingByteCount > 0, connection.replacedBy == nil,
        silence >= Self.deadMillisecondsMin, !isMute(at: now)
      {
        facts.mirrors.recordFailure(of: connection.source, at: now)
      }
    case .failed(let failure):
      if let next = afterMirrorFailed(connection, with: failure, &facts, in: context) {
        return .end(next)
      }
    case .untrusted, .certificateWanted:
      facts.mirrors.recordFailure(of: connection.source, at: now)
    }
    if isWhole(facts) { return .end(.whole) }
    if activeCount > 0 || facts.mirrors.hasUsable(at: now) { return .none }
    guard case .failed(let failure) = ended.outcome else { return .end(.queued) }
    recordArrivals(&facts)
    return .end(facts.afterFailure(failure, retryAfter: nil, in: context))
  }

  /// Records what the bytes of a mirror have shown. Those that were written have passed the
  /// comparison with the present ones before them.
  private func recordBytes(
    of connection: DownloadConnection, _ ended: Ended, _ facts: inout TransferFacts
  ) {
    let comparedUpTo = connection.requested?.comparedUpTo ?? 0
    guard let receivedUpTo = ended.receivedUpTo, receivedUpTo >= comparedUpTo else { return }
    if connection.isSample {
      if ended.outcome == .complete {
        facts.mirrors.recordProof(of: connection.source, connection.offered)
      }
    } else if receivedUpTo > max(comparedUpTo, connection.range?.lower ?? comparedUpTo) {
      facts.mirrors.recordDelivery(of: connection.source)
    }
  }

  /// Records which mirrors have delivered something over connections that continue.
  func recordDeliveries(_ facts: inout TransferFacts) {
    for connection in fetching where connection.source != opener {
      let compared = connection.requested?.comparedUpTo ?? 0
      if connection.receivedUpTo > max(compared, connection.range?.lower ?? compared) {
        facts.mirrors.recordDelivery(of: connection.source)
      }
    }
  }

  /// What follows a failure; nil when it concerns the mirror alone.
  private mutating func afterMirrorFailed(
    _ connection: DownloadConnection, with failure: TransferFailure, _ facts: inout TransferFacts,
    in context: DecisionContext
  ) -> TransferMachine.AfterEnding? {
    if failure.code == .partialFileChanged {
      return facts.startingFresh(because: .partialFileChanged)
    }
    if failure.isOfTheFile { return facts.afterFileFailure(failure, in: context) }
    let id = connection.source
    guard failure.code == .otherVersion else {
      let now = context.now.monotonic
      if failure.isSilence, isMute(at: now) {
        let end = now.advanced(byMilliseconds: ConnectionPacing.pauseMilliseconds)
        facts.mirrors.pause(id, until: end)
      } else {
        facts.mirrors.recordFailure(of: id, at: now)
      }
      return nil
    }
    if facts.mirrors.isProvedByPieces { return facts.afterDifference(failure, in: context) }
    recordDeliveries(&facts)
    facts.mirrors.recordLie(of: id)
    if !isComparedWithTrusted(connection) { facts.mirrors.recordLieOfDelivering() }
    // The partial file does not record which source sent which bytes.
    guard facts.mirrors.hasBytesOfLiar else { return nil }
    return facts.startingFresh(because: .resourceChanged)
  }

  /// Whether it differs from bytes that the opener has sent or that were durable, and not from
  /// those of another mirror, which may be the one that lies.
  private func isComparedWithTrusted(_ connection: DownloadConnection) -> Bool {
    guard let requested = connection.requested, let comparedUpTo = requested.comparedUpTo,
      let compared = ByteRange(lower: requested.lower, upper: comparedUpTo), !compared.isEmpty
    else { return false }
    return trustedNow.contains(compared)
  }

  /// The last connection of the opener has failed while the file is open. Returns whether another
  /// source continues.
  mutating func continuesElsewhere(_ facts: inout TransferFacts, at now: MonotonicTime) -> Bool {
    guard !facts.mirrors.isEmpty, divisibleTotal(of: facts) != nil else { return false }
    facts.mirrors.recordFailure(of: opener, at: now)
    return facts.mirrors.hasUsable(at: now)
  }

  /// The next source, in place of one that could not open the file.
  ///
  /// - Parameter origin: the host that the failure is of.
  func failingOver(
    _ step: Step, from origin: Origin, _ facts: inout TransferFacts, in context: DecisionContext
  ) -> Step {
    guard body == .closed, purpose == .file, let next = step.next, next.isFailureOfSource,
      let other = facts.leavingAnsweringURL(mode)
        ?? facts.failingOver(next, mode: mode, in: context)
    else { return step }
    var step = step
    step.next = other
    if context.outage != .notOfPeer {
      // The others that wait for this host learn of it.
      var hint = step.hostHint ?? HostLimitHint(origin: origin)
      hint.isOutage = true
      step.hostHint = hint
    }
    return step
  }

  // MARK: Speeds

  /// Records the speed of each source. Returns the attempts to cancel: those of a source that has
  /// fallen far behind the others, and samples that do not arrive.
  mutating func recordSpeeds(
    _ progress: DownloadProgress, _ facts: inout TransferFacts, at now: MonotonicTime
  ) -> [AttemptID] {
    var speeds: [MirrorTable.SourceID: Int64] = [:]
    for connection in fetching where connection.phase == .receiving {
      let speed = connection.speed.bytesPerSecond
      if speed > 0 { speeds[connection.source] = max(speeds[connection.source] ?? 0, speed) }
    }
    for (id, speed) in speeds { facts.mirrors.recordSpeed(of: id, bytesPerSecond: speed) }
    guard progress.silentMillisecondsMax != nil else { return [] }
    var closed: [AttemptID] = []
    for index in connections.indices where connections[index].phase != .closing {
      let connection = connections[index]
      let age = now.milliseconds(since: connection.begunAt)
      let isLate = connection.isSample && age >= Self.sampleMillisecondsMax
      guard isLate || isFarBehind(connection, age: age, speeds) else { continue }
      facts.mirrors.recordFailure(of: connection.source, at: now)
      connections[index].phase = .closing
      closed.append(connection.attempt)
    }
    return closed
  }

  private func isFarBehind(
    _ connection: DownloadConnection, age: Int64, _ speeds: [MirrorTable.SourceID: Int64]
  ) -> Bool {
    guard connection.phase == .receiving, !connection.isSample, connection.missingByteCount > 0,
      age >= Self.slownessMillisecondsMin, let own = speeds[connection.source],
      let others = Self.median(speeds.filter { $0.key != connection.source }.map(\.value))
    else { return false }
    return own < others / MirrorTable.slownessRatio
  }
}

extension ActiveDownload.Piece {
  var range: ByteRange {
    switch self {
    case .gap(let range), .share(_, let range), .copy(_, let range, _): range
    }
  }

  /// The silent connection whose part it is.
  fileprivate var silentAttempt: AttemptID? {
    switch self {
    case .copy(let attempt, _, because: .silence): attempt
    case .copy(_, _, because: .slowness), .gap, .share: nil
    }
  }
}
