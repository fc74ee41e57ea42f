import KettleModel

/// The request of an attempt, with only those headers that may be sent to that origin.
package struct AttemptPlan: Sendable, Hashable {
  package var attempt: AttemptID
  package var url: TransferURL
  /// Only addresses with at least this reach may be connected to.
  package var minimumReach: NetworkReach
  package var headers: [HeaderField]
  package var login: Login?
  /// The scheme that the server is known to use; nil when it must be discovered.
  package var loginScheme: ServerChallenge.Kind?
  package var caCertificatePath: String?
  package var trust: Trust
  package var certificate: ClientCertificate?
  /// nil requests the whole file.
  package var requested: RequestedRange?
  /// nil means a plain GET.
  package var content: RequestContent?
  /// Whether the URL is a directory of a server of files, whose list is requested.
  package var listsDirectory = false
  /// Whether a connection that was kept may carry the request.
  package var reuse = ConnectionReuse.permitted
  package var streamUse = StreamUse.none
  /// How often the time that the server may be silent is doubled, because it was silent before.
  package var patienceDoublings = 0

  /// The limit is sixteen times the usual silence.
  static let patienceDoublingsMax = 4

  /// How the server's identity is verified.
  package enum Trust: Sendable, Hashable {
    case system
    /// Servers with these keys, and others that the system trusts; the program judges those first
    /// if it wants to.
    case keys(Set<String>, asksForOthers: Bool)

    /// A transfer trusts the system unless its user or program has decided otherwise: connections
    /// that are verified by keys are not shared.
    init(in spec: TransferSpec, origin: Origin, check: ServerCheck) {
      let keys =
        spec.task.map { $0.credential(for: origin)?.trustedKeys ?? [] }
        ?? Set(spec.trustedServers.filter { $0.origin == origin.text }.map(\.key))
      switch check {
      case .usual where keys.isEmpty: self = .system
      case .usual, .inspection: self = .keys(keys, asksForOthers: false)
      }
    }

    /// - Parameter asks: whether the program also judges servers that the system trusts.
    func adapted(toAsking asks: Bool) -> Trust {
      switch self {
      case .system: asks ? .keys([], asksForOthers: true) : .system
      case .keys(let keys, _): .keys(keys, asksForOthers: asks)
      }
    }
  }

  init(
    attempt: AttemptID, url: TransferURL, redirects: RedirectChain, requested: RequestedRange?,
    content: RequestContent? = nil, check: ServerCheck = .usual,
    purpose: RequestPurpose = .file, facts: TransferFacts
  ) {
    let spec = facts.requestSpec
    self.attempt = attempt
    self.url = url
    minimumReach = redirects.minimumReach
    self.requested = requested
    self.content = content
    // The user's headers and login are for one origin; a redirect elsewhere goes without them.
    let isOwnOrigin = url.origin == spec.url.origin
    headers = isOwnOrigin ? spec.headers : []
    let credential = spec.task?.credential(for: url.origin)
    login = spec.login(for: url.origin)
    loginScheme = credential?.login == nil ? nil : credential?.scheme
    certificate = credential?.certificate ?? (isOwnOrigin ? spec.options.certificate : nil)
    trust = Trust(in: spec, origin: url.origin, check: check)
    caCertificatePath = spec.caCertificatePath
    // A range set by the user would make every offset wrong, and another framing the next request.
    headers.removeAll { HeaderField.namesOfFraming.contains($0.name.lowercased()) }
    if content?.body == nil, spec.request?.body != nil { removeHeadersOfBody() }
    headers += requested?.headers ?? []
    addUploadHeaders(for: purpose, facts)
    // libcurl repeats a request if a kept connection breaks before the response begins. By then the
    // server has some of these bytes, and refuses the same offset.
    if case .uploadRest = purpose { reuse = .none }
    // The same connection would lead to the wrong server again.
    if facts.lastFailure?.isMisdirected == true { reuse = .none }
    addCookies(of: facts)
    // The time that a program sets is a bound.
    if spec.task?.requestTimeoutMilliseconds == nil {
      patienceDoublings = min(facts.repetitions.silentAttemptCount, Self.patienceDoublingsMax)
    }
  }

  /// Adds what makes an upload resumable. A request to the upload resource is another one than that
  /// of the program: it has neither its conditions nor the headers that describe its body.
  private mutating func addUploadHeaders(for purpose: RequestPurpose, _ facts: TransferFacts) {
    switch purpose {
    case .uploadOffset, .uploadRest:
      removeHeadersOfBody()
      headers.removeAll {
        $0.name.lowercased().hasPrefix("if-") || $0.name.lowercased() == "expect"
      }
    case .file, .document, .segment: break
    }
    headers += facts.uploadHeaders(for: purpose, content)
  }

  private mutating func removeHeadersOfBody() {
    headers.removeAll { Self.headersOfBody.contains($0.name.lowercased()) }
  }

  /// Adds the cookies that belong to the URL to those that the user gave as a header.
  private mutating func addCookies(of facts: TransferFacts) {
    let pairs =
      facts.redirectCookies.pairs(for: url)
      + facts.spec.options.cookies.filter { $0.belongs(to: url) }.map(\.pair)
    guard !pairs.isEmpty else { return }
    let given = headers.firstIndex { $0.name.lowercased() == "cookie" }
    let values = given.map { [headers.remove(at: $0).value] } ?? []
    let value = (values + pairs).joined(separator: "; ")
    if let header = HeaderField(name: "Cookie", value: value) { headers.append(header) }
  }

  /// A redirect that drops the body drops the headers that describe it (RFC 9110, section 15.4).
  private static let headersOfBody: Set<String> = [
    "content-encoding", "content-language", "content-length", "content-location", "content-type",
    "digest", "last-modified", "transfer-encoding",
  ]
}

