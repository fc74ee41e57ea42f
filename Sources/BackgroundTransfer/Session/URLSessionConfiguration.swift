import Foundation
import FoundationNetworking
import KettleControl
import KettleSystem

/// The description of a session: its kind, and the conditions under which its transfers run.
///
/// `background(withIdentifier:)` makes sessions whose transfers belong to the service. `default`
/// and `ephemeral` make sessions whose transfers end with the program.
///
/// A session copies it at creation, so later changes have no effect on the session. Source: Apple's
/// documentation of `URLSessionConfiguration`.
///
/// ```swift
/// let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.podcasts")
/// configuration.isDiscretionary = true
/// let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: nil)
/// ```
public final class URLSessionConfiguration: Sendable {
  struct Values: Sendable {
    var isDiscretionary = false
    var sessionSendsLaunchEvents = false
    var httpMaximumConnectionsPerHost = 6
    var maximumConnectionsPerTask = 1
    var timeoutIntervalForRequest: TimeInterval = 60
    var timeoutIntervalForResource: TimeInterval = 7 * 24 * 60 * 60
    var allowsCellularAccess = true
    var allowsExpensiveNetworkAccess = true
    var allowsConstrainedNetworkAccess = true
    var waitsForConnectivity = false
    var httpAdditionalHeaders: [String: String]?
    var sharedContainerIdentifier: String?
    var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    var networkServiceType = URLRequest.NetworkServiceType.default
    var httpShouldUsePipelining = false
    var httpShouldSetCookies = true
    var httpCookieStorage = StorageChoice<HTTPCookieStorage>.shared
    var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain
    var urlCredentialStorage = StorageChoice<URLCredentialStorage>.shared
    var urlCache: URLCache?
    var protocolClasses = ProtocolClasses()
    var proxies: ProxyDictionary?
    var multipathServiceType = MultipathServiceType.none
    var usesClassicLoadingMode = true
    var enablesEarlyData = false
    var shouldUseExtendedBackgroundIdleMode = false
    var asksServerTrust: Bool?
    var showsProgressInTerminal = true
    var launch = Launch.automatic
    var service = Service.ofUser
    var serviceExecutable: String?
    var servicePaths: ServicePaths?
  }

  /// The kind of the sessions made with a configuration.
  enum Kind: Hashable, Sendable {
    case background(identifier: String)
    case `default`, ephemeral
    /// `URLSession.shared`.
    case shared
  }

  let kind: Kind
  let values: Mutex<Values>

  /// The identifier of the session (`background(withIdentifier:)`); nil for other kinds of
  /// sessions.
  ///
  /// Source: Apple's documentation of `URLSessionConfiguration.identifier`.
  public var identifier: String? {
    switch kind {
    case .background(let identifier): identifier
    case .default, .ephemeral, .shared: nil
    }
  }

  init(_ kind: Kind, values: sending Values = Values()) {
    self.kind = kind
    self.values = Mutex(values)
  }

  /// Creates the configuration of a background session.
  ///
  /// The identifier must be the same at each start of the program, and different for each of its
  /// sessions. An empty one makes a session that is invalid from the start: its delegate is
  /// notified and each of its tasks fails, where Apple's raises an exception.
  ///
  /// Source: Apple's documentation of `background(withIdentifier:)`.
  ///
  /// ```swift
  /// let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.books")
  /// ```
  public static func background(withIdentifier identifier: String) -> URLSessionConfiguration {
    URLSessionConfiguration(
      .background(identifier: identifier), values: Values(sessionSendsLaunchEvents: true))
  }

  /// Creates the configuration of a session whose transfers end with the program, and which uses
  /// the cookies, the cache and the credentials of the process.
  ///
  /// FoundationNetworking performs the transfers of such a session. Source: Apple's documentation
  /// of `URLSessionConfiguration.default`.
  ///
  /// ```swift
  /// let configuration = URLSessionConfiguration.default
  /// configuration.timeoutIntervalForRequest = 10
  /// let session = URLSession(configuration: configuration)
  /// ```
  public static var `default`: URLSessionConfiguration {
    URLSessionConfiguration(.default, values: Values(urlCache: .shared))
  }

