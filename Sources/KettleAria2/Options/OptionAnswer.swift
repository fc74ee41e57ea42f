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
