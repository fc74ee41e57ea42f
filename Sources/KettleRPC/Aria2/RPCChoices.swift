import KettleControl
import KettleModel

/// What the options of a download ask for; nil and empty leave the choice to Kettle.
package struct RPCChoices: Hashable, Sendable {
  /// As given: absolute, or beginning with `~/`.
  package var directory: String?
  /// A name, or a path below the directory.
  package var output: String?
  package var headers: [HeaderField] = []
  package var userAgent: String?
  /// `*` means the URL itself.
  package var referer: String?
  /// The number of connections for the whole download, and for each of its URLs.
  package var split: Int?
  package var connectionsPerServer: Int?
  /// Set by `max-download-limit`; the inner nil means no limit.
  package var limit: Int64??
  package var isPaused = false
  package var gid: GID?
  package var checksum: Checksum?
  package var overwrites: Bool?
  package var renames: Bool?
  package var continues = false
  package var attemptsMax: Int?
  package var retryDelaySeconds: Int?
  package var silenceSeconds: Int?
  package var connectSeconds: Int?
  package var user: String?
  package var password: String?
  package var proxies = ProxyOptions()
  package var usesNetrc: Bool?
  package var keepsServerTime: Bool?
  /// Options without a meaning for Kettle.
  package var echoed: [String: String] = [:]

  package init() {}

  /// Reads the options of a download. Throws for one that cannot be what it says, and for one that
  /// must not be passed over in silence.
  package init(_ options: [String: RPCValue]) throws(RPCError) {
    self.init()
    for (name, value) in options.sorted(by: { $0.key < $1.key }) {
      guard let option = try OptionText(name, value) else { continue }
      try read(option)
    }
  }

  private mutating func read(_ option: OptionText) throws(RPCError) {
    if try readPlace(option) { return }
    if try readRequest(option) { return }
    if try readLimits(option) { return }
    if let reason = RefusedOption.reason(option) { throw .refused(reason) }
    guard echoed.count < RPCOptions.echoedCountMax,
      option.name.utf8.count + option.text.utf8.count < RPCOptions.echoedByteCountMax / 4
    else { return }
    echoed[option.name] = option.texts.joined(separator: "\n")
  }

  /// Reads an option about the file. Returns false for any other.
  private mutating func readPlace(_ option: OptionText) throws(RPCError) -> Bool {
    switch option.name {
    case "dir": if !option.text.isEmpty { directory = option.text }
    case "out": if !option.text.isEmpty { output = option.text }
    case "gid":
      guard let gid = GID(option.text) else { throw .invalidGID(option.text) }
      guard gid.isFree else { throw .refused("GID \(gid) is already used.") }
      self.gid = gid
    case "pause": isPaused = try option.flag()
    case "checksum": if !option.text.isEmpty { checksum = try Self.checksum(option) }
    case "allow-overwrite": overwrites = try option.flag()
    case "auto-file-renaming": renames = try option.flag()
    case "remote-time": keepsServerTime = try option.flag()
    case "continue":
      continues = try option.flag()
      echoed["continue"] = continues ? "true" : "false"
    default: return false
    }
    return true
  }

  /// Reads an option about the request. Returns false for any other.
  private mutating func readRequest(_ option: OptionText) throws(RPCError) -> Bool {
    switch option.name {
    case "header": headers = try Self.headers(option)
    case "user-agent": userAgent = option.text
    case "referer": referer = option.text
    case "http-user", "ftp-user": user = option.text
    case "http-passwd", "ftp-passwd": password = option.text
    case "no-netrc": usesNetrc = try option.flag() ? false : nil
    case _ where ProxyOptions.names.contains(option.name):
      proxies.set(option.name, option.text)
    default: return false
    }
    return true
  }

  /// Reads an option with a number. Returns false for any other.
  private mutating func readLimits(_ option: OptionText) throws(RPCError) -> Bool {
    let day = TransferOptions.secondsMax
    switch option.name {
    case "split": split = try option.number(1...10_000)
    case "max-connection-per-server": connectionsPerServer = try option.number(1...10_000)
    case "max-download-limit": limit = .some(try option.rate())
    case "max-tries": attemptsMax = try option.number(0...TransferOptions.attemptsCountMax)
    case "retry-wait":
      let seconds = try option.number(0...day)
      retryDelaySeconds = seconds == 0 ? nil : seconds
    case "timeout": silenceSeconds = try option.number(1...day)
    case "connect-timeout": connectSeconds = try option.number(1...day)
    default: return false
    }
    return true
  }

  private static func headers(_ option: OptionText) throws(RPCError) -> [HeaderField] {
    var fields: [HeaderField] = []
    for line in option.lines {
      guard let field = HeaderField(line) else {
        throw .refused(
          "The header \"\(line.sanitizedForDisplay(limit: 200))\" has no name; give \"Name: value\""
        )
      }
      guard !HeaderField.namesOfTransport.contains(field.name.lowercased()) else {
        throw .refused("The header \(field.name) is Kettle's own; leave it out")
      }
      fields.append(field)
    }
    return fields
  }

  /// `sha-256=HEX`
  private static func checksum(_ option: OptionText) throws(RPCError) -> Checksum {
    let parts = option.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts.first.map { $0.lowercased().filter { $0 != "-" } } ?? ""
    guard parts.count == 2, let algorithm = Checksum.Algorithm(rawValue: name),
      let checksum = Checksum(algorithm: algorithm, hex: String(parts[1]))
    else {
      throw option.refusal(expected: "a checksum such as sha-256=HEX (md5, sha-1 to sha-512)")
    }
    return checksum
  }
}

