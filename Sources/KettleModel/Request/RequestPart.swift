/// One thing that a request for a transfer says. The raw value is the name of the property of
/// `TransferSpec` or `TransferOptions` (`url` is that of the source); a test compares both with
/// these cases, so that no property can be added without a decision here. What a document has said
/// of the file (`described`) is not part of a request.
public enum RequestPart: String, Sendable, Codable, CaseIterable {
  case url, session, title, directory, name, connections, headers, login, checksum
  case caCertificatePath, trustedServers, limitBytesPerSecond, notBefore, priority, onConflict
  case beginning, request, task
  case silenceSeconds, connectSeconds, attemptsMax, retryDelaySeconds, proxy, cookies, certificate
  case usesNetrc, keepsServerTime, permissions, makesDirectory, mirrors, unpacks, continues,
    checksumURL, isAsIs, variant
  case queue, rpc, then, chosen, rule, collection, store, page

  /// Until when a transfer on the list can take over what a new request says.
  public enum Reach: Sendable, Hashable {
    /// Always.
    case always
    /// Always; the finished file is compared with it.
    case comparedWithFile
    /// Until the file is complete. What runs continues with it.
    case untilComplete
    /// Until the file is complete. What runs makes its requests again.
    case untilCompleteByNewRequests
    /// Until the first byte arrives: it decides what is fetched.
    case untilFirstByte
    /// Before the start.
    case untilStart
    /// Never: a request that says something else means another transfer.
    case never
    /// It follows from other parts or from the circumstances of the request. No option asks for it.
    case implied
  }

  public var reach: Reach { rule.reach }

  /// How the part is compared and taken over, and until when.
  fileprivate var rule: PartRule {
    switch self {
    case .url: .never { $0.url != $1.url }
    case .session: .never { $0.session != $1.session }
    case .title: PartRule(\.title, .always, giving: .title)
    case .directory: .never { $0.directory != nil && !$0.isInSamePlace(as: $1) }
    case .name: .never { $0.name != nil && $0.name?.text != $1.name?.text }
    case .connections:
      PartRule(\.connections, .untilCompleteByNewRequests, giving: .connections)
    case .headers: PartRule(\.headers, unless: [], .untilCompleteByNewRequests)
    case .login: PartRule(\.login, .untilCompleteByNewRequests)
    // One given as digits counts more than one in a list.
    case .checksum: PartRule(\.checksum, .comparedWithFile) { $0.options.checksumURL = nil }
    case .caCertificatePath: PartRule(\.caCertificatePath, .untilCompleteByNewRequests)
    case .trustedServers: PartRule(addedTo: \.trustedServers, .untilCompleteByNewRequests)
    case .limitBytesPerSecond: PartRule(\.limitBytesPerSecond, .untilComplete, giving: .limit)
    case .notBefore: PartRule(\.notBefore, .untilStart)
    case .priority: PartRule(\.priority, unless: .normal, .untilComplete, giving: .priority)
    case .onConflict: PartRule(\.onConflict, unless: .rename, .untilComplete, giving: .onConflict)
    case .request: .never { $0.request != nil && $0.request != $1.request }
    case .task: .never { $0.task != $1.task }
    case .silenceSeconds: PartRule(\.options.silenceSeconds, .untilCompleteByNewRequests)
    case .connectSeconds: PartRule(\.options.connectSeconds, .untilCompleteByNewRequests)
    case .attemptsMax: PartRule(\.options.attemptsMax, .untilComplete)
    case .retryDelaySeconds: PartRule(\.options.retryDelaySeconds, .untilComplete)
    case .proxy: PartRule(\.options.proxy, .untilCompleteByNewRequests)
    case .cookies: PartRule(\.options.cookies, unless: [], .untilCompleteByNewRequests)
    case .certificate: PartRule(\.options.certificate, .untilCompleteByNewRequests)
    case .usesNetrc: PartRule(\.options.usesNetrc, .untilCompleteByNewRequests)
    case .keepsServerTime:
      PartRule(\.options.keepsServerTime, unless: false, .untilComplete, giving: .serverTime)
    case .mirrors:
      PartRule(
        addedTo: \.options.mirrors, countMax: TransferOptions.mirrorCountMax,
        .untilCompleteByNewRequests)
    case .unpacks: PartRule(\.options.unpacks, unless: false, .untilFirstByte, giving: .unpacking)
    // A transfer that has bytes of its own always continues with those.
    case .continues: PartRule(\.options.continues, unless: false, .always)
    // The list says what is expected.
    case .checksumURL:
      PartRule(\.options.checksumURL, .untilCompleteByNewRequests) { $0.checksum = nil }
    case .isAsIs: PartRule(\.options.isAsIs, unless: false, .untilFirstByte)
    case .variant: PartRule(\.options.variant, .untilFirstByte)
    case .queue: .queue
    case .rpc: .never { $0.options.rpc != nil && $0.options.rpc != $1.options.rpc }
    case .then: PartRule(\.options.then, .untilComplete)
    case .collection:
      .never { $0.options.collection?.source != $1.options.collection?.source }
    // Keys that have expired are replaced by adding the transfer again.
    case .store: PartRule(\.options.store, .untilComplete)
    case .page: PartRule(\.options.page, .untilComplete)
    case .beginning, .permissions, .makesDirectory, .chosen, .rule: .implied
    }
  }
}

