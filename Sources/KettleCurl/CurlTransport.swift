import CKettleCurl
import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// A transport on libcurl, for HTTP and servers of files.
///
/// Servers of files have a thread of their own, because libcurl waits for them in places: for the
/// reply after the data of FTP, at the end of an SSH session, and for the ssh-agent. So has HTTP/2:
/// libcurl 7.88 remembers for each host whether its connections can be shared, and every response
/// over HTTP/1.1 overwrites that. Both are started when they are needed. The calls of `Transport`
/// only queue a command. `events` is called on these threads, in order for each attempt, must
/// return soon, and may call back into the transport, except `shutDown`.
package final class CurlTransport: Transport {
  private enum LateLane {
    case notNeeded
    case running(CurlLane)
    /// nil if it was never needed.
    case shutDown(CurlLane?)

    var lane: CurlLane? {
      switch self {
      case .notNeeded: nil
      case .running(let lane): lane
      case .shutDown(let lane): lane
      }
    }
  }

  private let web: CurlLane
  private let files = Mutex(LateLane.notNeeded)
  private let streams = Mutex(LateLane.notNeeded)
  private let settings: CurlSettings
  private let limits = SharedSpeedLimits()
  private let silentAddresses = SharedSilentAddresses()
  private let events: @Sendable (TransportEvent) -> Void

  /// Fails only when the system has no thread or descriptor left.
  package init(
    events: @escaping @Sendable (TransportEvent) -> Void, settings: CurlSettings
  ) throws(TransferFailure) {
    self.events = events
    self.settings = settings
    web = try CurlLane(
      settings: settings, limits: limits, silentAddresses: silentAddresses, events: events)
  }

  /// Queues a new attempt. After `shutDown` it is ignored without any event.
  package func begin(_ request: AttemptRequest) {
    switch (request.url.scheme.family, request.version) {
    case (.http, .http1): web.queue.send(.begin(request))
    case (.http, .http2IfOffered): begin(request, on: streams)
    case (.ftp, _), (.sftp, _): begin(request, on: files)
    }
  }

  private func begin(_ request: AttemptRequest, on late: borrowing Mutex<LateLane>) {
    do throws(TransferFailure) {
      try lane(late)?.queue.send(.begin(request))
    } catch {
      events(.ended(request.id, .failed(error)))
    }
  }

  /// Starts the thread if it is not running. Returns nil after `shutDown`.
  private func lane(_ late: borrowing Mutex<LateLane>) throws(TransferFailure) -> CurlLane? {
    try late.withLock { late throws(TransferFailure) in
      switch late {
      case .running(let lane): return lane
      case .shutDown: return nil
      case .notNeeded:
        let lane = try CurlLane(
          settings: settings, limits: limits, silentAddresses: silentAddresses, events: events)
        late = .running(lane)
        return lane
      }
    }
  }

  /// Only the thread that has the attempt acts on its commands.
  private func send(_ command: Command) {
    web.queue.send(command)
    files.withLock { $0.lane }?.queue.send(command)
    streams.withLock { $0.lane }?.queue.send(command)
  }

  package func accept(_ attempt: AttemptID, into sink: any ByteSink) {
    send(.accept(attempt, sink))
  }

  package func resumeReceiving(_ attempt: AttemptID) { send(.resumeReceiving(attempt)) }

  package func cancel(_ attempt: AttemptID) { send(.cancel(attempt)) }

  package func limit(_ transfer: TransferID, toBytesPerSecond limit: Int64?) {
    send(.limit(transfer, limit))
  }

  package func limitAll(toBytesPerSecond limit: Int64?) { send(.limitAll(limit)) }

  /// Returns after the last event. So does a second call, even a concurrent one.
  package func shutDown() {
    web.shutDown()
    shutDown(files)
    shutDown(streams)
  }

  private func shutDown(_ late: borrowing Mutex<LateLane>) {
    let lane = late.withLock { late in
      let lane = late.lane
      late = .shutDown(lane)
      return lane
    }
    lane?.shutDown()
  }
}

/// Settings that apply to every attempt of a transport.
package struct CurlSettings: Sendable, Hashable {
  /// Sent as User-Agent unless the request has its own.
  package var userAgent: String
  package var certificates: TrustedCertificates
  package var proxies: ProxyRules
  package var ssh: SSHSettings
  /// Preset addresses that skip name lookup, each as `host:port:address,address`
  /// (CURLOPT_RESOLVE(3)).
  package var knownAddresses: [String]
  /// Addresses whose scope here differs from the registries, such as a public block that is used
  /// internally.
  package var knownScopes: [IPAddress: AddressScope]

  package init(
    userAgent: String, certificates: TrustedCertificates,
    proxies: ProxyRules = .fromEnvironment,
    ssh: SSHSettings = SSHSettings(directory: nil, user: ""), knownAddresses: [String] = [],
    knownScopes: [IPAddress: AddressScope] = [:]
  ) {
    self.userAgent = userAgent
    self.certificates = certificates
    self.proxies = proxies
    self.ssh = ssh
    self.knownAddresses = knownAddresses
    self.knownScopes = knownScopes
  }

  /// The preset addresses of the URL's host; nil for none.
  func addresses(of url: TransferURL) -> [IPAddress]? {
    let prefix = "\(url.host):\(url.port):"
    return knownAddresses.first { $0.hasPrefix(prefix) }.map { preset in
      preset.dropFirst(prefix.count).split(separator: ",").compactMap {
        IPAddress($0.hasPrefix("[") ? $0.dropFirst().dropLast() : $0)
      }
    }
  }
}

/// Sets options and keeps the first error.
struct EasyOptions {
  let easy: UnsafeMutableRawPointer
  private(set) var code = CURLE_OK

  init(easy: UnsafeMutableRawPointer) { self.easy = easy }

  mutating func check(_ result: CURLcode) {
    if code == CURLE_OK { code = result }
  }

  mutating func set(_ option: CURLoption, _ value: Int) {
    check(kettle_easy_set_long(easy, option, value))
  }

  mutating func set(_ option: CURLoption, _ value: String?) {
    check(kettle_easy_set_text(easy, option, value))
  }

  mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    check(kettle_easy_set_pointer(easy, option, value))
  }

  mutating func set(_ option: CURLoption, _ function: curl_write_callback) {
    check(kettle_easy_set_data_function(easy, option, function))
  }
}

/// The shared libraries that this target calls: libcurl, and OpenSSL below it.
package enum NetworkLibraries {
  /// Why they cannot be used, as text of the dynamic loader (dlerror(3)).
  package struct Problem: Error, Equatable {
    package let detail: String

    package init(detail: String) { self.detail = detail }
  }

  /// Loads the libraries, so that starting the service reports a missing one. Otherwise the first
  /// call loads them and ends the process on failure.
  package static func load() throws(Problem) {
    if let problem = kettle_curl_problem() { throw Problem(detail: String(cString: problem)) }
  }
}

/// UTF-8 as the text encoding of one thread.
///
/// libcurl converts a non-ASCII host from the locale's encoding (idn2_lookup_ul). A service has the
/// C locale, in which such a host is malformed. uselocale(3) changes the locale only for the
/// calling thread, on which libcurl parses the URL.
struct UTF8Locale {
  private let made: locale_t
  private let previous: locale_t?

  /// Returns nil on a system without C.UTF-8.
  init?() {
    guard let made = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return nil }
    self.made = made
    previous = uselocale(made)
  }

  /// Call once, on the thread that created it.
  func restore() {
    uselocale(previous)
    freelocale(made)
  }
}
