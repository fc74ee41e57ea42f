import KettleModel

/// The value of an option, which clients send as texts, numbers, truth values or lists.
struct OptionText {
  let name: String
  /// One text, or the elements of a list.
  let texts: [String]

  /// Returns nil for `null`, which some clients send for an option that was not chosen.
  init?(_ name: String, _ value: RPCValue) throws(RPCError) {
    self.name = name
    switch value {
    case .null: return nil
    case .text(let text): texts = [text]
    case .boolean(let isTrue): texts = [isTrue ? "true" : "false"]
    case .integer(let number): texts = [String(number)]
    case .real(let number): texts = [String(number)]
    case .list(let list): texts = list.compactMap(\.text)
    case .object: throw Self.refusal(of: name, "an object", expected: "a text")
    }
  }

  var text: String { texts.first ?? "" }

  /// The lines of a list, or of one text with several lines. `aria2.getOption` returns a list as
  /// one text, and clients send that text back.
  var lines: [String] {
    texts.flatMap { $0.split(whereSeparator: \.isNewline) }.map { String($0).trimmingBlanks() }
      .filter { !$0.isEmpty }
  }

  func flag() throws(RPCError) -> Bool {
    switch text {
    case "true": return true
    case "false": return false
    default: throw refusal(expected: "true or false")
    }
  }

