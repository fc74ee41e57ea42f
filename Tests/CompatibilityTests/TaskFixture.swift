import KettleModel

/// What the fixtures have besides the transfers of `StoreFixture`: sessions of programs with their
/// tasks. Never changed, because the files are never regenerated.
enum TaskFixture {
  private static let uploader = SessionID(rawValue: "org.example.uploader")

  static let sessions = [
    session("org.example.empty", launch: nil, .armed),
    session(
      "org.example.uploader",
      launch: LaunchCommand(
        executablePath: "/opt/Über/uploader", arguments: ["--background", "a \"b\""],
        directory: "/srv/uploads"), .spent),
  ]

  /// Added and dropped again; its last task identifier is kept.
  static let dropped = session("org.example.gone", launch: nil, .armed)
  static let droppedTask: TransferRecord = {
    var record = task(60, number: 12, .download, .idle)
    record.spec.session = dropped.id
    return record
  }()

  /// A download that waits for a challenge's answer, a completed but unreported upload, and a
  /// paused download.
  static let records: [TransferRecord] = {
    var asking = task(50, number: 1, .download, .waiting)
    asking.reason = .needsLogin
    asking.task?.startedAt = WallTime(millisecondsSince1970: 1_767_225_600_000)
    asking.task?.challenge = ServerChallenge(
      kind: .serverTrust, origin: "https://example.org:8443", failureCount: 1)
    asking.task?.challenge?.certificates = [Base64Bytes([0x30, 0x82, 0x00, 0xFF])]
    asking.task?.challenge?.serverKey = String(repeating: "0a", count: 32)
    asking.task?.answeredChallengeCount = 1

    var sent = task(51, number: 2, .upload, .completed)
    sent.spec.request = RequestContent(
      method: "PUT", body: .file(path: "/home/somebody/Foto ü.jpg", byteCount: 5_000_000_000))
    sent.task?.reply = ServerReply(
      url: "https://example.org/uploads/2", status: 201,
      headers: [HeaderField(received: "Location", "/uploads/2")])
    sent.task?.sentByteCount = 5_000_000_000
    sent.task?.challengePolicy = .takeReplyAsItStands
    sent.finishedAt = WallTime(millisecondsSince1970: 1_767_225_900_000)

    var aside = task(52, number: 3, .download, .paused)
    aside.spec.request = RequestContent(method: "POST", body: .bytes(Base64Bytes([1, 2, 254])))
    aside.task?.resumedAtByteCount = 4096
    let token = ResumeToken(id: aside.id, secret: "2f0c5a")
    aside.task?.resumeToken = token
    return [asking, sent, aside]
  }()

  private static func session(
    _ name: String, launch: LaunchCommand?, _ phase: LaunchPhase
  ) -> SessionRecord {
    var record = SessionRecord(
      id: SessionID(rawValue: name),
      options: SessionOptions(
        launch: launch, sendsLaunchEvents: launch != nil, connectionsPerHostMax: 4,
        asksServerTrust: true),
      createdAt: WallTime(millisecondsSince1970: 1_767_225_600_000))
    record.lastSeenAt = WallTime(millisecondsSince1970: 1_767_225_700_000)
    record.launch = phase
    return record
  }

  private static func task(
    _ id: Int64, number: Int64, _ kind: TaskOptions.Kind, _ state: TransferState
  ) -> TransferRecord {
    guard case .success(let parsed) = TransferURL.parse("https://example.org:8443/tasks/\(id)")
    else { preconditionFailure("The URL of the fixture is no URL") }
    var options = TaskOptions(kind: kind)
    options.taskIdentifier = number
    options.programData = "{\"description\":\"Aufgabe \(id) \u{1F4BE}\"}"
    options.requestTimeoutMilliseconds = 60_000
    options.resourceTimeoutMilliseconds = 604_800_000
    options.conditions = [.mainsPower]
    options.expectedReceiveByteCount = 1 << 40
    var credential = OriginCredential(origin: "https://example.org:8443")
    credential.login = Login(user: "somebody", password: "pass:word")
    credential.trustedKeys = [String(repeating: "0b", count: 32)]
    credential.certificate = ClientCertificate(
      certificatePath: "/etc/ssl/me.pem", keyPath: "/etc/ssl/me.key", password: "secret")
    options.credentials = [credential]
    options.resumes = ResumeToken(id: TransferID(rawValue: 7), secret: "9a")
    var spec = TransferSpec(url: parsed.url)
    spec.session = uploader
    spec.beginning = .idle
    spec.task = options
    return TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: number, spec: spec,
      createdAt: WallTime(millisecondsSince1970: 1_767_225_600_000 + id), queuePosition: id,
      state: state)
  }
}