extension TransferSpec {
  /// The login to send to an origin. The user's own is for the origin of the URL.
  func login(for origin: Origin) -> Login? {
    task?.credential(for: origin)?.login ?? (origin == url.origin ? login : nil)
  }
}

/// How an attempt ended. Its bytes have already been passed to the kernel.
package enum AttemptOutcome: Sendable, Hashable {
  /// The reply ended, or delivered everything that was wanted from it.
  case complete
  /// The same for a reply that was held in memory.
  case document(ArrivedDocument)
  case cancelled
  case failed(TransferFailure)
  /// The program must decide whether to trust the server.
  case untrusted(TransferFailure, ServerChallenge)
  /// The server requires a client certificate.
  case certificateWanted(TransferFailure)
}

/// Whether a connection that an earlier attempt has left open may carry a request.
package enum ConnectionReuse: Sendable, Hashable {
  case permitted
  /// It may be dead: a new one is opened.
  case none
}

/// What the first attempt of a run requests.
package enum RequestMode: Sendable, Hashable {
  /// What the record allows: the first gap, proved by the validator or by an overlap.
  case resuming
  case proving(RequestedRange.Proof)
  /// The whole file; durable bytes are compared with it and kept.
  case comparing
  /// The whole file into a new partial file; the durable bytes are useless.
  case fresh(FreshStartReason)
}

/// How the first attempt of a run verifies the server.
package enum ServerCheck: Sendable, Hashable {
  /// By the authorities of the system, or by the keys that the user trusts.
  case usual
  /// After a refusal: reads the certificate and sends nothing, unless the system trusts it now.
  case inspection
}

/// Another first attempt in the same slot.
package struct NextRequest: Sendable, Hashable {
  package var url: TransferURL
  package var redirects: RedirectChain
  package var mode: RequestMode
  /// nil means a plain GET.
  package var content: RequestContent?
  package var check = ServerCheck.usual
  package var purpose = RequestPurpose.file
  package var streamUse = StreamUse.none
}

/// Where the body of the first response is written.
package enum BodyPlan: Sendable, Hashable {
  /// A new partial file.
  case create(NewFile)
  /// The existing partial file; durable bytes stay.
  case goOn(ResumeData)

  /// Whether opening the file removes bytes that a crash, or an earlier version, has left behind
  /// the durable ones. A file that was closed is intact.
  package var cutsFile: Bool {
    switch self {
    case .create: false
    case .goOn(let resumeData): resumeData.lastWriteNanoseconds == nil
    }
  }

  package struct NewFile: Sendable, Hashable {
    package var preferredName: String
    package var total: Int64?
    package var validator: Validator?
    package var checksum: Checksum?
    package var mediaType: String?
    /// How the body is compressed; nil if it is not.
    package var contentCoding: String?
    /// Whether a file that another program has left under the name is continued.
    package var continues = false
    /// The partial file of another version, whose final name the new one takes over.
    package var old: Old?

    package init(
      preferredName: String, total: Int64?, validator: Validator?, checksum: Checksum? = nil,
      mediaType: String? = nil, old: Old? = nil
    ) {
      self.preferredName = preferredName
      self.total = total
      self.validator = validator
      self.checksum = checksum
      self.mediaType = mediaType
      self.old = old
    }
  }

  package struct Old: Sendable, Hashable {
    package var resumeData: ResumeData
    package var fate: Fate

    package enum Fate: Sendable, Hashable {
      /// It is ours and is deleted when the new one is whole.
      case setAside
      /// Another program changed it; it no longer belongs to Kettle.
      case leftAlone
    }
  }
}
