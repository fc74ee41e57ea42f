import KettleControl
import KettleModel
import Testing

/// Invalid parts of programs' requests that decode correctly.
struct SessionRefusedPartTests {
  private func refused(_ change: (inout TransferSpec) throws -> Void) throws -> String? {
    var spec = try #require(ProtocolSamples.spec())
    spec.session = SessionID(rawValue: "org.example.app")
    spec.task = TaskOptions(kind: .download)
    try change(&spec)
    return spec.refusedPart
  }

  private func error(of request: String) -> ControlError? {
    switch RequestCoder().decode(bytes(request)) {
    case .refused(_, let error): error
    case .request, .notification: nil
    }
  }

  private func attach(_ session: String, _ options: String) -> ControlError? {
    error(
      of: #"{"jsonrpc":"2.0","id":1,"method":"sessions.attach","params":{"session":"\#(session)","#
        + #""options":{"sendsLaunchEvents":true,"asksServerTrust":false\#(options)}}}"#)
  }

  // MARK: Tasks

  @Test func `a task with everything set is not refused`() throws {
    let part = try refused { spec in
      spec.request = RequestContent(method: "M-SEARCH", body: .file(path: "/a", byteCount: 0))
      spec.task?.taskIdentifier = 1
      spec.task?.programData = String(repeating: "x", count: TaskOptions.programDataByteCountMax)
      spec.task?.requestTimeoutMilliseconds = 1
      spec.task?.resourceTimeoutMilliseconds = 1
      spec.task?.expectedSendByteCount = 0
      var credential = OriginCredential(origin: "https://example.org:443")
      credential.trustedKeys = [String(repeating: "0a", count: 32)]
      credential.certificate = ClientCertificate(certificatePath: "/c", keyPath: "/k")
      spec.task?.credentials = [credential]
      spec.task?.resumes = ResumeToken(id: TransferID(rawValue: 1), secret: "s")
      spec.task?.continues = UploadResumption(
        url: try TransferURL.parse("https://example.org/7").get().url, minimumReach: .machine,
        modifiedNanoseconds: 0)
    }
    #expect(part == nil)
  }

  @Test(arguments: ["", "get", "G ET", "GET\r\nX:", "CONNECT", "Ü"])
  func `a method that is not an uppercase token, or is CONNECT, is refused`(
    _ method: String
  ) throws {
    #expect(
      try refused { $0.request = RequestContent(method: method) } == "request.method")
  }

