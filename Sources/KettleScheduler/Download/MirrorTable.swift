import KettleModel

/// The sources of one file, and which of them the next connection uses.
///
/// The user's URL is the first source, its mirrors follow. The source that opens a run says what
/// the file is; any other one must first repeat bytes that are present (`Standing`). How many
/// connections a download has is decided by `ConnectionGrowth`, what each fetches by
/// `ActiveDownload.nextPiece`. docs/downloading.md explains the rules, docs/decisions/0027 the
/// choice.
package struct MirrorTable: Sendable, Hashable {
  /// The position of a source in the table.
  package struct SourceID: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The URL of the user.
    package static let user = SourceID(rawValue: 0)
  }

  /// What the bytes of a source have shown.
  enum Standing: Sendable, Hashable {
    case unproved
    /// Bytes of it were equal to those that are present. The validator came with them.
    case proved(Validator?)
    /// It does not serve parts.
    case withoutParts
    /// It serves another file.
    case lied
  }

  struct Source: Sendable, Hashable {
    let source: ChainedURL
    /// Where its redirects led in this run.
    var target: TransferURL
    var redirects: RedirectChain
    var standing = Standing.unproved
    /// Bytes per second of one connection; 0 while it is not known.
    var bytesPerSecond: Int64 = 0
    /// Whether bytes of it are in the partial file.
    var hasDelivered = false
    /// The size of the file according to its responses in this run.
    var claimedByteCount: Int64?
    var failureCount = 0
    var leftOutUntil: MonotonicTime?

    init(_ source: ChainedURL) {
      self.source = source
      target = source.url
      redirects = RedirectChain(to: source)
    }

    var url: TransferURL { source.url }

    func isUsable(at now: MonotonicTime) -> Bool {
      if let leftOutUntil, leftOutUntil > now { return false }
      switch standing {
      case .unproved, .proved: return true
      case .withoutParts, .lied: return false
      }
    }
  }

  /// Empty for a transfer with one source.
  private(set) var sources: [Source] = []
  /// The source whose response opens the partial file.
  private(set) var opener = SourceID.user
  /// The sources that could not open it since one of them last did.
  private var failedOpeners: Set<SourceID> = []
  /// Until when the server of the user's URL must not be asked.
  private var userPausedUntil: MonotonicTime?
  /// A failure among them that may pass.
  private(set) var passingFailure: TransferFailure?

  /// The sources that opened a file whose checksum did not match.
  private var suspects: Set<SourceID> = []

  /// Whether the digests of pieces prove the bytes of every source.
  private(set) var isProvedByPieces = false
  /// The sources of ended attempts of this run, if pieces may show that their bytes are wrong.
  private var endedAttempts: [AttemptID: SourceID] = [:]

  /// How long a source is left out after its first failure; the time doubles with each further one.
  static let leftOutMillisecondsMin: Int64 = 5000
  static let leftOutMillisecondsMax: Int64 = 600_000
  /// How many sources repeat present bytes at the same time.
  static let samplingCountMax = 2
  /// So many sources get a connection each, whatever more connections add.
  static let sourceCountAlways = 4
  /// A source this many times slower than the others is left out.
  static let slownessRatio: Int64 = 10
  /// How many URLs of a response are used.
  static let linkCountMax = 32

  package init() {}

  /// The sources of a request. A task, or another request than a plain GET, has one.
  init(_ spec: TransferSpec) {
    guard spec.task?.kind != .upload, spec.content == nil else { return }
    add(spec.options.otherSources, to: spec.source)
  }

  // MARK: Pieces

  /// Notes the sources of connections that are over, or will be.
  mutating func note(_ connections: [DownloadConnection]) {
    guard isProvedByPieces else { return }
    for connection in connections { endedAttempts[connection.attempt] = connection.source }
  }

  /// The source of an attempt of this run that has ended.
  func source(of attempt: AttemptID) -> SourceID? { endedAttempts[attempt] }

  var isEmpty: Bool { sources.isEmpty }

  subscript(id: SourceID) -> Source? {
    sources.indices.contains(id.rawValue) ? sources[id.rawValue] : nil
  }

  private mutating func change(_ id: SourceID, _ change: (inout Source) -> Void) {
    if sources.indices.contains(id.rawValue) { change(&sources[id.rawValue]) }
  }

  private var ids: [SourceID] { sources.indices.map(SourceID.init(rawValue:)) }

  /// The hosts that have delivered bytes, besides the one that opened the file.
  var deliveringHosts: [String] {
    ids.filter { $0 != opener && self[$0]?.hasDelivered == true }.compactMap { self[$0]?.url.host }
  }

  /// Adds mirrors of a source that are not known yet.
  mutating func add(_ mirrors: [ChainedURL], to source: ChainedURL) {
    for mirror in mirrors
    where mirror.url != source.url && !sources.contains(where: { $0.url == mirror.url }) {
      if sources.isEmpty { sources = [Source(source)] }
      guard sources.count <= TransferOptions.mirrorCountMax else { return }
      sources.append(Source(mirror))
    }
  }

  // MARK: The source that opens the file

  /// The source for a new run.
  ///
  /// - Parameter known: the text of the URL that the validator of the present bytes came from; nil
  ///   without such bytes.
  mutating func chooseOpener(knownTo known: String?, at now: MonotonicTime) {
    failedOpeners = []
    passingFailure = nil
    let usable = openers.filter { self[$0]?.isUsable(at: now) == true }
    opener = usable.first { self[$0]?.url.text == known } ?? usable.first ?? .user
  }

  /// In the order in which they are to open the file.
  private var openers: [SourceID] {
    ids.filter { !suspects.contains($0) } + ids.filter { suspects.contains($0) }
  }

  /// The checksum of the file does not match: another source opens it next time.
  mutating func recordMismatch() { if !isEmpty { suspects.insert(opener) } }

  /// Begins a run. Targets of redirects may have expired, and every source proves itself again.
  ///
  /// - Parameters:
  ///   - keepsBytes: whether it continues with bytes that are present.
  ///   - isProvedByPieces: whether no source has to repeat present bytes.
  mutating func beginRun(keepsBytes: Bool, isProvedByPieces: Bool = false) {
    self.isProvedByPieces = isProvedByPieces
    endedAttempts = [:]
    for index in sources.indices {
      sources[index].target = sources[index].url
      sources[index].redirects = RedirectChain(to: sources[index].source)
      switch sources[index].standing {
      case .proved, .withoutParts: sources[index].standing = .unproved
      case .unproved, .lied: break
      }
      if !keepsBytes { sources[index].hasDelivered = false }
      sources[index].claimedByteCount = nil
    }
  }

  /// Chooses the next source in place of one that could not open the file. After all of them the
  /// user's URL has the last word, unless its server asked for a pause that is not over.
  ///
  /// - Parameters:
  ///   - passing: the failure, if it may pass.
  ///   - pausedUntil: until when the server must not be asked (`Retry-After`).
  /// - Returns: false when all have failed.
  mutating func failOver(
    passing: TransferFailure?, pausedUntil: MonotonicTime? = nil, at now: MonotonicTime
  ) -> Bool {
    guard !isEmpty else { return false }
    if opener == .user { userPausedUntil = pausedUntil }
    let isLast = failedOpeners.contains(opener)
    failedOpeners.insert(opener)
    passingFailure = passingFailure ?? passing
    recordFailure(of: opener, at: now)
    let left = openers.filter { !failedOpeners.contains($0) && self[$0]?.standing != .lied }
    if let next = left.first {
      opener = next
      return true
    }
    guard !isLast, opener != .user else { return false }
    if let userPausedUntil, userPausedUntil > now { return false }
    opener = .user
    return true
  }

  /// The opener's response is the file.
  mutating func recordOpening() {
    failedOpeners = []
    passingFailure = nil
    recordSuccess(of: opener)
  }

  // MARK: The size of the file

  /// Records the size that a source says the file has.
  mutating func recordClaim(of id: SourceID, byteCount: Int64) {
    change(id) { $0.claimedByteCount = byteCount }
  }

  /// The source that says what the file is in place of the opener; nil while the opener does.
  ///
  /// Invariant: a mirror that contradicts the user's URL does not decide, and neither does one that
  /// contradicts a size for which more sources speak than for its own.
  ///
  /// - Parameter byteCount: the size that the opener has said.
  func decider(against byteCount: Int64) -> SourceID? {
    guard opener != .user else { return nil }
    if let claimed = self[.user]?.claimedByteCount { return claimed == byteCount ? nil : .user }
    let others = ids.filter { $0 != opener && self[$0]?.claimedByteCount != nil }
    func count(for byteCount: Int64?) -> Int {
      others.count { self[$0]?.claimedByteCount == byteCount }
    }
    return others.first { id in
      let claimed = self[id]?.claimedByteCount
      return claimed != byteCount && count(for: claimed) > count(for: byteCount) + 1
    }
  }

  /// Lets another source open the file. Those that contradict its size are not used again before
  /// the user starts the transfer.
  mutating func overrule(by id: SourceID, openerSaid byteCount: Int64) {
    recordClaim(of: opener, byteCount: byteCount)
    let right = self[id]?.claimedByteCount
    for other in ids {
      change(other) {
        guard let claimed = $0.claimedByteCount else { return }
        $0.standing = claimed == right ? .unproved : .lied
      }
    }
    failedOpeners = [opener]
    opener = id
    recordSuccess(of: id)
  }

  // MARK: What sources show

  mutating func redirect(
    _ id: SourceID, to url: TransferURL, redirects: RedirectChain
  ) {
    change(id) {
      $0.target = url
      $0.redirects = redirects
    }
  }

  mutating func recordProof(of id: SourceID, _ validator: Validator?) {
    change(id) {
      if case .unproved = $0.standing { $0.standing = .proved(validator) }
      $0.failureCount = 0
    }
  }

  /// Its bytes are those of another file: it is not used again before the user starts the transfer.
  mutating func recordLie(of id: SourceID) { change(id) { $0.standing = .lied } }

  /// Which source lies is not known; the opener decides what the file is.
  mutating func recordLieOfDelivering() {
    for id in ids where id != opener && self[id]?.hasDelivered == true { recordLie(of: id) }
  }

  /// Whether bytes in the partial file came from a source that serves another file.
  var hasBytesOfLiar: Bool { sources.contains { $0.standing == .lied && $0.hasDelivered } }

  mutating func recordMissingParts(of id: SourceID) {
    change(id) { if $0.standing != .lied { $0.standing = .withoutParts } }
  }

  /// Leaves a source out for a time that grows with each failure in a row.
  mutating func recordFailure(
    of id: SourceID, retryAfterMilliseconds: Int64? = nil, at now: MonotonicTime
  ) {
    change(id) {
      let doublings = min($0.failureCount, 20)
      let growing = min(Self.leftOutMillisecondsMin << doublings, Self.leftOutMillisecondsMax)
      let asked = min(retryAfterMilliseconds ?? 0, RetryPolicy.waitMillisecondsMax)
      $0.leftOutUntil = now.advanced(byMilliseconds: max(growing, asked))
      $0.failureCount += 1
    }
  }

  /// Leaves a source out for a moment, because its host accepts no more connections than it has.
  mutating func pause(_ id: SourceID, until: MonotonicTime) {
    change(id) { $0.leftOutUntil = until }
  }

  mutating func recordSuccess(of id: SourceID) {
    change(id) {
      $0.failureCount = 0
      $0.leftOutUntil = nil
    }
  }

  mutating func recordDelivery(of id: SourceID) { change(id) { $0.hasDelivered = true } }

  /// Records the present speed of a connection.
  mutating func recordSpeed(of id: SourceID, bytesPerSecond: Int64) {
    change(id) { $0.bytesPerSecond = bytesPerSecond }
  }

  /// Gives every source another chance, because the user wants the transfer to start.
  mutating func forgetFailures() {
    failedOpeners = []
    for index in sources.indices {
      sources[index].failureCount = 0
      sources[index].leftOutUntil = nil
      switch sources[index].standing {
      case .lied, .withoutParts: sources[index].standing = .unproved
      case .unproved, .proved: break
      }
    }
  }

  // MARK: The source of the next connection

  /// What the connections of a source are at present.
  struct Use: Sendable, Hashable {
    var fetching = 0
    var sampling = 0
  }

  /// Whether bytes of the source may be requested without a comparison first.
  func isProved(_ id: SourceID) -> Bool {
    if id == opener || isProvedByPieces { return true }
    if case .proved? = self[id]?.standing { return true }
    return false
  }

  /// How many sources should have a connection, whatever more connections add.
  func usefulCount(at now: MonotonicTime) -> Int {
    min(sources.count { $0.isUsable(at: now) }, Self.sourceCountAlways)
  }

  /// Whether any source may get a connection.
  ///
  /// - Parameter other: a source that does not count.
  func hasUsable(besides other: SourceID? = nil, at now: MonotonicTime) -> Bool {
    ids.contains { $0 != other && self[$0]?.isUsable(at: now) == true }
  }

  /// The sources for one more connection, the best one first: one that is proved and has none, one
  /// that is not proved, and then the one whose connections are the fastest for their number.
  func candidates(_ uses: [SourceID: Use], at now: MonotonicTime) -> [SourceID] {
    let usable = ids.filter { self[$0]?.isUsable(at: now) == true }
    let samplingCount = uses.values.reduce(0) { $0 + $1.sampling }
    let fresh = usable.filter { isProved($0) && uses[$0, default: Use()].fetching == 0 }
    let unproved = usable.filter { !isProved($0) && uses[$0, default: Use()].sampling == 0 }
    let used = usable.filter { isProved($0) && uses[$0, default: Use()].fetching > 0 }
    func share(_ id: SourceID) -> Int64 {
      (self[id]?.bytesPerSecond ?? 0) / Int64(uses[id, default: Use()].fetching + 1)
    }
    // Equal ones in their own order.
    let ordered = used.sorted { (share($1), $0.rawValue) < (share($0), $1.rawValue) }
    let sampled = samplingCount < Self.samplingCountMax ? unproved : []
    // Of the proved ones without a connection the fastest comes first.
    return fresh.sorted { (share($1), $0.rawValue) < (share($0), $1.rawValue) } + sampled + ordered
  }
}
