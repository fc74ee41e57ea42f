import KettleModel

/// What an attempt shall ask for, with only those headers that may go to that origin.
package struct AttemptPlan: Sendable, Hashable {
  package var attempt: AttemptID
  package var url: TransferURL
  /// Only addresses with at least this reach may be connected to.
  package var minimumReach: NetworkReach
  package var headers: [HeaderField]
  package var login: Login?
  /// The scheme that the server is known to want; nil when it has to be asked.
  package var loginScheme: ServerChallenge.Kind?
  package var caCertificatePath: String?
  package var trust: Trust
  package var certificate: ClientCertificate?
  /// nil asks for the whole file.
  package var asked: AskedRange?
  /// nil is a plain GET.
  package var content: RequestContent?

  /// Whom to believe that it is the server.
  package enum Trust: Sendable, Hashable {
    case system
    /// Servers with these keys, and others that the system trusts; those are shown to the program
    /// first when it wants to see them.
    case keys(Set<String>, asksForOthers: Bool)
  }

  init(
    attempt: AttemptID, url: TransferURL, redirects: RedirectChain, asked: AskedRange?,
    content: RequestContent? = nil, spec: TransferSpec
  ) {
    self.attempt = attempt
    self.url = url
    minimumReach = redirects.minimumReach
    self.asked = asked
    self.content = content
    // What the user gave was given for one origin; a redirect elsewhere goes without it.
    let isOwnOrigin = url.origin == spec.url.origin
    headers = isOwnOrigin ? spec.headers : []
    let credential = spec.task?.credential(for: url.origin)
    login = credential?.login ?? (isOwnOrigin ? spec.login : nil)
    loginScheme = credential?.login == nil ? nil : credential?.scheme
    certificate = credential?.certificate
    trust =
      spec.task == nil ? .system : .keys(credential?.trustedKeys ?? [], asksForOthers: false)
    caCertificatePath = spec.caCertificatePath
    // A range of the user's own would make every offset wrong.
    headers.removeAll { ["range", "if-range"].contains($0.name.lowercased()) }
    if content?.body == nil, spec.request?.body != nil {
      headers.removeAll { Self.headersOfBody.contains($0.name.lowercased()) }
    }
    headers += asked?.headers ?? []
  }

  /// A redirect that takes the body away takes what describes it, too (RFC 9110, section 15.4).
  private static let headersOfBody: Set<String> = [
    "content-encoding", "content-language", "content-length", "content-location", "content-type",
    "digest", "last-modified", "transfer-encoding",
  ]
}

/// Where the body of the first reply goes.
package enum BodyPlan: Sendable, Hashable {
  /// A new partial file.
  case create(NewFile)
  /// The partial file that is there; what is held stays.
  case goOn(ResumeData)

  package struct NewFile: Sendable, Hashable {
    package var preferredName: String
    package var total: Int64?
    package var validator: Validator?
    package var checksum: Checksum?
    package var mediaType: String?
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
      /// It is ours and goes when the new one is whole.
      case setAside
      /// Others changed it; it is theirs now.
      case leftAlone
    }
  }
}

/// How an attempt was over, with its bytes already in the kernel's hands.
package enum AttemptOutcome: Sendable, Hashable {
  /// The reply came to its end, or brought all that was wanted of it.
  case complete
  case cancelled
  case failed(TransferFailure)
  /// The program is to say whether it believes the server.
  case untrusted(TransferFailure, ServerChallenge)
  /// The server wants to see a certificate.
  case certificateWanted(TransferFailure)
}

/// Names for what the answer may begin.
package struct NextNames: Sendable, Hashable {
  package var attempt: AttemptID
  package var operation: OperationID

  package init(attempt: AttemptID, operation: OperationID) {
    self.attempt = attempt
    self.operation = operation
  }
}

/// What comes from outside of one transfer into its decisions.
package struct Circumstances: Sendable {
  package var retryPolicy: RetryPolicy
  /// 0…1, drawn by the caller.
  package var jitter: Double
  /// Connections at the same host, of all transfers, less the one that this is about.
  package var otherConnectionCount: Int
  package var network: NetworkState
  package var now: Moment

  package init(
    retryPolicy: RetryPolicy, jitter: Double, otherConnectionCount: Int, network: NetworkState,
    now: Moment
  ) {
    self.retryPolicy = retryPolicy
    self.jitter = jitter
    self.otherConnectionCount = otherConnectionCount
    self.network = network
    self.now = now
  }
}