  func number(_ range: ClosedRange<Int>) throws(RPCError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw refusal(expected: "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number of bytes with K or M; 0 becomes nil, which is no limit.
  func rate() throws(RPCError) -> Int64? {
    if text == "0" { return nil }
    guard let rate = RateText.parse(text) else {
      throw refusal(expected: "bytes per second, such as 500K, or 0")
    }
    return rate
  }

  func refusal(expected: String) -> RPCError {
    Self.refusal(of: name, "\"\(text)\"", expected: expected)
  }

  private static func refusal(of name: String, _ value: String, expected: String) -> RPCError {
    let value = value.sanitizedForDisplay(limit: 200)
    return .refused("The option \(name) is \(value); give \(expected)")
  }
}

/// The proxies that the options of a download name.
package struct ProxyOptions: Hashable, Sendable {
  package static let names = [
    "all-proxy", "all-proxy-user", "all-proxy-passwd", "http-proxy", "http-proxy-user",
    "http-proxy-passwd", "https-proxy", "https-proxy-user", "https-proxy-passwd", "ftp-proxy",
    "ftp-proxy-user", "ftp-proxy-passwd", "no-proxy",
  ]

  private var values: [String: String] = [:]

  package init() {}

  package init(_ choice: ProxyChoice?) {
    switch choice {
    case nil: break
    case .direct: values["all-proxy"] = ""
    case .server(let url): values["all-proxy"] = url
    case .environment(let environment):
      values["http-proxy"] = environment.http
      values["https-proxy"] = environment.https
      values["ftp-proxy"] = environment.ftp
      values["no-proxy"] = environment.exceptions
    }
  }

  mutating func set(_ name: String, _ value: String) { values[name] = value }

  /// The options that say the same.
  package var options: [String: RPCValue] { values.mapValues(RPCValue.text) }

  /// The proxies of a transfer; nil for those of the service. Throws for one that cannot be used: a
  /// direct connection would show what the proxy was to hide.
  package func choice() throws(RPCError) -> ProxyChoice? {
    let named = ["all-proxy", "http-proxy", "https-proxy", "ftp-proxy"]
    guard named.contains(where: { values[$0] != nil }) else { return nil }
    let all = try proxy("all-proxy")
    var environment = ProxyEnvironment()
    environment.http = try proxy("http-proxy") ?? all ?? ""
    environment.https = try proxy("https-proxy") ?? all ?? ""
    environment.ftp = try proxy("ftp-proxy") ?? all ?? ""
    environment.exceptions = values["no-proxy"] ?? ""
    let proxies = [environment.http, environment.https, environment.ftp]
    return proxies.allSatisfy(\.isEmpty) ? .direct : .environment(environment)
  }

  private func proxy(_ name: String) throws(RPCError) -> String? {
    guard let text = values[name] else { return nil }
    if text.isEmpty { return "" }
    guard let server = ProxyServer(text) else {
      throw .refused("The option \(name) is no proxy; give one such as http://127.0.0.1:8080")
    }
    guard let user = values["\(name)-user"], !user.isEmpty else { return text }
    let password = values["\(name)-passwd"] ?? ""
    return "\(server.scheme.rawValue)://\(escaped(user)):\(escaped(password))@\(server.hostAndPort)"
  }

  private func escaped(_ text: String) -> String {
    let bytes = text.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case 48...57, 65...90, 97...122: [byte]
      default: PercentEncoding.escape(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Where the file of a download goes: a directory, and a name that may be unknown yet.
package struct RPCPlace: Hashable, Sendable {
  /// An absolute path without `.` and `..`.
  package let directory: String
  /// Front ends and extensions pass on what pages and servers have chosen.
  package let name: FileName?

  /// Combines `dir` and `out`. Throws if the result is outside all `roots`.
  ///
  /// Compares paths as text and does not resolve symbolic links. The code that creates the
  /// directory must check the resolved path too.
  ///
  /// - Parameters:
  ///   - roots: absolute paths without a slash at the end.
  ///   - base: the directory of downloads that name none.
  package init(
    directory: String?, output: String?, base: String, home: String, roots: [String]
  ) throws(RPCError) {
    var path = directory ?? base
    if path == "~" || path.hasPrefix("~/") { path = home + path.dropFirst() }
    guard path.hasPrefix("/") else {
      throw .refused("The directory \"\(path.sanitizedForDisplay(limit: 200))\" is not absolute")
    }
    var parts = try Self.parts(of: path)
    var name: FileName?
    if let output {
      guard !output.hasPrefix("/"), !output.hasSuffix("/") else {
        throw .refused(
          "The name \"\(output.sanitizedForDisplay(limit: 200))\" is no path below the directory")
      }
      parts += try Self.parts(of: output)
      name = parts.popLast().flatMap { FileName(foreign: $0) }
      guard name != nil else {
        throw .refused("The name \"\(output.sanitizedForDisplay(limit: 200))\" cannot be used")
      }
    }
    let whole = "/" + parts.joined(separator: "/")
    guard roots.contains(where: { whole == $0 || whole.hasPrefix($0 == "/" ? "/" : $0 + "/") })
    else {
      throw .refused(
        """
        The directory \(whole.sanitizedForDisplay(limit: 200)) is not allowed; \
        add it to rpc.directories in the configuration file
        """)
    }
    self.directory = whole
    self.name = name
  }

  private static func parts(of path: String) throws(RPCError) -> [String] {
    let parts = path.split(separator: "/").map(String.init).filter { $0 != "." }
    guard !parts.contains("..") else {
      throw .refused("The path \"\(path.sanitizedForDisplay(limit: 200))\" contains \"..\"")
    }
    return parts
  }
}

/// Options that must not be ignored: who sends them relies on them.
///
/// Those of the command line alone are in `Aria2OptionTable.reliedOn`.
enum RefusedOption {
  /// Returns why an option is refused; nil if it may be passed over.
  static func reason(_ option: OptionText) -> String? {
    switch option.name {
    case "dry-run", "parameterized-uri":
      option.text == "true"
        ? "The option \(option.name) is not supported; leave it out" : nil
    case "select-file", "load-cookies", "certificate", "private-key", "input-file",
      "metalink-file", "torrent-file":
      option.text.isEmpty
        ? nil
        : "The option \(option.name) would read a file of this user; use the commands of Kettle"
    case "save-cookies", "log", "save-session", "server-stat-of":
      option.text.isEmpty
        ? nil
        : "The option \(option.name) would write a file of this user; use the commands of Kettle"
    case _ where option.name.hasPrefix("on-"):
      option.text.isEmpty
        ? nil
        : "The option \(option.name) would run a program, which is not supported"
    default: nil
    }
  }
}
