import KettleModel

/// What one HTTP exchange shall ask for.
package struct AttemptRequest: Sendable, Hashable {
  package var id: AttemptID
  /// All attempts of one transfer share its speed limit.
  package var transfer: TransferID
  package var url: TransferURL
  /// An attempt that would connect to an address with less reach fails with `redirectRefused`, and
  /// nothing is sent there.
  package var minimumReach: NetworkReach
  /// As they go over the wire, Range and If-Range among them.
  package var headers: [HeaderField]
  /// Sent with whatever scheme of authentication the server asks for, unless that is known.
  package var login: Login?
  /// The scheme that the server asked for before: then no body goes out for the sake of a refusal.
  package var loginScheme: ServerChallenge.Kind?
  package var caCertificatePath: String?
  package var timeouts: AttemptTimeouts
  /// nil is a GET.
  package var content: RequestContent?
  package var serverTrust: ServerTrust
  package var certificate: ClientCertificate?
  /// That of the transfer, as with `limit`.
  package var limitBytesPerSecond: Int64?

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

/// Which certificates of a server are good enough to send it anything.
package enum ServerTrust: Sendable, Hashable {
  /// Those that the system's authorities, or those of the request, vouch for.
  case system
  /// Those with one of these keys (`OriginCredential.trustedKeys`), whoever vouches for them;
  /// others that the system trusts too, unless they are to be shown first. What is not good enough
  /// ends the attempt with `untrusted` before anything is sent.
  case keys(Set<String>, asksForOthers: Bool)
}

package struct AttemptTimeouts: Sendable, Hashable {
  /// Name look-up, connection and TLS together.
  package var connectMilliseconds: Int64 = 30_000
  /// The longest silence before the head and between two pieces of the body
  /// (`timeoutIntervalForRequest`). A paused attempt is not silent.
  package var idleMilliseconds: Int64 = 60_000
  /// From the request to the end of the head: a head that comes a line now and then is not silent.
  package var headMilliseconds: Int64 = 120_000
  /// A body that comes with fewer than `slowByteCount` bytes in this time is given up. Time in
  /// which a limit or the sink holds it up does not count.
  package var slowMilliseconds: Int64 = 60_000
  package var slowByteCount: Int64 = 1024

  package init() {}
}

/// What the transport tells. For each attempt: at most one `headReceived`, then exactly one
/// `ended`, which is the last. A redirect is a head like any other: it is not followed.
package enum TransportEvent: Sendable {
  /// The body waits until `accept` or `cancel`. The reach is that of the server's address.
  case headReceived(AttemptID, ResponseHead, from: NetworkReach)
  /// So many bytes of the request's body are in the kernel's hands; told at most ten times a second
  /// and once at the end of the body.
  case sent(AttemptID, byteCount: Int64)
  case ended(AttemptID, AttemptEnd)
}

package enum AttemptEnd: Sendable, Hashable {
  /// The exchange is over by the rules of HTTP: as many bytes as announced, or the last chunk, or,
  /// where neither was announced, the end of the connection.
  case complete
  case cancelled
  /// The sink answered `satisfied`.
  case satisfied
  /// The sink answered `failed`.
  case sinkFailed
  case failed(TransferFailure)
  /// Only with `ServerTrust.keys`; the challenge is of the kind `serverTrust`, its failure count 0.
  case untrusted(TransferFailure, ServerChallenge)
  /// The server wants a certificate of the client and was given none or a wrong one.
  case certificateWanted(TransferFailure)
}

/// Moves bytes over HTTP. All calls return at once; events come in order on a thread of its own.
package protocol Transport: Sendable {
  func begin(_ request: AttemptRequest)
  /// Lets the body flow into `sink`. Called once, after `headReceived`.
  func accept(_ attempt: AttemptID, into sink: any ByteSink)
  /// Goes on after the sink answered `full`.
  func resumeReceiving(_ attempt: AttemptID)
  /// `ended` comes all the same, with what was under way.
  func cancel(_ attempt: AttemptID)
  /// Sets what all attempts of a transfer together may receive, bodies only; nil is no limit. It
  /// holds for attempts that are under way, and until it is set again or an attempt of the transfer
  /// begins with another.
  func limit(_ transfer: TransferID, toBytesPerSecond limit: Int64?)
  /// The same for everything together. Both limits hold.
  func limitAll(toBytesPerSecond limit: Int64?)
  /// Refuses new attempts, cancels those under way, and returns when the thread has ended.
  func shutDown()
}

/// Where the body of an attempt goes. Called on the transport's thread only, so it must not wait
/// for anything but the kernel's page cache.
package protocol ByteSink: AnyObject, Sendable {
  /// What fits there is taken without a call of `receive`; nil when there never is such room.
  var room: GrantedRoom? { get }
  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer
}

package enum SinkAnswer: Sendable, Hashable {
  case taken
  /// All that is wanted of this body is there: the attempt ends with `satisfied`. What was handed
  /// over with this call counts as taken.
  case satisfied
  /// Taken, and no more is wanted until `resumeReceiving`. What was read from the network by then
  /// comes all the same.
  case full
  /// The bytes cannot be kept; the attempt ends with `sinkFailed`.
  case failed
}
