import KettleModel

/// The request for one HTTP exchange.
package struct AttemptRequest: Sendable, Hashable {
  package var id: AttemptID
  /// All attempts of one transfer share its speed limit.
  package var transfer: TransferID
  package var url: TransferURL
  /// An attempt that would connect to an address with less reach fails with `redirectRefused`
  /// before anything is sent.
  package var minimumReach: NetworkReach
  /// As sent, including Range and If-Range.
  package var headers: [HeaderField]
  /// Sent with whatever authentication scheme the server requests, unless that is known.
  package var login: Login?
  /// The scheme that the server requested before. With it, no body is sent only to be refused.
  package var loginScheme: ServerChallenge.Kind?
  package var caCertificatePath: String?
  package var timeouts: AttemptTimeouts
  /// nil is a GET.
  package var content: RequestContent?
  package var serverTrust: ServerTrust
  package var certificate: ClientCertificate?
  /// The transfer's limit, as in `limit`.
  package var limitBytesPerSecond: Int64?
  /// Whether the URL is a directory of a server of files, whose list is requested.
  package var listsDirectory = false
  /// Whether a connection that an earlier attempt has left open may be used.
  package var reuse = Reuse.permitted
  package var version = Version.http1
  /// nil means the transport's proxies.
  package var proxy: ProxyChoice?
  /// A file that may supply the login of the host, in the format of netrc(5); nil for none.
  package var netrcPath: String?
  /// Whether `measured` is reported.
  package var isMeasured = false

  package init(
    id: AttemptID, transfer: TransferID, url: TransferURL,
    minimumReach: NetworkReach = .machine, headers: [HeaderField] = [], login: Login? = nil,
    loginScheme: ServerChallenge.Kind? = nil,
    caCertificatePath: String? = nil,
    timeouts: AttemptTimeouts = AttemptTimeouts(), content: RequestContent? = nil,
    serverTrust: ServerTrust = .system, certificate: ClientCertificate? = nil,
    limitBytesPerSecond: Int64? = nil
  ) {
    self.id = id
    self.transfer = transfer
    self.url = url
    self.minimumReach = minimumReach
    self.headers = headers
    self.login = login
    self.loginScheme = loginScheme
    self.caCertificatePath = caCertificatePath
    self.timeouts = timeouts
    self.content = content
    self.serverTrust = serverTrust
    self.certificate = certificate
    self.limitBytesPerSecond = limitBytesPerSecond
  }
}

extension AttemptRequest {
  package enum Reuse: Sendable, Hashable {
    case permitted
    /// A connection that was kept may be dead: a new one is opened.
    case none
  }
}

extension AttemptRequest {
  package enum Version: Sendable, Hashable {
    case http1
    /// HTTP/2 over TLS, on a connection that other such attempts share; HTTP/1.1 where the server
    /// does not have it.
    case http2IfOffered
  }
}

/// Which server certificates are trusted before anything is sent.
package enum ServerTrust: Sendable, Hashable {
  /// Certificates signed by the system's authorities or those of the request.
  case system
  /// Certificates with one of these keys (`OriginCredential.trustedKeys`), whoever signed them.
  /// Others that the system trusts are accepted too, unless `asksForOthers` is set. An untrusted
  /// certificate ends the attempt with `untrusted` before anything is sent.
  case keys(Set<String>, asksForOthers: Bool)
}

package struct AttemptTimeouts: Sendable, Hashable {
  /// Name look-up, connection and TLS together.
  package var connectMilliseconds: Int64 = 30_000
  /// A connection that is not established within this time is opened again from the beginning: the
  /// kernel repeats an unanswered request for a connection after ever longer times. nil for one
  /// attempt that takes as long as it may, which also tries the other addresses of the host.
  package var establishMilliseconds: Int64?
  /// The longest silence before the head and between two pieces of the body
  /// (`timeoutIntervalForRequest`). A paused attempt does not count as silent.
  package var idleMilliseconds: Int64 = 60_000
  /// From the request to the end of the head: a head that arrives line by line now and then is not
  /// silent.
  package var headMilliseconds: Int64 = 120_000
  /// Abandons a body that delivers fewer than `slowByteCount` bytes in this time. Time spent
  /// throttled or waiting for the sink is excluded.
  package var slowMilliseconds: Int64 = 60_000
  package var slowByteCount: Int64 = 1024

  package init() {}
}

