import KettleModel

extension TransferSpec {
  /// The first part that no service may act on; nil if all are valid.
  ///
  /// A decoder assigns each value directly and bypasses the initializers that check. The checks run
  /// again here, where text from outside becomes a request: a line break in a header, for example,
  /// would start a second header.
  package var refusedPart: String? {
    // A person's transfers are not tasks of a program.
    if !session.isUsable || task != nil && session == .kettle { return "session" }
    if let directory, !directory.isAbsolutePath { return "directory" }
    if let connections, connections < 1 { return "connections" }
    if headers.contains(where: { HeaderField(name: $0.name, value: $0.value) != $0 }) {
      return "headers"
    }
    if let login, !login.isUsable { return "login" }
    if let checksum, Checksum(algorithm: checksum.algorithm, hex: checksum.hex) != checksum {
      return "checksum"
    }
    if let caCertificatePath, !caCertificatePath.isAbsolutePath { return "caCertificatePath" }
    if !trustedServers.allSatisfy(\.isUsable) { return "trustedServers" }
    if let limitBytesPerSecond, limitBytesPerSecond < 1 { return "limitBytesPerSecond" }
    if TransferPriority(priority.value) == nil { return "priority" }
    if let part = options.refusedPart { return "options.\(part)" }
    // Each response to another request than a plain GET may differ.
    if !options.otherSources.isEmpty, task?.kind == .upload || !(request?.isPlainGET ?? true) {
      return "options.mirrors"
    }
    // A program verifies what it gets.
    if options.checksumURL != nil, task != nil { return "options.checksumURL" }
    // A program is launched with its session's news, and no page may start a program.
    if options.then != nil, task != nil || options.rpc != nil { return "options.then" }
    if let part = request?.refusedPart { return "request.\(part)" }
    // Programs are promised the semantics of HTTP, and servers of files know no other request.
    if url.scheme.family != .http, task != nil || request != nil { return "url" }
    if task?.kind == .upload, request?.body == nil { return "request.body" }
    return task?.refusedPart.map { "task.\($0)" }
  }

}

extension TransferOptions {
  /// The first part that no service may act on; nil if all are valid.
  fileprivate var refusedPart: String? {
    let seconds = 1...Self.secondsMax
    if let silenceSeconds, !seconds.contains(silenceSeconds) { return "silenceSeconds" }
    if let connectSeconds, !seconds.contains(connectSeconds) { return "connectSeconds" }
    if let retryDelaySeconds, !seconds.contains(retryDelaySeconds) { return "retryDelaySeconds" }
    if let attemptsMax, !(0...Self.attemptsCountMax).contains(attemptsMax) { return "attemptsMax" }
    if let proxy, !proxy.isUsable { return "proxy" }
    if cookies.count > Self.cookieCountMax || !cookies.allSatisfy(\.isUsable) { return "cookies" }
    if let certificate, !certificate.isUsable { return "certificate" }
    if let permissions, FilePermissions(rawValue: permissions.rawValue) == nil {
      return "permissions"
    }
    if otherSources.count > Self.mirrorCountMax { return "mirrors" }
    if let byteCount = described?.byteCount, byteCount < 0 { return "described.byteCount" }
    if let rpc, !rpc.isUsable { return "rpc" }
    if let then, then.fillsShellText { return "then" }
    return nil
  }
}

extension RPCOptions {
  fileprivate var isUsable: Bool {
    if let gid, GID(gid)?.description != gid { return false }
    let byteCount = echoed.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    return echoed.count <= Self.echoedCountMax && byteCount <= Self.echoedByteCountMax
  }
}

extension ProxyChoice {
  /// Whether each value fits into one line; whether it names a proxy is checked when it is used.
  fileprivate var isUsable: Bool {
    let texts =
      switch self {
      case .direct: [String]()
      case .server(let url): [url]
      case .environment(let values): [values.http, values.https, values.ftp, values.exceptions]
      }
    return texts.allSatisfy { text in
      text.utf8.count <= Self.byteCountMax && !text.unicodeScalars.contains(where: \.isControl)
    }
  }

  private static let byteCountMax = 4096
}

extension Login {
  /// A colon in the user name would move the boundary between name and password (RFC 7617, section
  /// 2).
  var isUsable: Bool {
    !user.contains(":") && !(user + password).unicodeScalars.contains(where: \.isControl)
  }
}

extension RequestContent {
  /// The first part that no service may act on; nil if all are valid.
  var refusedPart: String? {
    guard HeaderField(name: method, value: "") != nil,
      !method.utf8.contains(where: { (97...122).contains($0) }),
      // CONNECT requests a tunnel, not a file (RFC 9110, section 9.3.6).
      method != "CONNECT"
    else { return "method" }
    guard case .file(let path, let byteCount)? = body else { return nil }
    return path.isAbsolutePath && byteCount >= 0 ? nil : "body"
  }
}

