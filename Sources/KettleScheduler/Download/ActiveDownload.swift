import KettleModel

/// What a running transfer fetches: its connections, and which bytes of the file it has.
///
/// The response to the primary connection shows what the file is and opens the partial file; only
/// then do additional connections join. docs/downloading.md explains how the file is divided.
package struct ActiveDownload: Sendable, Hashable {
  package enum Body: Sendable, Hashable {
    /// The primary connection's head has not arrived.
    case closed
    case opening(BodyPlan)
    /// The store has not recorded it yet.
    case opened
    /// Bytes may flow into it.
    case open
    /// A document arrives, in memory.
    case document
  }

  /// Whether several parts of the file may be fetched at once.
  enum Splitting: Sendable, Hashable {
    case allowed
    /// The server is another one than that of the present bytes, and has not proved yet that it
    /// serves the same file.
    case awaitingProof
    /// The server does not serve parts, or gives no proof that two belong together.
    case refused
  }

  /// What the primary connection requested.
  let mode: RequestMode
  package let purpose: RequestPurpose
  /// How the primary connection verifies its server.
  let check: ServerCheck
  package internal(set) var body = Body.closed
  /// The primary connection is first while the body is not open.
  package internal(set) var connections: [DownloadConnection]
  /// The durable bytes at the start plus what ended connections delivered. Not all of it is synced.
  var received: ByteRangeSet
  /// Those of them that were durable at the start or came from the source that opened the file.
  /// What a mirror sends is compared with these.
  var trusted: ByteRangeSet
  /// How many bytes were durable when the body was opened.
  package internal(set) var durableAtStartByteCount: Int64
  var splitting = Splitting.allowed
  var pacing = ConnectionPacing()
  /// How many connections are worthwhile.
  var growth = ConnectionGrowth()
  /// The shortest round trip of its connections; nil before the first response.
  private(set) var roundTripMilliseconds: Int64?
  /// When a connection last waited for our disk.
  var waitedForDiskAt: MonotonicTime?
  /// How additional connections prove that their part belongs to the file.
  var proof = RequestedRange.Proof.sameValidator
  /// Where additional connections send their requests: the target of the primary connection's
  /// redirects, so that they need not follow them again.
  private(set) var additionalURL: TransferURL
  /// The source that the primary connection uses.
  let opener: MirrorTable.SourceID
  /// The redirects that led there.
  private(set) var additionalRedirects: RedirectChain
  /// Bytes per second of the last ended connection that had a speed; 0 while there is none.
  private(set) var endedConnectionSpeed: Int64 = 0

  /// A connection cancelled after this much silence counts as cancelled for its silence.
  static let deadMillisecondsMin: Int64 = 2000
  /// A closed connection keeps its place for at least this long.
  static let leavingMillisecondsMin: Int64 = 100

  init(
    primary: DownloadConnection, mode: RequestMode, purpose: RequestPurpose = .file,
    check: ServerCheck = .usual, received: ByteRangeSet
  ) {
    self.mode = mode
    self.purpose = purpose
    self.check = check
    connections = [primary]
    self.received = received
    trusted = received
    opener = primary.source
    durableAtStartByteCount = received.byteCount
    additionalURL = primary.url
    additionalRedirects = primary.redirects.restarted
  }

  /// Directs additional connections to the URL that served this one.
  mutating func directAdditional(after connection: DownloadConnection) {
    directAdditional(to: connection.url, redirects: connection.redirects)
  }

  /// Directs additional connections to the target of these redirects.
  mutating func directAdditional(to url: TransferURL, redirects: RedirectChain) {
    additionalURL = url
    additionalRedirects = redirects.restarted
  }

  /// The target of the primary connection's redirects may have expired: starts from the original.
  mutating func directAdditional(
    toOriginal source: ChainedURL, _ facts: inout TransferFacts, at now: MonotonicTime
  ) {
    if additionalURL == source.url {
      if facts.mirrors.isEmpty { splitting = .refused }
      facts.mirrors.recordFailure(of: opener, at: now)
    } else {
      directAdditional(to: source.url, redirects: RedirectChain(to: source))
    }
  }

  /// Whether it is known where the bytes go: behind the present ones or into a new file.
  package var hasAnswer: Bool {
    switch body {
    case .closed, .opening: false
    case .opened, .open, .document: true
    }
  }

  package func connection(of attempt: AttemptID) -> DownloadConnection? {
    connections.first { $0.attempt == attempt }
  }

  /// Records how long a packet takes to the server and back.
  mutating func recordRoundTrip(milliseconds: Int64?) {
    guard let milliseconds, milliseconds >= 0 else { return }
    roundTripMilliseconds = min(roundTripMilliseconds ?? milliseconds, milliseconds)
  }

  func index(of attempt: AttemptID) -> Int? {
    connections.firstIndex { $0.attempt == attempt }
  }

  package var attempts: [AttemptID] { connections.map(\.attempt) }

  /// The attempts of connections that are not closing.
  package var activeAttempts: [AttemptID] {
    connections.filter { $0.phase != .closing }.map(\.attempt)
  }

  /// The connections that fetch missing bytes.
  var fetching: [DownloadConnection] { connections.filter { !$0.isSample } }

  package var activeCount: Int { connections.count { $0.phase != .closing } }

  /// How many connections count for the number of connections that the transfer may have. A silent
  /// one does not, because another may fetch its part. One that is closing or was closed a moment
  /// ago does: a closed connection is not replaced within a round trip.
  package func countedConnections(at now: MonotonicTime) -> Int {
    connections.count { !isSilent($0, at: now) } + pacing.leavingCount(at: now)
  }

  /// The size of the file if it may be fetched in parts.
  func divisibleTotal(of facts: TransferFacts) -> Int64? {
    guard body == .open, facts.keepsBytes, facts.repetitions.rangeForm.permitsParts,
      let resumeData = facts.resumeData,
      resumeData.validator?.strongValue != nil || facts.isProvedByPieces,
      facts.kinship(of: additionalURL) != .otherURL
    else { return nil }
    switch splitting {
    case .allowed: return resumeData.totalByteCount
    case .awaitingProof, .refused: return nil
    }
  }

  /// Removes a connection and keeps the bytes that it delivered.
  mutating func remove(_ attempt: AttemptID, receivedUpTo: Int64?) -> DownloadConnection? {
    guard let index = index(of: attempt) else { return nil }
    var connection = connections.remove(at: index)
    if connection.speed.bytesPerSecond > 0, !connection.isSample {
      endedConnectionSpeed = connection.speed.bytesPerSecond
    }
    if let receivedUpTo {
      connection.receivedUpTo = max(connection.receivedUpTo, receivedUpTo)
      let lower = connection.range?.lower ?? connection.requested?.lower ?? 0
      if !connection.isSample,
        let delivered = ByteRange(lower: lower, upper: max(lower, receivedUpTo))
      {
        received.insert(delivered)
        if connection.source == opener { trusted.insert(delivered) }
      }
    }
    return connection
  }

  /// Bytes that are present or on their way.
  var covered: ByteRangeSet {
    var covered = received
    for connection in fetching {
      guard let range = connection.range else { continue }
      switch connection.phase {
      case .requesting, .receiving: covered.insert(range)
      case .closing:
        let upper = max(range.lower, connection.receivedUpTo)
        if let delivered = ByteRange(lower: range.lower, upper: upper) { covered.insert(delivered) }
      }
    }
    return covered
  }

  /// How many bytes are present, in the file or in the connections; duplicates count once.
  var presentByteCount: Int64 {
    var present = received
    for connection in fetching {
      guard let lower = connection.range?.lower,
        let delivered = ByteRange(lower: lower, upper: max(lower, connection.receivedUpTo))
      else { continue }
      present.insert(delivered)
    }
    return present.byteCount
  }

  /// Whether another connection may begin now, judging by earlier connections.
  func permitsConnection(at now: MonotonicTime) -> Bool {
    // The only connection is not delayed: without one, the transfer would be queued again.
    connections.isEmpty
      || pacing.permitsConnection(presentByteCount: presentByteCount, at: now)
  }

  /// How many more connections may begin if `count` are permitted. Without any connection one may,
  /// or the transfer would be queued again.
  package func permittedCount(of count: Int, at now: MonotonicTime) -> Int {
    let left = count - countedConnections(at: now)
    return connections.isEmpty ? max(1, left) : left
  }

  /// Adds a connection that begins now.
  mutating func begin(_ connection: DownloadConnection, at now: MonotonicTime) {
    pacing.recordBegin(presentByteCount: presentByteCount, at: now)
    connections.append(connection)
  }

  /// Records the failure of an additional connection. Repeated failures mean that this server does
  /// not support several connections.
  mutating func recordFailure(_ facts: inout TransferFacts, in context: DecisionContext) {
    guard facts.mirrors.isEmpty else {
      return facts.mirrors.recordFailure(of: opener, at: context.now.monotonic)
    }
    let delay = context.retryPolicy.delayMilliseconds(
      retryCount: pacing.failureCount, jitter: context.jitter)
    pacing.recordFailure(delayMilliseconds: delay, at: context.now.monotonic)
    if pacing.failureCount >= ConnectionPacing.failureCountMax { splitting = .refused }
  }
}