  @Test func `a file body needs an absolute path and a length`() throws {
    for (path, count) in [("a", Int64(1)), ("/a\0b", 1), ("/a", -1)] {
      #expect(
        try refused {
          $0.request = RequestContent(method: "PUT", body: .file(path: path, byteCount: count))
        } == "request.body")
    }
    #expect(try refused { $0.task?.kind = .upload } == "request.body")
  }

  @Test func `the fields of a task are bounded`() throws {
    #expect(try refused { $0.session = .kettle } == "session")
    #expect(try refused { $0.session = SessionID(rawValue: "a\0b") } == "session")
    #expect(try refused { $0.task?.taskIdentifier = 0 } == "task.taskIdentifier")
    #expect(try refused { $0.task?.taskIdentifier = .max } == "task.taskIdentifier")
    #expect(
      try refused {
        $0.task?.programData = String(
          repeating: "ü", count: TaskOptions.programDataByteCountMax / 2 + 1)
      } == "task.programData")
    #expect(
      try refused { $0.task?.requestTimeoutMilliseconds = 0 } == "task.requestTimeoutMilliseconds")
    #expect(
      try refused { $0.task?.resourceTimeoutMilliseconds = -1 }
        == "task.resourceTimeoutMilliseconds")
    #expect(try refused { $0.task?.expectedSendByteCount = -1 } == "task.expectedSendByteCount")
    #expect(
      try refused { $0.task?.subtitle = String(repeating: "x", count: 1025) } == "task.subtitle")
    #expect(
      try refused { $0.task?.expectedReceiveByteCount = -1 } == "task.expectedReceiveByteCount")
    #expect(
      try refused { $0.task?.resumes = ResumeToken(id: TransferID(rawValue: 1), secret: "") }
        == "task.resumes")
    for (text, count) in [("ftp://example.org/7", Int64(0)), ("https://example.org/7", -1)] {
      var resumption = UploadResumption(
        url: try TransferURL.parse(text).get().url, minimumReach: .world, modifiedNanoseconds: 0)
      resumption.confirmedByteCount = count
      #expect(try refused { $0.task?.continues = resumption } == "task.continues")
    }
  }

  @Test func `an unusable or harmful credential is refused`() throws {
    let changes: [(inout OriginCredential) -> Void] = [
      { $0.origin = "" }, { $0.origin = "a\nb" },
      { $0.login = Login(user: "a:b", password: "") }, { $0.trustedKeys = ["0a"] },
      { $0.certificate = ClientCertificate(certificatePath: "c", keyPath: "/k") },
      { $0.certificate = ClientCertificate(certificatePath: "/c", keyPath: "k") },
    ]
    for change in changes {
      var credential = OriginCredential(origin: "https://example.org:443")
      change(&credential)
      #expect(try refused { $0.task?.credentials = [credential] } == "task.credentials")
    }
  }

  // MARK: Sessions

  @Test func `the name of a session has 1 to 255 bytes and is not the user's own`() {
    #expect(attach("a", "") == nil)
    #expect(attach(String(repeating: "a", count: 255), "") == nil)
    for name in ["", String(repeating: "a", count: 256), #"a\u0000b"#, "kettle"] {
      #expect(attach(name, "") == ControlError(.refusedSpec, "params.session"))
    }
    for method in ["sessions.finishEvents", "sessions.adopt", "sessions.drop"] {
      #expect(
        error(
          of: #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"session":"kettle"}}"#)
          == ControlError(.refusedSpec, "params.session"))
    }
  }

  @Test(arguments: [
    (#","connectionsPerHostMax":0"#, "connectionsPerHostMax"),
    (#","launch":{"executablePath":"app","arguments":[]}"#, "launch.executablePath"),
    (#","launch":{"executablePath":"/a\u0000b","arguments":[]}"#, "launch.executablePath"),
    (#","launch":{"executablePath":"/a","arguments":["a\u0000b"]}"#, "launch.arguments"),
    (#","launch":{"executablePath":"/a","arguments":[],"directory":"b"}"#, "launch.directory"),
  ])
  func `unusable launch options are refused`(
    _ options: String, _ part: String
  ) {
    #expect(attach("a", options) == ControlError(.refusedSpec, "params.options.\(part)"))
  }

  @Test func `a command line longer than the kernel's limit is refused`() {
    let long = String(repeating: "x", count: 131_072)
    #expect(
      attach("a", #","launch":{"executablePath":"/a","arguments":["\#(long)"]}"#)
        == ControlError(.refusedSpec, "params.options.launch.arguments"))
  }

  @Test func `changes and answers are checked like the task itself`() {
    let long = String(repeating: "x", count: TaskOptions.programDataByteCountMax + 1)
    #expect(
      error(
        of:
          #"{"jsonrpc":"2.0","id":1,"method":"tasks.update","params":{"id":1,"programData":"\#(long)"}}"#
      ) == ControlError(.refusedSpec, "params.programData"))
    #expect(
      error(
        of:
          #"{"jsonrpc":"2.0","id":1,"method":"tasks.answer","params":{"id":1,"challenge":{"kind":"basic","#
          + #""origin":"o","failureCount":0,"certificates":[],"isTrustedBySystem":false},"#
          + #""answer":{"login":{"_0":{"user":"a:b","password":""}}}}}"#)
        == ControlError(.refusedSpec, "params.answer"))
  }
}
