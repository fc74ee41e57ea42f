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
  case queue, rpc, then, chosen, rule

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

  public var reach: Reach {
    switch self {
    // A transfer that has bytes of its own always continues with those.
    case .title, .continues: .always
    case .checksum: .comparedWithFile
    case .limitBytesPerSecond, .priority, .onConflict, .attemptsMax, .retryDelaySeconds,
      .keepsServerTime, .queue, .then:
      .untilComplete
    case .connections, .headers, .login, .caCertificatePath, .trustedServers, .silenceSeconds,
      .connectSeconds, .proxy, .cookies, .certificate, .usesNetrc, .mirrors, .checksumURL:
      .untilCompleteByNewRequests
    case .unpacks, .isAsIs, .variant: .untilFirstByte
    case .notBefore: .untilStart
    case .url, .session, .directory, .name, .request, .task, .rpc: .never
    case .beginning, .permissions, .makesDirectory, .chosen, .rule: .implied
    }
  }
}

extension TransferSpec {
  /// Whether a request asks for something in this part that `stored` does not have.
  func differs(from stored: TransferSpec, in part: RequestPart) -> Bool {
    switch part {
    case .url: url != stored.url
    case .session: session != stored.session
    case .title: asks(title, stored.title)
    case .directory: asks(directory, stored.directory)
    case .name: asks(name?.text, stored.name?.text)
    case .connections: asks(connections, stored.connections)
    case .headers: !headers.isEmpty && headers != stored.headers
    case .login: asks(login, stored.login)
    case .checksum: asks(checksum, stored.checksum)
    case .caCertificatePath: asks(caCertificatePath, stored.caCertificatePath)
    case .trustedServers: !trustedServers.allSatisfy(stored.trustedServers.contains)
    case .limitBytesPerSecond: asks(limitBytesPerSecond, stored.limitBytesPerSecond)
    case .notBefore: asks(notBefore, stored.notBefore)
    case .priority: asks(priority, stored.priority, unless: .normal, choosing: .priority)
    case .onConflict: asks(onConflict, stored.onConflict, unless: .rename, choosing: .onConflict)
    case .beginning: beginning != .queued && beginning != stored.beginning
    case .request: asks(request, stored.request)
    case .task: task != stored.task
    case .silenceSeconds, .connectSeconds, .attemptsMax, .retryDelaySeconds, .proxy, .cookies,
      .certificate, .usesNetrc, .keepsServerTime, .permissions, .makesDirectory, .mirrors,
      .unpacks, .continues, .checksumURL, .isAsIs, .variant, .queue, .rpc, .then, .chosen, .rule:
      differsInOptions(from: stored, in: part)
    }
  }

  private func differsInOptions(from stored: TransferSpec, in part: RequestPart) -> Bool {
    let (new, old) = (options, stored.options)
    return switch part {
    case .silenceSeconds: asks(new.silenceSeconds, old.silenceSeconds)
    case .connectSeconds: asks(new.connectSeconds, old.connectSeconds)
    case .attemptsMax: asks(new.attemptsMax, old.attemptsMax)
    case .retryDelaySeconds: asks(new.retryDelaySeconds, old.retryDelaySeconds)
    case .proxy: asks(new.proxy, old.proxy)
    case .cookies: !new.cookies.isEmpty && new.cookies != old.cookies
    case .certificate: asks(new.certificate, old.certificate)
    case .usesNetrc: asks(new.usesNetrc, old.usesNetrc)
    case .keepsServerTime:
      asks(new.keepsServerTime, old.keepsServerTime, unless: false, choosing: .serverTime)
    case .permissions: asks(new.permissions, old.permissions)
    case .makesDirectory: new.makesDirectory && !old.makesDirectory
    case .mirrors: !new.mirrors.allSatisfy(old.mirrors.contains)
    case .unpacks: asks(new.unpacks, old.unpacks, unless: false, choosing: .unpacking)
    case .continues: new.continues && !old.continues
    case .checksumURL: asks(new.checksumURL, old.checksumURL)
    case .isAsIs: new.isAsIs && !old.isAsIs
    case .variant: asks(new.variant, old.variant)
    case .queue: asks(queue, stored.queue, unless: .standard, choosing: .queue)
    case .rpc: asks(new.rpc, old.rpc)
    case .then: asks(new.then, old.then)
    case .chosen: !new.chosen.isSubset(of: old.chosen)
    case .rule: asks(new.rule, old.rule)
    case .url, .session, .title, .directory, .name, .connections, .headers, .login, .checksum,
      .caCertificatePath, .trustedServers, .limitBytesPerSecond, .notBefore, .priority,
      .onConflict, .beginning, .request, .task:
      false
    }
  }