/// How a new request for the URL of a transfer changes one part of it.
private struct PartRule {
  let reach: RequestPart.Reach
  /// Whether a request asks for something that the stored one does not have.
  let differs: (_ asked: TransferSpec, _ stored: TransferSpec) -> Bool
  /// Takes over what a request says, if that is possible.
  var take: (_ stored: inout TransferSpec, _ asked: TransferSpec) -> Void = { _, _ in }
  /// The property that the configuration file may give.
  var property: ConfiguredProperty?
}

extension PartRule {
  /// A value that asks for nothing when it is missing.
  init<Value: Equatable>(
    _ value: WritableKeyPath<TransferSpec, Value?>, _ reach: RequestPart.Reach,
    giving property: ConfiguredProperty? = nil,
    also: @escaping (inout TransferSpec) -> Void = { _ in }
  ) {
    self.init(
      reach: reach,
      differs: { $0[keyPath: value] != nil && $0[keyPath: value] != $1[keyPath: value] },
      take: {
        $0[keyPath: value] = $1[keyPath: value]
        also(&$0)
      }, property: property)
  }

  /// A value whose standard counts only if it was chosen.
  init<Value: Equatable>(
    _ value: WritableKeyPath<TransferSpec, Value>, unless standard: Value,
    _ reach: RequestPart.Reach, giving property: ConfiguredProperty? = nil
  ) {
    self.init(
      reach: reach,
      differs: { asked, stored in
        asked[keyPath: value] != stored[keyPath: value]
          && (asked[keyPath: value] != standard || asked.hasChosen(property))
      }, take: { $0[keyPath: value] = $1[keyPath: value] }, property: property)
  }

  /// A list that others are added to.
  init<Value: Equatable>(
    addedTo list: WritableKeyPath<TransferSpec, [Value]>, countMax: Int = .max,
    _ reach: RequestPart.Reach
  ) {
    self.init(
      reach: reach, differs: { !$0[keyPath: list].allSatisfy($1[keyPath: list].contains) },
      take: { stored, asked in
        let known = stored[keyPath: list]
        let new = asked[keyPath: list].filter { !known.contains($0) }
        stored[keyPath: list] = Array((known + new).prefix(countMax))
      })
  }

  static var implied: PartRule { PartRule(reach: .implied, differs: { _, _ in false }) }

  static func never(
    _ differs: @escaping (_ asked: TransferSpec, _ stored: TransferSpec) -> Bool
  ) -> PartRule {
    PartRule(reach: .never, differs: differs)
  }

  /// A task has no queue, and a missing name is that of the standard one.
  static var queue: PartRule {
    PartRule(
      reach: .untilComplete,
      differs: { $0.queue != $1.queue && ($0.queue != .standard || $0.hasChosen(.queue)) },
      take: { $0.options.queue = $1.options.queue }, property: .queue)
  }
}

