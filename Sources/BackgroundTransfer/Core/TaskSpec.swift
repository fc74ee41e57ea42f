import Foundation
import FoundationNetworking
import Glibc
import KettleModel

/// Converts a request and the configuration of its session into what the service needs.
enum TaskSpec {
  typealias Made = Result<TransferSpec, TaskRefusal>

  /// The size limit of a body stored with a task. As text in a message it is a third larger.
  static let bodyByteCountMax = 2 * 1024 * 1024

  static func download(
    _ plan: DownloadPlan, _ configuration: URLSessionConfiguration.Values,
    resumes token: ResumeToken? = nil
  ) -> Made {
    base(plan.request, kind: .download, configuration).flatMap { spec in
      var spec = spec
      spec.task?.resumes = token
      // The service gives a task that asks for no number one connection.
      let connections = configuration.maximumConnectionsPerTask
      if connections > 1 { spec.connections = connections }
      if let refusal = plan.options.apply(to: &spec) { return .failure(refusal) }
      guard let destination = plan.destination else { return body(of: plan.request, into: spec) }
      let path = destination.standardizedFileURL.path
      guard destination.isFileURL, path.hasPrefix("/"), path != "/",
        let name = try? FileName(typed: destination.lastPathComponent)
      else {
        return .failure(.badRequest("destination \(destination)"))
      }
      spec.directory = destination.standardizedFileURL.deletingLastPathComponent().path
      spec.name = name
      spec.onConflict = plan.options.onConflict.policy
      return body(of: plan.request, into: spec)
    }
  }

  /// - Parameter known: the upload to continue. The file must have its length.
  static func upload(
    _ request: URLRequest, file: URL, _ configuration: URLSessionConfiguration.Values,
    continuing known: UploadResumeData? = nil
  ) -> Made {
    base(request, kind: .upload, configuration).flatMap { spec in
      var spec = spec
      let path = file.standardizedFileURL.path
      var status = stat()
      guard file.isFileURL, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        access(path, R_OK) == 0
      else { return .failure(.fileUnreadable(path)) }
      spec.request = RequestContent(
        method: method(of: request),
        body: .file(path: path, byteCount: known?.byteCount ?? Int64(status.st_size)))
      spec.task?.continues = known?.resumption
      return .success(spec)
    }
  }

  private static func base(
    _ request: URLRequest, kind: TaskOptions.Kind,
    _ configuration: URLSessionConfiguration.Values
  ) -> Made {
    let text = request.url?.absoluteString ?? ""
    let parsed: TransferURL.Parsed
    switch TransferURL.parse(text) {
    case .success(let known) where known.url.scheme.family == .http: parsed = known
    case .success(let known):
      return .failure(
        .unsupportedURL(
          "The URL \"\(known.url.text)\" has the scheme \"\(known.url.scheme.rawValue)\"; tasks "
            + "support only http and https"))
    case .failure(let problem): return .failure(.unsupportedURL(problem.sentence(text)))
    }
    var spec = TransferSpec(url: parsed.url)
    spec.login = parsed.login
    for (name, value) in headers(of: request, configuration) {
      guard let field = HeaderField(name: name, value: value) else {
        return .failure(.badRequest("header \(name)"))
      }
      spec.headers.append(field)
    }
    spec.options.cookies = cookies(for: request, spec.headers, configuration)
    spec.options.proxy = configuration.proxies?.choice
    var task = TaskOptions(kind: kind)
    task.requestTimeoutMilliseconds = milliseconds(
      request.timeoutInterval == defaultTimeout
        ? configuration.timeoutIntervalForRequest : request.timeoutInterval)
    task.resourceTimeoutMilliseconds = milliseconds(configuration.timeoutIntervalForResource)
    task.conditions = conditions(configuration, request)
    spec.task = task
    return .success(spec)
  }

  /// The `URLRequest.timeoutInterval` of a request that sets none.
  private static let defaultTimeout: TimeInterval = 60

  /// Merges the headers. Those of the request win; names compare without case (RFC 9110, section
  /// 5.1).
  private static func headers(
    of request: URLRequest, _ configuration: URLSessionConfiguration.Values
  ) -> [(String, String)] {
    let own = request.allHTTPHeaderFields ?? [:]
    let names = Set(own.keys.map { $0.lowercased() })
    let added = (configuration.httpAdditionalHeaders ?? [:]).filter {
      !names.contains($0.key.lowercased())
    }
    return (own.map { ($0.key, $0.value) } + added.map { ($0.key, $0.value) })
      .sorted { $0.0 < $1.0 }
  }

  /// The cookies of the session's storage for a request that has none of its own.
  private static func cookies(
    for request: URLRequest, _ headers: [HeaderField],
    _ configuration: URLSessionConfiguration.Values
  ) -> [Cookie] {
    guard configuration.httpShouldSetCookies, request.httpShouldHandleCookies,
      !headers.contains(where: { $0.name.lowercased() == "cookie" }), let url = request.url,
      let storage = configuration.httpCookieStorage.storage(shared: .shared)
    else { return [] }
    let known = storage.cookies(for: url) ?? []
    return Array(known.map(Cookie.init).filter(\.isUsable).prefix(TransferOptions.cookieCountMax))
  }