  /// Whether a value is asked for that is another one.
  private func asks<Value: Equatable>(_ asked: Value?, _ stored: Value?) -> Bool {
    asked != nil && asked != stored
  }

  /// The standard value counts only if it was chosen.
  private func asks<Value: Equatable>(
    _ asked: Value, _ stored: Value, unless standard: Value, choosing property: ConfiguredProperty
  ) -> Bool {
    asked != stored && (asked != standard || options.chosen.contains(property))
  }
}

extension TransferSpec {
  /// Takes over what another request says in this part. Parts that cannot be taken over stay.
  mutating func take(_ part: RequestPart, from other: TransferSpec) {
    switch part {
    case .title: title = other.title
    case .connections: connections = other.connections
    case .headers: headers = other.headers
    case .login: login = other.login
    case .checksum:
      checksum = other.checksum
      // One given as digits counts more than one in a list.
      options.checksumURL = nil
    case .caCertificatePath: caCertificatePath = other.caCertificatePath
    case .trustedServers:
      trustedServers += other.trustedServers.filter { !trustedServers.contains($0) }
    case .limitBytesPerSecond: limitBytesPerSecond = other.limitBytesPerSecond
    case .notBefore: notBefore = other.notBefore
    case .priority: priority = other.priority
    case .onConflict: onConflict = other.onConflict
    case .silenceSeconds: options.silenceSeconds = other.options.silenceSeconds
    case .connectSeconds: options.connectSeconds = other.options.connectSeconds
    case .attemptsMax: options.attemptsMax = other.options.attemptsMax
    case .retryDelaySeconds: options.retryDelaySeconds = other.options.retryDelaySeconds
    case .proxy: options.proxy = other.options.proxy
    case .cookies: options.cookies = other.options.cookies
    case .certificate: options.certificate = other.options.certificate
    case .usesNetrc: options.usesNetrc = other.options.usesNetrc
    case .keepsServerTime: options.keepsServerTime = other.options.keepsServerTime
    case .mirrors:
      let new = other.options.mirrors.filter { !options.mirrors.contains($0) }
      options.mirrors = Array((options.mirrors + new).prefix(TransferOptions.mirrorCountMax))
    case .unpacks: options.unpacks = other.options.unpacks
    case .continues: options.continues = other.options.continues
    case .checksumURL:
      options.checksumURL = other.options.checksumURL
      // The list says what is expected.
      checksum = nil
    case .isAsIs: options.isAsIs = other.options.isAsIs
    case .variant: options.variant = other.options.variant
    case .queue: options.queue = other.options.queue
    case .then: options.then = other.options.then
    case .url, .session, .directory, .name, .beginning, .request, .task, .permissions,
      .makesDirectory, .rpc, .chosen, .rule:
      return
    }
    guard let property = part.property else { return }
    options.recordChoice(property, isStandard: other.options.chosen.contains(property))
  }
}

extension RequestPart {
  /// The property that the configuration file may give; nil if it gives none.
  fileprivate var property: ConfiguredProperty? {
    switch self {
    case .title: .title
    case .limitBytesPerSecond: .limit
    case .priority: .priority
    case .connections: .connections
    case .queue: .queue
    case .onConflict: .onConflict
    case .keepsServerTime: .serverTime
    case .unpacks: .unpacking
    case .directory: .directory
    case .url, .session, .name, .headers, .login, .checksum, .caCertificatePath, .trustedServers,
      .notBefore, .beginning, .request, .task, .silenceSeconds, .connectSeconds, .attemptsMax,
      .retryDelaySeconds, .proxy, .cookies, .certificate, .usesNetrc, .permissions,
      .makesDirectory, .mirrors, .continues, .checksumURL, .isAsIs, .variant, .rpc, .then,
      .chosen, .rule:
      nil
    }
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
      switch part.reach {
      case .implied: return false
      case .always, .comparedWithFile, .untilComplete, .untilCompleteByNewRequests,
        .untilFirstByte, .untilStart, .never:
        break
      }
      return asked.differs(from: stored, in: part) && !Self.isMet(part, of: asked, by: path)
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