  /// Creates the configuration of a session whose transfers end with the program, and which keeps
  /// its cookies, cache and credentials in memory only.
  ///
  /// FoundationNetworking performs the transfers of such a session. Source: Apple's documentation
  /// of `URLSessionConfiguration.ephemeral`.
  ///
  /// ```swift
  /// let session = URLSession(configuration: .ephemeral)
  /// ```
  public static var ephemeral: URLSessionConfiguration {
    let system = System.Configuration.ephemeral
    return URLSessionConfiguration(
      .ephemeral,
      values: Values(
        httpCookieStorage: .chosen(system.httpCookieStorage),
        urlCredentialStorage: .chosen(system.urlCredentialStorage), urlCache: system.urlCache))
  }

  func copy() -> URLSessionConfiguration { URLSessionConfiguration(kind, values: snapshot) }

  /// A copy without what the service cannot use.
  func copyForService() -> URLSessionConfiguration {
    var values = snapshot
    values.protocolClasses = ProtocolClasses()
    return URLSessionConfiguration(kind, values: values)
  }

  /// The message about what `copyForService` leaves out; nil if that is nothing.
  package var protocolRejection: String? {
    guard let protocolClasses, !protocolClasses.isEmpty else { return nil }
    let names = protocolClasses.map { String(describing: $0) }.joined(separator: ", ")
    return "BackgroundTransfer: the background session \"\(identifier ?? "")\" does not use its "
      + "protocolClasses (\(names)), because the service loads its URLs"
  }

  /// A copy with which the program can make a session: there is only one shared session.
  func copyForProgram() -> URLSessionConfiguration {
    URLSessionConfiguration(kind == .shared ? .default : kind, values: snapshot)
  }

  var snapshot: Values { values.withLock { $0 } }

  func get<Value: Sendable>(_ member: (Values) -> Value) -> Value {
    values.withLock { member($0) }
  }

  func set(_ change: (inout Values) -> Void) { values.withLock { change(&$0) } }
}

extension URLSessionConfiguration {
  /// Whether transfers wait for mains power and an unmetered network; false by default.
  ///
  /// `URLSessionTask.waitingReason` says what a task waits for. Source: Apple's documentation of
  /// `isDiscretionary`.
  ///
  /// ```swift
  /// configuration.isDiscretionary = true
  /// ```
  public var isDiscretionary: Bool {
    get { get { $0.isDiscretionary } }
    set { set { $0.isDiscretionary = newValue } }
  }

  /// Whether the program is launched when all tasks are finished while it is not running; true by
  /// default in background sessions. In other sessions it is false, and has no effect.
  ///
  /// Source: Apple's documentation of `sessionSendsLaunchEvents`.
  ///
  /// ```swift
  /// configuration.sessionSendsLaunchEvents = false
  /// ```
  public var sessionSendsLaunchEvents: Bool {
    get { get { $0.sessionSendsLaunchEvents } }
    set { set { $0.sessionSendsLaunchEvents = newValue } }
  }

  /// The maximum number of connections to one host, for all transfers of the session together.
  ///
  /// Source: Apple's documentation of `httpMaximumConnectionsPerHost`; 6 by default.
  ///
  /// ```swift
  /// configuration.httpMaximumConnectionsPerHost = 2
  /// ```
  public var httpMaximumConnectionsPerHost: Int {
    get { get { $0.httpMaximumConnectionsPerHost } }
    set { set { $0.httpMaximumConnectionsPerHost = newValue } }
  }

  /// The longest time in seconds without any byte, after which the request is retried silently.
  ///
  /// Source: Apple's documentation of `timeoutIntervalForRequest`; 60 seconds by default.
  /// Background sessions retry.
  ///
  /// ```swift
  /// configuration.timeoutIntervalForRequest = 30
  /// ```
  public var timeoutIntervalForRequest: TimeInterval {
    get { get { $0.timeoutIntervalForRequest } }
    set { set { $0.timeoutIntervalForRequest = newValue } }
  }

  /// The longest time in seconds from the first start of a task to its end, including retries and
  /// waits. After it the task fails with `URLError.timedOut`.
  ///
  /// Source: Apple's documentation of `timeoutIntervalForResource`; seven days by default.
  ///
  /// ```swift
  /// configuration.timeoutIntervalForResource = 24 * 60 * 60
  /// ```
  public var timeoutIntervalForResource: TimeInterval {
    get { get { $0.timeoutIntervalForResource } }
    set { set { $0.timeoutIntervalForResource = newValue } }
  }

