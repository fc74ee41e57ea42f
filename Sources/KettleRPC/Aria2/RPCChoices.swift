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
