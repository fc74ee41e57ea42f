import KettleControl
import KettleModel

/// The answers of `aria2.getOption` and `aria2.getGlobalOption`: texts that `aria2.addUri` takes
/// again.
package enum OptionAnswer {
  /// What a transfer has that was not added through the RPC stays secret: its login, its headers,
  /// and the passwords of its proxies.
  ///
  /// - Parameter directory: where the file goes.
  package static func options(of spec: TransferSpec, gid: GID, directory: String) -> RPCValue {
    var options = common(connections: spec.connections, overwrites: spec.onConflict == .replace)
    options["continue"] = flag(spec.options.continues)
    for (name, value) in spec.options.rpc?.echoed ?? [:] { options[name] = .text(value) }
    options["dir"] = .text(directory)
    if let name = spec.name { options["out"] = .text(name.text) }
    options["auto-file-renaming"] = flag(spec.onConflict == .rename)
    options["max-download-limit"] = .number(spec.limitBytesPerSecond ?? 0)
    options["pause"] = flag(spec.beginning == .paused)
    let isOfClient = spec.options.rpc != nil
    options.merge(headers(spec.headers.filter { isOfClient || Self.isPublic($0) })) { $1 }
    if let checksum = spec.checksum { options["checksum"] = .text(text(checksum)) }
    if isOfClient, let login = spec.login {
      options["http-user"] = .text(login.user)
      options["http-passwd"] = .text(login.password)
    }
    let proxies = ProxyOptions(spec.options.proxy).options
    options.merge(isOfClient ? proxies : proxies.mapValues(Self.withoutLogin)) { $1 }
    options.merge(times(spec.options)) { $1 }
    if spec.options.keepsServerTime { options["remote-time"] = "true" }
    if spec.options.usesNetrc == false { options["no-netrc"] = "true" }
    return .object(options)
  }

  private static func isPublic(_ field: HeaderField) -> Bool {
    ["user-agent", "referer"].contains(field.name.lowercased())
  }

  /// Takes user and password off a URL.
  private static func withoutLogin(_ value: RPCValue) -> RPCValue {
    guard let text = value.text, let proxy = ProxyServer(text) else { return value }
    return .text(proxy.address)
  }

  /// The settings that apply to downloads that choose nothing else.
  package struct Globals: Hashable, Sendable {
    package var directory: String
    package var runningMax: Int
    package var connectionsPerHostMax: Int
    /// nil means no limit.
    package var limitBytesPerSecond: Int64?
    /// For downloads that are added through RPC.
    package var choices: [String: String]

    package init(
      directory: String, runningMax: Int, connectionsPerHostMax: Int,
      limitBytesPerSecond: Int64?, choices: [String: String]
    ) {
      self.directory = directory
      self.runningMax = runningMax
      self.connectionsPerHostMax = connectionsPerHostMax
      self.limitBytesPerSecond = limitBytesPerSecond
      self.choices = choices
    }
  }

  package static func options(of globals: Globals) -> RPCValue {
    var options = common(connections: globals.connectionsPerHostMax, overwrites: false)
    options["auto-file-renaming"] = "true"
    options["max-download-limit"] = "0"
    options["user-agent"] = .text("Kettle/\(ProductVersion.text)")
    options["timeout"] = "60"
    options["connect-timeout"] = "60"
    options["max-tries"] = "11"
    options["retry-wait"] = "0"
    for (name, value) in globals.choices { options[name] = .text(value) }
    options["dir"] = .text(globals.directory)
    options["max-concurrent-downloads"] = .number(globals.runningMax)
    options["max-overall-download-limit"] = .number(globals.limitBytesPerSecond ?? 0)
    options["max-overall-upload-limit"] = "0"
    options["enable-rpc"] = "true"
    return .object(options)
  }

  /// Some front ends compute with these although Kettle has nothing like them.
  private static func common(connections: Int?, overwrites: Bool) -> [String: RPCValue] {
    let connections = RPCValue.number(connections ?? 16)
    return [
      "allow-overwrite": flag(overwrites), "continue": "true", "disk-cache": "16777216",
      "file-allocation": "none", "max-connection-per-server": connections,
      "min-split-size": "1048576", "split": connections,
    ]
  }

  private static func flag(_ isTrue: Bool) -> RPCValue { isTrue ? "true" : "false" }

  /// User-Agent and Referer have options of their own.
  private static func headers(_ fields: [HeaderField]) -> [String: RPCValue] {
    var options: [String: RPCValue] = [:]
    var lines: [String] = []
    for field in fields {
      switch field.name.lowercased() {
      case "user-agent": options["user-agent"] = .text(field.value)
      case "referer": options["referer"] = .text(field.value)
      default: lines.append("\(field.name): \(field.value)")
      }
    }
    if !lines.isEmpty { options["header"] = .text(lines.joined(separator: "\n")) }
    return options
  }

  private static func text(_ checksum: Checksum) -> String {
    let name = checksum.algorithm.rawValue
    let dashed = name.hasPrefix("sha") ? "sha-" + name.dropFirst(3) : name
    return "\(dashed)=\(checksum.hex)"
  }

  private static func times(_ chosen: TransferOptions) -> [String: RPCValue] {
    var options: [String: RPCValue] = [:]
    options["timeout"] = chosen.silenceSeconds.map(RPCValue.number)
    options["connect-timeout"] = chosen.connectSeconds.map(RPCValue.number)
    options["max-tries"] = chosen.attemptsMax.map(RPCValue.number)
    options["retry-wait"] = chosen.retryDelaySeconds.map(RPCValue.number)
    return options
  }
}

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