  /// Whether transfers may use a metered network; true by default.
  ///
  /// Linux knows which networks are metered but not their kind. Therefore this property,
  /// `allowsExpensiveNetworkAccess` and `allowsConstrainedNetworkAccess` are one condition: if any
  /// of them is false, transfers wait for an unmetered network. Source: Apple's documentation of
  /// `allowsCellularAccess`.
  ///
  /// ```swift
  /// configuration.allowsCellularAccess = false
  /// ```
  public var allowsCellularAccess: Bool {
    get { get { $0.allowsCellularAccess } }
    set { set { $0.allowsCellularAccess = newValue } }
  }

  /// Whether transfers may use a metered network; see `allowsCellularAccess`.
  ///
  /// Source: Apple's documentation of `allowsExpensiveNetworkAccess`.
  public var allowsExpensiveNetworkAccess: Bool {
    get { get { $0.allowsExpensiveNetworkAccess } }
    set { set { $0.allowsExpensiveNetworkAccess = newValue } }
  }

  /// Whether transfers may use a metered network; see `allowsCellularAccess`.
  ///
  /// Source: Apple's documentation of `allowsConstrainedNetworkAccess`.
  public var allowsConstrainedNetworkAccess: Bool {
    get { get { $0.allowsConstrainedNetworkAccess } }
    set { set { $0.allowsConstrainedNetworkAccess = newValue } }
  }

  /// Stored without effect: background sessions always wait for the network.
  ///
  /// Source: Apple's documentation of `waitsForConnectivity`.
  public var waitsForConnectivity: Bool {
    get { get { $0.waitsForConnectivity } }
    set { set { $0.waitsForConnectivity = newValue } }
  }

  /// Headers of every request of the session; those of the request itself take precedence.
  ///
  /// Keys and values are converted to strings. Source: Apple's documentation of
  /// `httpAdditionalHeaders`.
  ///
  /// ```swift
  /// configuration.httpAdditionalHeaders = ["User-Agent": "Books/1.0"]
  /// ```
  public var httpAdditionalHeaders: [AnyHashable: Any]? {
    get { get { $0.httpAdditionalHeaders } }
    set {
      let texts = newValue.map { pairs in
        Dictionary(
          pairs.map { (String(describing: $0.key.base), String(describing: $0.value)) },
          uniquingKeysWith: { first, _ in first })
      }
      set { $0.httpAdditionalHeaders = texts }
    }
  }

  /// Stored without effect: there are no app extensions.
  ///
  /// Source: Apple's documentation of `sharedContainerIdentifier`.
  public var sharedContainerIdentifier: String? {
    get { get { $0.sharedContainerIdentifier } }
    set { set { $0.sharedContainerIdentifier = newValue } }
  }

  /// How responses are taken from the cache. Background sessions ignore it: the service has no
  /// cache.
  ///
  /// Source: Apple's documentation of `requestCachePolicy`.
  public var requestCachePolicy: URLRequest.CachePolicy {
    get { get { $0.requestCachePolicy } }
    set { set { $0.requestCachePolicy = newValue } }
  }

  /// Stored without effect.
  ///
  /// Source: Apple's documentation of `networkServiceType`.
  public var networkServiceType: URLRequest.NetworkServiceType {
    get { get { $0.networkServiceType } }
    set { set { $0.networkServiceType = newValue } }
  }

  /// Stored without effect.
  ///
  /// Source: Apple's documentation of `httpShouldUsePipelining`.
  public var httpShouldUsePipelining: Bool {
    get { get { $0.httpShouldUsePipelining } }
    set { set { $0.httpShouldUsePipelining = newValue } }
  }

  /// Stored without effect.
  ///
  /// Source: Apple's documentation of `shouldUseExtendedBackgroundIdleMode`.
  public var shouldUseExtendedBackgroundIdleMode: Bool {
    get { get { $0.shouldUseExtendedBackgroundIdleMode } }
    set { set { $0.shouldUseExtendedBackgroundIdleMode = newValue } }
  }
}