extension RPCChoices {
  /// The most connections that a transfer may have.
  package static let connectionsMax = 64

  /// Applies everything but the directory and the name to a new transfer.
  ///
  /// - Parameters:
  ///   - urls: where the file comes from, the URL of the transfer first.
  ///   - login: in the URL; those in the options go before it.
  package func apply(
    to spec: inout TransferSpec, _ urls: [TransferURL], login: Login?
  ) throws(RPCError) {
    spec.connections = connections(urlCount: urls.count)
    spec.headers = completeHeaders(for: spec.url)
    spec.login = ownLogin ?? login
    spec.checksum = checksum
    spec.limitBytesPerSecond = limit ?? nil
    spec.beginning = isPaused ? .paused : .queued
    spec.onConflict = conflictPolicy
    spec.options.continues = continues
    spec.options.attemptsMax = attemptsMax
    spec.options.retryDelaySeconds = retryDelaySeconds
    spec.options.silenceSeconds = silenceSeconds
    spec.options.connectSeconds = connectSeconds
    spec.options.usesNetrc = usesNetrc
    spec.options.keepsServerTime = keepsServerTime ?? false
    spec.options.proxy = try proxies.choice()
    spec.options.mirrors = Array(urls.dropFirst().prefix(TransferOptions.mirrorCountMax))
    if limit == .some(nil) { spec.options.chosen.insert(.limit) }
    if overwrites != nil || renames != nil { spec.options.chosen.insert(.onConflict) }
    if keepsServerTime == false { spec.options.chosen.insert(.serverTime) }
    spec.options.rpc = RPCOptions(gid: gid?.description, echoed: echoed)
    if let part = spec.refusedPart { throw .refused("The value of \(part) cannot be used") }
  }

  /// `split` counts for all servers together, `max-connection-per-server` for each.
  private func connections(urlCount: Int) -> Int? {
    let perServer = connectionsPerServer.map { min($0, Self.connectionsMax) * max(urlCount, 1) }
    let wanted = [split, perServer].compactMap(\.self).min()
    return wanted.map { min($0, Self.connectionsMax) }
  }

  /// A header that is given as such goes before the option for it.
  private func completeHeaders(for url: TransferURL) -> [HeaderField] {
    func isGiven(_ name: String) -> Bool {
      headers.contains { $0.name.lowercased() == name.lowercased() }
    }
    var fields = headers
    let referer = referer == "*" ? url.text : referer
    for (name, value) in [("User-Agent", userAgent), ("Referer", referer)] {
      guard let value, !value.isEmpty, !isGiven(name),
        let field = HeaderField(name: name, value: value)
      else { continue }
      fields.append(field)
    }
    return fields
  }

  private var ownLogin: Login? {
    guard let user, !user.isEmpty else { return nil }
    return Login(user: user, password: password ?? "")
  }

  private var conflictPolicy: ConflictPolicy {
    if overwrites == true { return .replace }
    return renames == false ? .skip : .rename
  }
}

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
