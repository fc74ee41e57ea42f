import KettleModel

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
    case .trust, .standard, .cancel: true
    }
  }
}

extension UpdateTask.Params {
  /// The first part that no service may act on; nil if all are valid.
  var refusedPart: String? {
    var options = TaskOptions(kind: .download)
    options.programData = programData
    options.expectedSendByteCount = expectedSendByteCount
    options.expectedReceiveByteCount = expectedReceiveByteCount
    if let priority, TransferPriority(priority.value) == nil { return "priority" }
    return options.refusedPart
  }
}

extension String {
  var isAbsolutePath: Bool { hasPrefix("/") && !utf8.contains(0) }
}