/// The partial file of a running download: opened by the first response, and recorded before a byte
/// is written.
extension ActiveDownload {
  /// The partial file is open; nil when the attempt that opened it is gone.
  mutating func bodyOpened(
    _ resumeData: ResumeData, of attempt: AttemptID, _ facts: inout TransferFacts,
    at now: MonotonicTime
  ) -> Step? {
    guard case .opening(let plan) = body, let index = index(of: attempt) else { return nil }
    if case .create = plan, !resumeData.durable.isEmpty {
      // The copied bytes need not be fetched: only their end is, as their proof.
      return .end(facts.requesting(.resuming))
    }
    body = .opened
    received = resumeData.durable
    trusted = resumeData.durable
    if purpose.isFile { facts.recordOpening(by: connections[index]) }
    durableAtStartByteCount = resumeData.durable.byteCount
    connections[index].receive(connections[index].range, at: now)
    proof = facts.usualProof
    if case .goOn = plan, let requested = connections[index].requested, requested != .all {
      if case .sameValidator = requested.proof { proof = .sameValidator }
      // Bytes may be requested again to compare them.
      facts.task?.recordResumption(at: resumeData.durable.byteCount)
    }
    if case .segment(let segmentIndex) = purpose {
      return accept(segmentIndex, by: attempt, &facts)
    }
    return Step(actions: [.acceptBody(facts.id, attempt, connections[index].range)])
  }