  static func conditions(
    _ configuration: URLSessionConfiguration.Values, _ request: URLRequest
  ) -> Set<TransferCondition> {
    var conditions: Set<TransferCondition> = []
    if configuration.isDiscretionary { conditions = [.mainsPower, .unmeteredNetwork] }
    let isAnyNetworkAllowed =
      configuration.allowsCellularAccess && configuration.allowsExpensiveNetworkAccess
      && configuration.allowsConstrainedNetworkAccess && request.allowsCellularAccess
    if !isAnyNetworkAllowed { conditions.insert(.unmeteredNetwork) }
    return conditions
  }

  private static func body(of request: URLRequest, into spec: TransferSpec) -> Made {
    var spec = spec
    guard request.httpBodyStream == nil else { return .failure(.badRequest("httpBodyStream")) }
    let body = request.httpBody ?? Data()
    guard body.count <= bodyByteCountMax else { return .failure(.badRequest("httpBody")) }
    let content = RequestContent(
      method: method(of: request), body: body.isEmpty ? nil : .bytes(Base64Bytes(Array(body))))
    if !content.isPlainGET { spec.request = content }
    return .success(spec)
  }

  private static func method(of request: URLRequest) -> String {
    (request.httpMethod ?? "GET").uppercased()
  }

  /// Returns nil for an interval that is no valid timeout: the service's own limit then applies.
  private static func milliseconds(_ interval: TimeInterval) -> Int64? {
    guard interval > 0 else { return nil }
    return Int64(exactly: (interval * 1000).rounded()) ?? nil
  }
}

extension TransferSpec {
  /// nil when the file goes to the delegate.
  var destination: URL? {
    guard let directory, let name else { return nil }
    return URL(fileURLWithPath: directory).appendingPathComponent(name.text)
  }
}

extension RequestContent {
  /// The file that is sent; nil for another body.
  var bodyFile: URL? {
    guard case .file(let path, _)? = body else { return nil }
    return URL(fileURLWithPath: path)
  }
}

extension DestinationConflict {
  init(_ policy: ConflictPolicy) {
    switch policy {
    case .rename: self = .rename
    case .replace: self = .replace
    case .skip: self = .skip
    }
  }
}

/// A task as the program requested it.
struct DownloadPlan: Sendable {
  var request: URLRequest
  /// The file that an upload sends.
  var file: URL?
  var destination: URL?
  var options = DownloadOptions()
  var isAwaited = false
}

extension DownloadPlan {
  init(
    request: URLRequest, destination: URL?, onConflict: DestinationConflict,
    isAwaited: Bool = false
  ) {
    self.init(request: request, destination: destination, isAwaited: isAwaited)
    options.onConflict = onConflict
  }
}

extension Cookie {
  /// A domain with a leading dot includes the hosts below it.
  fileprivate init(_ cookie: HTTPCookie) {
    self.init(
      name: cookie.name, value: cookie.value,
      domain: String(cookie.domain.drop { $0 == "." }).lowercased(),
      includesSubdomains: cookie.domain.hasPrefix("."),
      path: cookie.path.hasPrefix("/") ? cookie.path : "/", isSecure: cookie.isSecure)
  }
}

/// The proxies of `URLSessionConfiguration.connectionProxyDictionary`. Values that are no numbers,
/// texts or lists of texts are not stored.
struct ProxyDictionary: Hashable, Sendable {
  private enum Value: Hashable, Sendable {
    case number(Int)
    case text(String)
    case list([String])
  }

  private var values: [String: Value] = [:]

  init(_ dictionary: [AnyHashable: Any]) {
    for (key, value) in dictionary {
      guard let key = key.base as? String else { continue }
      switch value {
      case let number as Int: values[key] = .number(number)
      case let isOn as Bool: values[key] = .number(isOn ? 1 : 0)
      case let number as NSNumber: values[key] = .number(number.intValue)
      case let text as String: values[key] = .text(text)
      case let list as [String]: values[key] = .list(list)
      default: break
      }
    }
  }

  var dictionary: [AnyHashable: Any] {
    values.mapValues { value in
      switch value {
      case .number(let number): number
      case .text(let text): text
      case .list(let list): list
      }
    }
  }

  /// The choice for the service. Omits proxies that no URL can express.
  var choice: ProxyChoice {
    var environment = ProxyEnvironment()
    let socks = url(of: "SOCKS", scheme: "socks5h")
    environment.http = url(of: "HTTP", scheme: "http") ?? socks ?? ""
    environment.https = url(of: "HTTPS", scheme: "http") ?? socks ?? ""
    guard !environment.http.isEmpty || !environment.https.isEmpty else { return .direct }
    if case .list(let hosts)? = values["ExceptionsList"] {
      environment.exceptions = hosts.joined(separator: ",")
    }
    return .environment(environment)
  }

  /// A proxy without its switch counts as enabled.
  private func url(of kind: String, scheme: String) -> String? {
    if case .number(0)? = values[kind + "Enable"] { return nil }
    guard case .text(let host)? = values[kind + "Proxy"], !host.isEmpty else { return nil }
    let authority = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    guard case .number(let port)? = values[kind + "Port"] else { return "\(scheme)://\(authority)" }
    return "\(scheme)://\(authority):\(port)"
  }
}
