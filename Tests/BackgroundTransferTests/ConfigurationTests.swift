import BackgroundTransfer
import Foundation
import KettleModel
import Testing

/// What the service is told about the configuration of a session, and what a configuration stores.
struct ConfigurationTests {
  /// The request of a task as the service gets it.
  private func spec(
    _ request: URLRequest = URLRequest(url: SessionWorld.url),
    configure: (URLSessionConfiguration) -> Void
  ) throws -> TransferSpec {
    let world = try SessionWorld(configure: configure)
    world.session.downloadTask(with: request).resume()
    return try world.service.added(1)
  }

  /// A storage of this test alone, with a cookie for the host and one for another.
  private func storage() throws -> HTTPCookieStorage {
    let storage = HTTPCookieStorage.sharedCookieStorage(
      forGroupContainerIdentifier: UUID().uuidString)
    for domain in [".books.example", "other.example"] {
      let properties: [HTTPCookiePropertyKey: Any] = [
        .name: "login", .value: "5f3a", .domain: domain, .path: "/",
      ]
      storage.setCookie(try #require(HTTPCookie(properties: properties)))
    }
    return storage
  }

  @Test func `a task gets the cookies that the storage has for its URL`() throws {
    let storage = try storage()
    let cookies = try spec { $0.httpCookieStorage = storage }.options.cookies
    #expect(
      cookies == [
        Cookie(name: "login", value: "5f3a", domain: "books.example", includesSubdomains: true)
      ])
  }

  @Test func `a task gets no cookies where the program says so`() throws {
    let storage = try storage()
    #expect(try spec { $0.httpCookieStorage = nil }.options.cookies.isEmpty)
    #expect(
      try spec {
        $0.httpCookieStorage = storage
        $0.httpShouldSetCookies = false
      }.options.cookies.isEmpty)
    var request = URLRequest(url: SessionWorld.url)
    request.httpShouldHandleCookies = false
    #expect(try spec(request) { $0.httpCookieStorage = storage }.options.cookies.isEmpty)
    request.httpShouldHandleCookies = true
    request.setValue("a=b", forHTTPHeaderField: "Cookie")
    #expect(try spec(request) { $0.httpCookieStorage = storage }.options.cookies.isEmpty)
  }

  @Test func `a task has the proxies of its session`() throws {
    #expect(try spec { _ in }.options.proxy == nil)
    #expect(try spec { $0.connectionProxyDictionary = [:] }.options.proxy == .direct)
    var expected = ProxyEnvironment()
    expected.http = "socks5h://[::1]:1080"
    expected.https = "http://proxy.example:3128"
    expected.exceptions = "localhost,intern.example"
    let spec = try spec {
      $0.connectionProxyDictionary = [
        "HTTPSEnable": 1, "HTTPSProxy": "proxy.example", "HTTPSPort": 3128,
        "HTTPEnable": 0, "HTTPProxy": "off.example",
        "SOCKSProxy": "::1", "SOCKSPort": 1080, "ExceptionsList": ["localhost", "intern.example"],
      ]
    }
    #expect(spec.options.proxy == .environment(expected))
  }

  @Test func `a task asks for several connections only if its session permits them`() throws {
    #expect(try spec { _ in }.connections == nil)
    #expect(try spec { $0.maximumConnectionsPerTask = 4 }.connections == 4)
    #expect(try spec { $0.maximumConnectionsPerTask = 400 }.connections == 16)
    #expect(try spec { $0.maximumConnectionsPerTask = -1 }.connections == nil)
  }

  @Test func `a background session rejects the protocols of the program`() throws {
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.protocols")
    configuration.protocolClasses = [AnsweringProtocol.self]
    #expect(configuration.protocolClasses?.count == 1)
    let world = try SessionWorld(configure: { $0.protocolClasses = [AnsweringProtocol.self] })
    #expect(world.session.configuration.protocolClasses == nil)
    let message = configuration.protocolRejection
    #expect(
      message
        == "BackgroundTransfer: the background session \"org.example.protocols\" does not use "
        + "its protocolClasses (AnsweringProtocol), because the service loads its URLs")
    configuration.protocolClasses = []
    #expect(configuration.protocolRejection == nil)
    configuration.protocolClasses = nil
    #expect(configuration.protocolRejection == nil)
  }

  @Test func `only background sessions launch their program`() {
    #expect(
      URLSessionConfiguration.background(withIdentifier: "a").sessionSendsLaunchEvents)
    #expect(!URLSessionConfiguration.default.sessionSendsLaunchEvents)
    #expect(!URLSessionConfiguration.ephemeral.sessionSendsLaunchEvents)
    #expect(!URLSession.shared.configuration.sessionSendsLaunchEvents)
  }

  @Test func `properties without effect are stored and copied with the session`() throws {
    let world = try SessionWorld(configure: {
      $0.httpCookieAcceptPolicy = .never
      $0.urlCredentialStorage = nil
      $0.urlCache = URLCache.shared
      $0.multipathServiceType = .handover
      $0.usesClassicLoadingMode = false
      $0.enablesEarlyData = true
      $0.connectionProxyDictionary = ["HTTPPort": 8080]
    })
    let configuration = world.session.configuration
    #expect(configuration.httpCookieAcceptPolicy == .never)
    #expect(configuration.urlCredentialStorage == nil)
    #expect(configuration.urlCache === URLCache.shared)
    #expect(configuration.multipathServiceType == .handover)
    #expect(!configuration.usesClassicLoadingMode)
    #expect(configuration.enablesEarlyData)
    #expect(configuration.connectionProxyDictionary?["HTTPPort"] as? Int == 8080)
    let standard = URLSessionConfiguration.background(withIdentifier: "org.example.standard")
    #expect(standard.httpCookieStorage === HTTPCookieStorage.shared)
    #expect(standard.urlCredentialStorage === URLCredentialStorage.shared)
    #expect(standard.urlCache == nil && standard.protocolClasses == nil)
  }
}
