import KettleModel
import Testing

/// Records for tests.
enum Sample {
  static func url(_ text: String) -> TransferURL {
    guard case .success(let parsed) = TransferURL.parse(text) else {
      preconditionFailure("A sample is no URL: \(text)")
    }
    return parsed.url
  }

  /// A record as it is right after the add.
  static func plain(_ id: Int64, session: String = "kettle", task: Int64? = nil) -> TransferRecord {
    var spec = TransferSpec(url: url("https://example.org/files/\(id).iso"))
    spec.session = SessionID(rawValue: session)
    spec.directory = "/home/somebody/Downloads"
    return TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: task ?? id, spec: spec,
      createdAt: WallTime(millisecondsSince1970: 1_700_000_000_000 + id), queuePosition: id,
      state: .queued)
  }

  /// A record with every field set, so that a field that is not stored is detected.
  static func full(_ id: Int64, state: TransferState = .waiting) -> TransferRecord {
    var record = plain(id, session: "org.example.app")
    record.spec = fullSpec(id)
    record.state = state
    record.reason = .retryAfter
    record.goesOnAt = WallTime(millisecondsSince1970: 1_700_000_300_000)
    record.resumeData = resumeData(id)
    record.finishedFile = FinishedFile(
      path: "/home/somebody/Downloads/ü \(id).iso",
      identity: FileIdentity(
        device: .max, inode: UInt64(id), byteCount: 1 << 40, modifiedNanoseconds: -1))
    record.failure = TransferFailure(.httpStatus, on: "https://example.org/\"x\"", detail: "503")
    record.freshStart = .resourceChanged
    record.retryCount = 3
    record.finishedAt = WallTime(millisecondsSince1970: 1_700_000_400_000)
    record.finishNumber = 17
    record.task = taskStatus(id)
    return record
  }

  private static func taskStatus(_ id: Int64) -> TaskStatus {
    var status = TaskStatus()
    status.startedAt = WallTime(millisecondsSince1970: 1_700_000_100_000)
    status.reply = ServerReply(
      url: "https://example.org/\(id)", status: 401,
      headers: [HeaderField(received: "WWW-Authenticate", "Basic realm=\"ü\"")])
    status.challenge = ServerChallenge(
      kind: .basic, origin: "https://example.org:8443", realm: "ü", failureCount: 2)
    status.challenge?.certificates = [Base64Bytes([0, 255, 7])]
    status.answeredChallengeCount = 2
    status.challengePolicy = .takeReplyAsItStands
    status.resumedAtByteCount = 1 << 40
    status.sentByteCount = 1 << 41
    status.resumeToken = ResumeToken(id: TransferID(rawValue: id), secret: "s'ecret")
    status.uploadResumption = uploadResumption(id)
    var replies = InformationalReplies()
    replies.record(ServerReply(url: "https://example.org/\(id)", status: 104, headers: []))
    status.informationalReplies = replies
    return status
  }

  private static func uploadResumption(_ id: Int64) -> UploadResumption {
    var resumption = UploadResumption(
      url: url("https://example.org/uploads/\(id)"), minimumReach: .world,
      modifiedNanoseconds: 1_700_000_000_123_456_789)
    resumption.confirmedByteCount = 1 << 40
    return resumption
  }

  private static func taskOptions(_ id: Int64) -> TaskOptions {
    var task = TaskOptions(kind: .upload)
    task.taskIdentifier = id
    task.programData = "{\"description\": \"ü\n\"}"
    task.requestTimeoutMilliseconds = 60_000
    task.resourceTimeoutMilliseconds = 604_800_000
    task.conditions = [.mainsPower, .unmeteredNetwork]
    task.expectedSendByteCount = 1 << 42
    task.expectedReceiveByteCount = 1 << 43
    task.subtitle = "Kapitel 3 💾"
    var credential = OriginCredential(origin: "https://example.org:8443")
    credential.login = Login(user: "me", password: "x'y")
    credential.trustedKeys = [String(repeating: "0a", count: 32)]
    credential.certificate = ClientCertificate(certificatePath: "/c.pem", keyPath: "/k.pem")
    task.credentials = [credential]
    task.resumes = ResumeToken(id: TransferID(rawValue: 3), secret: "other")
    task.continues = uploadResumption(id)
    return task
  }

  static func session(_ name: String, launch: LaunchPhase = .spent) -> SessionRecord {
    let command = LaunchCommand(
      executablePath: "/opt/it's an app", arguments: ["--events", ""], directory: "/srv/ü")
    var record = SessionRecord(
      id: SessionID(rawValue: name),
      options: SessionOptions(
        launch: command, sendsLaunchEvents: false, connectionsPerHostMax: 3,
        asksServerTrust: true),
      createdAt: WallTime(millisecondsSince1970: 1_700_000_000_000))
    record.lastSeenAt = WallTime(millisecondsSince1970: 1_700_000_500_000)
    record.launch = launch
    return record
  }

  private static func fullSpec(_ id: Int64) -> TransferSpec {
    var spec = TransferSpec(url: url("https://example.org:8443/a%20b/\(id)?token=s%2Fecret"))
    spec.session = SessionID(rawValue: "org.example.app")
    spec.title = "Título «\(id)» \u{1F4BE}\nline two"
    spec.directory = "/mnt/disk; DROP TABLE transfer"
    spec.name = try? FileName(typed: "na'me \"\(id)\".iso")
    spec.connections = 8
    spec.headers = [
      HeaderField(received: "X-One", "a, \"b\""), HeaderField(received: "X-One", "ü"),
    ]
    spec.login = Login(user: "me", password: "p:w\\\"'")
    spec.checksum = Checksum("sha256:" + String(repeating: "0a", count: 32))
    spec.caCertificatePath = "/etc/own.pem"
    spec.trustedServers = [
      TrustedServer(origin: "https://nas.local", key: String(repeating: "0f", count: 32))
    ]
    spec.options = transferOptions
    spec.limitBytesPerSecond = 1 << 50
    spec.notBefore = WallTime(millisecondsSince1970: -5)
    spec.priority = .high
    spec.onConflict = .replace
    spec.beginning = .paused
    spec.request = RequestContent(
      method: "PUT", body: .file(path: "/home/somebody/ü.tar", byteCount: 1 << 44))
    spec.task = taskOptions(id)
    return spec
  }

  private static var transferOptions: TransferOptions {
    var options = TransferOptions()
    options.silenceSeconds = 600
    options.connectSeconds = 5
    options.attemptsMax = 0
    options.retryDelaySeconds = 3
    options.proxy = .server("socks5h://me:p%40ss@[::1]:1080")
    options.cookies = [
      Cookie(
        name: "a", value: "\"b\" ü", domain: "example.org", includesSubdomains: true, path: "/a",
        isSecure: true)
    ]
    options.certificate = ClientCertificate(
      certificatePath: "/etc/me.pem", keyPath: "/etc/me.key", password: "'")
    options.usesNetrc = false
    options.keepsServerTime = true
    options.permissions = FilePermissions(mask: 0o077)
    options.mirrors = [url("ftp://example.org/a")]
    options.described = DescribedFile(
      copies: [ChainedURL(url("https://example.net/a"), namedBy: .network)], byteCount: 1 << 42)
    return options
  }

  static func resumeData(_ id: Int64) -> ResumeData {
    var durable = ByteRangeSet(prefix: 4096)
    if let range = ByteRange(lower: 8192, upper: 1 << 41) { durable.insert(range) }
    var resumeData = ResumeData(
      partialPath: "/home/somebody/Downloads/ü \(id).iso.part", device: 66_305,
      inode: .max - UInt64(id), durable: durable, totalByteCount: 1 << 42,
      validator: Validator(
        entityTag: "\"v\(id)\"", lastModified: "Tue, 14 Nov 2023 22:13:20 GMT",
        isLastModifiedStrong: true),
      finalName: "ü \(id).iso")
    resumeData.isWhole = true
    resumeData.sample = FileSample(byteCount: 4096, digest: "5f\(id)")
    resumeData.lastWriteNanoseconds = .max - id
    resumeData.serverChecksum = Checksum("sha512:" + String(repeating: "f1", count: 64))
    resumeData.mediaType = "application/x-iso9660-image"
    resumeData.contentCoding = "gzip"
    resumeData.validatorURL = "https://example.org/old?token=1"
    if case .success(let parsed) = TransferURL.parse("https://m.example.org/x?signature=1") {
      resumeData.answer = ChainedURL(parsed.url, namedBy: .world)
    }
    resumeData.setAside = PartialIdentity(
      path: "/home/somebody/Downloads/ü (2).iso.part", device: 66_306, inode: .max)
    resumeData.isProvedByBytes = true
    resumeData.isProvedByDigests = true
    resumeData.playlist = PlaylistProgress(
      joinedCount: 2, joinedByteCount: 20, segmentCount: 9, milliseconds: 54_000)
    resumeData.continued = FileIdentity(
      device: 66_307, inode: .max, byteCount: 4096, modifiedNanoseconds: -id)
    resumeData.binAction = 1_800_000_000_000
    resumeData.upload = ObjectUpload(
      key: "raw/ü.iso", uploadID: "2~abc", partByteCount: 8 << 20, mark: "f00-1",
      hasChecksums: true)
    return resumeData
  }

  /// Resume data without information from the server and without received bytes.
  static let bareResumeData = ResumeData(
    partialPath: "/x.part", device: 1, inode: 1, durable: ByteRangeSet(), totalByteCount: nil,
    validator: nil, finalName: "x")

  static func puts(_ ids: ClosedRange<Int64>) -> [JournalChange] { ids.map { .put(plain($0)) } }
}