extension TransferSpec {
  /// Whether both have the same directory. Buckets with the same name on two services are different
  /// buckets.
  fileprivate func isInSamePlace(as other: TransferSpec) -> Bool {
    let endpoint = options.store?.endpoint
    return directory == other.directory
      && (endpoint == nil || endpoint == other.options.store?.endpoint)
  }

  fileprivate func hasChosen(_ property: ConfiguredProperty?) -> Bool {
    property.map(options.chosen.contains) ?? false
  }

  /// Whether a request asks for something in this part that `stored` does not have.
  func differs(from stored: TransferSpec, in part: RequestPart) -> Bool {
    part.rule.differs(self, stored)
  }

  /// Takes over what another request says in this part. Parts that cannot be taken over stay.
  mutating func take(_ part: RequestPart, from other: TransferSpec) {
    let rule = part.rule
    rule.take(&self, other)
    guard let property = rule.property else { return }
    options.recordChoice(property, isStandard: other.options.chosen.contains(property))
  }
}

/// What a new request for the URL of a transfer asks that the transfer was not asked: every part of
/// it, so that no option of a command can be dropped.
///
///     let difference = RequestDifference(from: stored, at: path, to: asked)
///     if difference.isForAnotherFile { add(asked) }
public struct RequestDifference: Hashable, Sendable {
  /// In the order of `RequestPart`.
  public let parts: [RequestPart]
  private let asked: TransferSpec

  /// - Parameters:
  ///   - stored: the request of the transfer, as the service has completed it.
  ///   - path: where its file is or will be; nil if that is not known.
  ///   - asked: the new request.
  public init(from stored: TransferSpec, at path: String?, to asked: TransferSpec) {
    self.asked = asked
    parts = RequestPart.allCases.filter { part in
      asked.differs(from: stored, in: part) && !Self.isMet(part, of: asked, by: path)
    }
  }

  /// Whether a file is where a request wants it. The name may come from the server, and the
  /// directory from a rule.
  private static func isMet(
    _ part: RequestPart, of asked: TransferSpec, by path: String?
  ) -> Bool {
    guard let path, let slash = path.lastIndex(of: "/") else { return false }
    if part == .directory { return asked.directory.map { $0 == path[..<slash] } ?? true }
    return part == .name && asked.name.map { $0.text == path[slash...].dropFirst() } ?? true
  }

  public var isEmpty: Bool { parts.isEmpty }

  /// Whether the request means another file than the transfer's.
  public var isForAnotherFile: Bool { parts.contains { $0.reach == .never } }

  /// The checksum that a finished file must be compared with; nil without a new one.
  public var checksum: Checksum? { parts.contains(.checksum) ? asked.checksum : nil }

  /// Whether requests that were made are to be made again.
  public var needsNewRequests: Bool {
    parts.contains { $0.reach == .untilCompleteByNewRequests || $0.reach == .untilFirstByte }
  }

  /// How far a transfer is.
  public enum Progress: Sendable, Hashable {
    /// It stands still until the user or a date starts it.
    case standing(hasBytes: Bool)
    /// It runs, or will by itself.
    case underWay(hasBytes: Bool)
    case complete
  }

  /// The parts that a transfer cannot take over any more.
  public func parts(tooLateAt progress: Progress) -> [RequestPart] {
    parts.filter { part in
      // The proxies of an environment apply to a request without being asked for.
      if part == .proxy, case .environment? = asked.options.proxy, progress == .complete {
        return false
      }
      return switch part.reach {
      case .always, .comparedWithFile, .implied: false
      case .untilComplete, .untilCompleteByNewRequests: progress == .complete
      case .untilFirstByte: progress.hasBytes
      case .untilStart: !progress.stands
      case .never: true
      }
    }
  }

  /// Returns the stored request with everything that is asked.
  public func applied(to stored: TransferSpec) -> TransferSpec {
    var spec = stored
    for part in parts { spec.take(part, from: asked) }
    return spec
  }
}

extension RequestDifference.Progress {
  fileprivate var hasBytes: Bool {
    switch self {
    case .standing(let hasBytes), .underWay(let hasBytes): hasBytes
    case .complete: true
    }
  }

  fileprivate var stands: Bool {
    switch self {
    case .standing: true
    case .underWay, .complete: false
    }
  }
}