  /// The store has recorded the partial file; additional connections may join when the speed of the
  /// primary one is known.
  mutating func bodyRecorded(
    _ facts: TransferFacts, _ policy: DivisionPolicy, at now: MonotonicTime
  ) {
    guard body == .opened else { return }
    body = .open
    for index in connections.indices where connections[index].phase == .receiving {
      connections[index].receive(connections[index].range, at: now)
    }
    guard divisibleTotal(of: facts) != nil else { return }
    pacing.awaitSpeed(policy, at: now)
    switch facts.connectionDemand {
    case .exactly: break
    case .adaptive: growth.begin(presentByteCount, at: now)
    }
  }
}

extension TransferFacts {
  /// How additional connections prove their bytes, unless the server has shown that it cannot.
  var usualProof: RequestedRange.Proof {
    if isProvedByPieces { return .pieces }
    return resumeData?.validator?.strongValue.map { .ifRange($0) } ?? .sameValidator
  }

  /// What follows when the partial file could not be opened or created.
  mutating func afterBodyRefused(
    _ failure: TransferFailure, in context: DecisionContext
  ) -> TransferMachine.AfterEnding {
    if failure.code == .partialFileChanged { return startingFresh(because: .partialFileChanged) }
    if failure.isOfFileThere, spec.onConflict == .skip {
      return .alreadyThere(path: failure.subject)
    }
    return afterFileFailure(failure, in: context)
  }
}