/// The events of the transport. Each attempt has any number of `informed` and `addressLeft`, at
/// most one `headReceived`, then exactly one `ended`, which is the last. A redirect is a head like
/// any other: it is not followed.
package enum TransportEvent: Sendable {
  /// The head that follows came over HTTP/2.
  case multiplexed(AttemptID)
  /// An interim response (1xx), other than 100 and 101. `sending` is the modification time of the
  /// file that is the body of the request, since 1970; nil for another body.
  case informed(AttemptID, ResponseHead, from: NetworkReach, sending: Int64?)
  /// The body waits until `accept` or `cancel`. `from` is the reach of the server's address,
  /// `after` how many milliseconds a packet takes to it and back; nil when that is unknown.
  case headReceived(AttemptID, ResponseHead, from: NetworkReach, after: Int64?)
  /// An address of the host accepted the connection and sent nothing: another one is connected to.
  case addressLeft(AttemptID, IPAddress)
  /// Bytes of the request's body passed to the kernel, with those that an earlier request has sent
  /// (`RequestContent.rest`); reported at most ten times a second and once at the end of the body.
  case sent(AttemptID, byteCount: Int64)
  /// What the exchange took, before `ended`. `startedAt` is set by the receiver of the event.
  case measured(AttemptID, AttemptMeasurement)
  case ended(AttemptID, AttemptEnd)
}

package enum AttemptEnd: Sendable, Hashable {
  /// The exchange is over by the rules of HTTP: after the announced number of bytes, the last
  /// chunk, or, where neither was announced, the end of the connection.
  case complete
  case cancelled
  /// The sink returned `satisfied`.
  case satisfied
  /// The sink returned `failed`.
  case sinkFailed
  case failed(TransferFailure)
  /// Only with `ServerTrust.keys`; the challenge's kind is `serverTrust`, its failure count 0.
  case untrusted(TransferFailure, ServerChallenge)
  /// The server requires a client certificate and got none or a wrong one.
  case certificateWanted(TransferFailure)
}

/// Moves bytes over HTTP. All calls return at once. Events arrive in order on a separate thread.
package protocol Transport: Sendable {
  func begin(_ request: AttemptRequest)
  /// Lets the body flow into `sink`. Called once, after `headReceived`.
  func accept(_ attempt: AttemptID, into sink: any ByteSink)
  /// Continues after the sink returned `full`.
  func resumeReceiving(_ attempt: AttemptID)
  /// Cancels the attempt. `ended` still follows, with what was under way.
  func cancel(_ attempt: AttemptID)
  /// Sets the receive limit that all attempts of a transfer share; nil means no limit. It applies
  /// to attempts under way, until it is set again or an attempt of the transfer begins with another
  /// limit.
  func limit(_ transfer: TransferID, toBytesPerSecond limit: Int64?)
  /// Sets the limit for all transfers together. Both limits apply.
  func limitAll(toBytesPerSecond limit: Int64?)
  /// Rejects new attempts, cancels those under way, and returns when the thread has ended.
  func shutDown()
}

/// The destination of an attempt's body. Called on the transport's thread only, so it must not wait
/// for anything but the kernel's page cache.
package protocol ByteSink: AnyObject, Sendable {
  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer
}

package enum SinkAnswer: Sendable, Hashable {
  case taken
  /// All needed bytes of this body arrived: the attempt ends with `satisfied`. The bytes of this
  /// call count as accepted.
  case satisfied
  /// Accepted; no more is needed until `resumeReceiving`. Bytes already read from the network still
  /// arrive.
  case full
  /// The bytes cannot be stored; the attempt ends with `sinkFailed`.
  case failed
}