extension TaskOptions {
  /// The first part that no service may act on; nil if all are valid.
  var refusedPart: String? {
    if let taskIdentifier, !(1...Self.taskIdentifierMax).contains(taskIdentifier) {
      return "taskIdentifier"
    }
    if let programData, programData.utf8.count > Self.programDataByteCountMax {
      return "programData"
    }
    if let subtitle, subtitle.utf8.count > Self.subtitleByteCountMax { return "subtitle" }
    if let requestTimeoutMilliseconds, requestTimeoutMilliseconds < 1 {
      return "requestTimeoutMilliseconds"
    }
    if let resourceTimeoutMilliseconds, resourceTimeoutMilliseconds < 1 {
      return "resourceTimeoutMilliseconds"
    }
    if let expectedSendByteCount, expectedSendByteCount < 0 { return "expectedSendByteCount" }
    if let expectedReceiveByteCount, expectedReceiveByteCount < 0 {
      return "expectedReceiveByteCount"
    }
    if !credentials.allSatisfy(\.isUsable) { return "credentials" }
    if let resumes, !(1...ResumeToken.secretByteCountMax).contains(resumes.secret.utf8.count) {
      return "resumes"
    }
    if let continues, continues.url.scheme.family != .http || continues.confirmedByteCount < 0 {
      return "continues"
    }
    return nil
  }

  /// Leaves room to count up from it.
  private static let taskIdentifierMax: Int64 = 1 << 53
}

extension ResumeToken {
  fileprivate static let secretByteCountMax = 128
}

extension OriginCredential {
  fileprivate var isUsable: Bool {
    !origin.isEmpty && !origin.unicodeScalars.contains(where: \.isControl)
      && login?.isUsable ?? true && certificate?.isUsable ?? true
      && trustedKeys.allSatisfy { Checksum(algorithm: .sha256, hex: $0)?.hex == $0 }
  }
}

extension TrustedServer {
  fileprivate var isUsable: Bool {
    !origin.unicodeScalars.contains(where: \.isControl)
      && Checksum(algorithm: .sha256, hex: key)?.hex == key
  }
}

extension ClientCertificate {
  var isUsable: Bool {
    certificatePath.isAbsolutePath && keyPath.isAbsolutePath
      && !(password?.utf8.contains(0) ?? false)
  }
}

extension ChallengeAnswer {
  var isUsable: Bool {
    switch self {
    case .login(let login): login.isUsable
    case .certificate(let certificate): certificate.isUsable
    case .request(let request): request.isUsable
    case .trust, .standard, .cancel: true
    }
  }
}

extension ReplacementRequest {
  /// Whether a transfer with this request would be accepted.
  fileprivate var isUsable: Bool {
    var spec = TransferSpec(url: url)
    spec.headers = headers
    spec.login = login
    spec.options.cookies = cookies
    spec.request = content
    return spec.refusedPart == nil && url.scheme.family == .http
  }
}

extension UpdateTask.Params {
  /// The first part that no service may act on; nil if all are valid.
  var refusedPart: String? {
    var options = TaskOptions(kind: .download)
    options.programData = programData
    options.subtitle = subtitle
    if let title, title.utf8.count > TaskOptions.subtitleByteCountMax { return "title" }
    options.expectedSendByteCount = expectedSendByteCount
    options.expectedReceiveByteCount = expectedReceiveByteCount
    if let priority, TransferPriority(priority.value) == nil { return "priority" }
    return options.refusedPart
  }
}

extension String {
  var isAbsolutePath: Bool { hasPrefix("/") && !utf8.contains(0) }
}

extension SessionID {
  /// 1 to 255 bytes; an environment variable carries it, which ends at a NUL.
  var isUsable: Bool {
    (1...255).contains(rawValue.utf8.count) && !rawValue.utf8.contains(0)
  }
}

extension SessionOptions {
  /// The first part that no service may act on; nil if all are valid.
  var refusedPart: String? {
    if let connectionsPerHostMax, connectionsPerHostMax < 1 { return "connectionsPerHostMax" }
    guard let launch else { return nil }
    if !launch.executablePath.isAbsolutePath { return "launch.executablePath" }
    if let directory = launch.directory, !directory.isAbsolutePath { return "launch.directory" }
    let byteCount = launch.arguments.reduce(0) { $0 + $1.utf8.count + 1 }
    guard byteCount <= LaunchCommand.argumentByteCountMax,
      !launch.arguments.contains(where: { $0.utf8.contains(0) })
    else { return "launch.arguments" }
    return nil
  }
}

extension LaunchCommand {
  /// MAX_ARG_STRLEN of Linux, which bounds one argument (execve(2)).
  fileprivate static let argumentByteCountMax = 131_072
}

extension ControlRequest {
  /// Returns the problem with the name of a program's session.
  static func problem(ofProgramsSession session: SessionID) -> ControlError? {
    session.isUsable && session != .kettle
      ? nil : ControlError(.refusedSpec, "params.session")
  }
}
