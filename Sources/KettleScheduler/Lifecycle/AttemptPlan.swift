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
  package var asked: RequestedRange?
  /// nil means a plain GET.
  package var content: RequestContent?

  /// How the server's identity is verified.
  package enum Trust: Sendable, Hashable {
    case system
    /// Servers with these keys, and others that the system trusts; the program judges those first
    /// if it wants to.
    case keys(Set<String>, asksForOthers: Bool)
  }

  init(
    attempt: AttemptID, url: TransferURL, redirects: RedirectChain, asked: RequestedRange?,
    content: RequestContent? = nil, spec: TransferSpec
  ) {
    self.attempt = attempt
    self.url = url
    minimumReach = redirects.minimumReach
    self.asked = asked
    self.content = content
    // The user's headers and login are for one origin; a redirect elsewhere goes without them.
    let isOwnOrigin = url.origin == spec.url.origin
    headers = isOwnOrigin ? spec.headers : []
    let credential = spec.task?.credential(for: url.origin)
    login = credential?.login ?? (isOwnOrigin ? spec.login : nil)
    loginScheme = credential?.login == nil ? nil : credential?.scheme
    certificate = credential?.certificate
    trust =
      spec.task == nil ? .system : .keys(credential?.trustedKeys ?? [], asksForOthers: false)
    caCertificatePath = spec.caCertificatePath
    // A range set by the user would make every offset wrong.
    headers.removeAll { ["range", "if-range"].contains($0.name.lowercased()) }
    if content?.body == nil, spec.request?.body != nil {
      headers.removeAll { Self.headersOfBody.contains($0.name.lowercased()) }
    }
    headers += asked?.headers ?? []
  }

  /// A redirect that drops the body drops the headers that describe it (RFC 9110, section 15.4).
  private static let headersOfBody: Set<String> = [
    "content-encoding", "content-language", "content-length", "content-location", "content-type",
    "digest", "last-modified", "transfer-encoding",
  ]
}

/// Where the body of the first reply is written.
package enum BodyPlan: Sendable, Hashable {
  /// A new partial file.
  case create(NewFile)
  /// The existing partial file; durable bytes stay.
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
      /// It is ours and is deleted when the new one is whole.
      case setAside
      /// Another program changed it; it no longer belongs to Kettle.
      case leftAlone
    }
  }
}

/// How an attempt ended. Its bytes have already been passed to the kernel.
package enum AttemptOutcome: Sendable, Hashable {
  /// The reply ended, or delivered everything that was wanted from it.
  case complete
  case cancelled
  case failed(TransferFailure)
  /// The program must decide whether to trust the server.
  case untrusted(TransferFailure, ServerChallenge)
  /// The server requires a client certificate.
  case certificateWanted(TransferFailure)
}

/// Identifiers for whatever the next step begins.
package struct NextNames: Sendable, Hashable {
  package var attempt: AttemptID
  package var operation: OperationID

  package init(attempt: AttemptID, operation: OperationID) {
    self.attempt = attempt
    self.operation = operation
  }
}

/// Circumstances outside of one transfer that affect its decisions.
package struct Circumstances: Sendable {
  package var retryPolicy: RetryPolicy
  /// 0…1, drawn by the caller.
  package var jitter: Double
  /// Connections of all transfers to the same host, without the one being judged.
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
