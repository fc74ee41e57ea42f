import Foundation
import FoundationNetworking

/// A storage of cookies or credentials: the one that all sessions share, another one, or none.
enum StorageChoice<Storage: AnyObject & Sendable>: Sendable {
  case shared
  case chosen(Storage?)

  func storage(shared: @autoclosure () -> Storage) -> Storage? {
    switch self {
    case .shared: shared()
    case .chosen(let storage): storage
    }
  }
}

/// The classes that a program registers for protocols of its own.
// Unchecked because a metatype of any class is not Sendable: it is only stored and given back.
struct ProtocolClasses: @unchecked Sendable {
  var classes: [AnyClass]?
}

// MARK: - Cookies and credentials

extension URLSessionConfiguration {
  /// The storage of the cookies that are sent and received; `HTTPCookieStorage.shared` by default,
  /// nil for none.
  ///
  /// When a task is created, it gets the cookies that the storage has for the URL of its request
  /// (RFC 6265, section 5.4). They are sent wherever they belong, also after redirects. A request
  /// with a Cookie header of its own, or with `httpShouldHandleCookies` false, gets none.
  ///
  /// The cookies of a response reach the storage together with `URLSessionTask.response`, before
  /// the delegate is called: at once, or in the next run of the program. The service does not
  /// report those that a redirect sets. Source: Apple's documentation of `httpCookieStorage`.
  ///
  /// ```swift
  /// let properties: [HTTPCookiePropertyKey: Any] = [
  ///   .name: "login", .value: "5f3a", .domain: "books.example", .path: "/",
  /// ]
  /// if let cookie = HTTPCookie(properties: properties) {
  ///   configuration.httpCookieStorage?.setCookie(cookie)
  /// }
  /// ```
  public var httpCookieStorage: HTTPCookieStorage? {
    get { get { $0.httpCookieStorage }.storage(shared: .shared) }
    set { set { $0.httpCookieStorage = .chosen(newValue) } }
  }

  /// Whether tasks get cookies from `httpCookieStorage`; true by default.
  ///
  /// Source: Apple's documentation of `httpShouldSetCookies`.
  ///
  /// ```swift
  /// configuration.httpShouldSetCookies = false
  /// ```
  public var httpShouldSetCookies: Bool {
    get { get { $0.httpShouldSetCookies } }
    set { set { $0.httpShouldSetCookies = newValue } }
  }

  /// Which cookies of responses `httpCookieStorage` accepts; by default, if the request has a
  /// `mainDocumentURL`, only those of its host and of the domains above it.
  ///
  /// The policy of the storage itself applies too. A request with `httpShouldHandleCookies` false
  /// accepts none. Source: Apple's documentation of `httpCookieAcceptPolicy`.
  ///
  /// ```swift
  /// configuration.httpCookieAcceptPolicy = .never
  /// ```
  public var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy {
    get { get { $0.httpCookieAcceptPolicy } }
    set { set { $0.httpCookieAcceptPolicy = newValue } }
  }

  /// Stored without effect: credentials come from the delegate, from the URL, or from netrc(5).
  ///
  /// Source: Apple's documentation of `urlCredentialStorage`.
  ///
  /// ```swift
  /// configuration.urlCredentialStorage = nil
  /// ```
  public var urlCredentialStorage: URLCredentialStorage? {
    get { get { $0.urlCredentialStorage }.storage(shared: .shared) }
    set { set { $0.urlCredentialStorage = .chosen(newValue) } }
  }
}

// MARK: - The network

extension URLSessionConfiguration {
  /// The proxies of the session's tasks; nil, the default, means those of the service. An empty
  /// dictionary means no proxy.
  ///
  /// The keys are those of CFProxySupport.h: `HTTPEnable`, `HTTPProxy` and `HTTPPort` for http,
  /// `HTTPSEnable`, `HTTPSProxy` and `HTTPSPort` for https, `SOCKSEnable`, `SOCKSProxy` and
  /// `SOCKSPort` (SOCKS 5) for what has no proxy of its own, and `ExceptionsList`, an array of
  /// hosts that are reached directly. Other keys have no effect. Each task keeps the proxies with
  /// which it was created. Source: Apple's documentation of `connectionProxyDictionary`.
  ///
  /// ```swift
  /// configuration.connectionProxyDictionary = [
  ///   "HTTPSEnable": 1, "HTTPSProxy": "proxy.example", "HTTPSPort": 3128,
  /// ]
  /// ```
  public var connectionProxyDictionary: [AnyHashable: Any]? {
    get { get { $0.proxies }?.dictionary }
    set {
      let proxies = newValue.map(ProxyDictionary.init)
      set { $0.proxies = proxies }
    }
  }

  /// The program's own classes for loading URLs.
  ///
  /// Background sessions reject them, as on Apple's systems: the service loads URLs while the
  /// program may not be running. The session's copy of the configuration has none, and a message on
  /// standard error names the session. Source: Apple's documentation of `protocolClasses` and
  /// NSURLSession.h.
  ///
  /// ```swift
  /// configuration.protocolClasses = []
  /// ```
  public var protocolClasses: [AnyClass]? {
    get { get { $0.protocolClasses }.classes }
    set {
      let classes = ProtocolClasses(classes: newValue)
      set { $0.protocolClasses = classes }
    }
  }

  /// Stored without effect: the service has no cache. nil by default, as in Apple's background
  /// sessions.
  ///
  /// Source: Apple's documentation of `urlCache`.
  ///
  /// ```swift
  /// configuration.urlCache = nil
  /// ```
  public var urlCache: URLCache? {
    get { get { $0.urlCache } }
    set { set { $0.urlCache = newValue } }
  }

  /// How Multipath TCP uses several networks. Source: Apple's documentation of
  /// `URLSessionConfiguration.MultipathServiceType`.
  ///
  /// ```swift
  /// let service = URLSessionConfiguration.MultipathServiceType.handover
  /// ```
  public enum MultipathServiceType: Int, Sendable {
    /// One network.
    case none = 0
    /// Another network when the first one fails.
    case handover = 1
    /// The network with the shorter delay.
    case interactive = 2
    /// All networks together.
    case aggregate = 3
  }

  /// Stored without effect: the kernel decides which network a connection uses.
  ///
  /// Source: Apple's documentation of `multipathServiceType`.
  ///
  /// ```swift
  /// configuration.multipathServiceType = .handover
  /// ```
  public var multipathServiceType: MultipathServiceType {
    get { get { $0.multipathServiceType } }
    set { set { $0.multipathServiceType = newValue } }
  }

  /// Stored without effect: the service has one way of loading. True by default.
  ///
  /// Source: Apple's documentation of `usesClassicLoadingMode`.
  ///
  /// ```swift
  /// configuration.usesClassicLoadingMode = false
  /// ```
  public var usesClassicLoadingMode: Bool {
    get { get { $0.usesClassicLoadingMode } }
    set { set { $0.usesClassicLoadingMode = newValue } }
  }

  /// Stored without effect: the service sends nothing before the handshake is complete. False by
  /// default.
  ///
  /// Source: Apple's documentation of `enablesEarlyData`.
  ///
  /// ```swift
  /// configuration.enablesEarlyData = true
  /// ```
  public var enablesEarlyData: Bool {
    get { get { $0.enablesEarlyData } }
    set { set { $0.enablesEarlyData = newValue } }
  }
}
