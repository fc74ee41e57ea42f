import KettleControl
import KettleModel
import Testing

struct ReplyCoderTests {
  private let coder = ReplyCoder()

  @Test func `replies have exactly these texts`() {
    #expect(
      text(coder.encode(result: Hello.Result(serviceVersion: "0.1.0"), to: .number(1)))
        == #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"serviceVersion":"0.1.0"}}"#)
    #expect(
      text(coder.encode(result: Nothing(), to: .string("a\"\n")))
        == #"{"jsonrpc":"2.0","id":"a\"\n","result":{}}"#)
    #expect(
      text(coder.encode(error: ControlError(.methodNotFound, "x/y"), to: .number(.min)))
        == #"{"jsonrpc":"2.0","id":-9223372036854775808,"error":{"code":-32601,"message":"x/y"}}"#)
    #expect(
      text(coder.encode(error: ControlError(.parseError, "JSON"), to: nil))
        == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"JSON"}}"#)
  }

  @Test func `an event has exactly this text`() throws {
    let event = ProtocolSamples.event(.progress, 3, at: 5, written: 10, total: 30)
    #expect(
      text(try #require(coder.encode(.event(event))))
        == #"""
        {"jsonrpc":"2.0","method":"event","params":{"at":5,"bytesWritten":10,"id":3,"kind":\#
        "progress","snapshot":{"bytesPerSecond":0,"bytesReceived":10,"connections":0,\#
        "createdAt":1000,"id":3,"priority":{"value":0.5},"session":"kettle","state":\#
        "running","taskIdentifier":3,"title":"Guide","url":"https://example.org/guide.pdf"},\#
        "totalBytesExpected":-1,"totalBytesWritten":30}}
        """#
    )
  }

  @Test func `results decode as the requested type`() throws {
    let window = ProtocolSamples.window(first: 4)
    guard
      case .result(let id, let unread) = coder.decode(coder.encode(result: window, to: .number(8)))
    else {
      Issue.record("not read as a result")
      return
    }
    #expect(id == .number(8))
    #expect(try unread.decode(RowWindow.self) == window)
    #expect(throws: ControlError(.internalError, "result.ids")) {
      try unread.decode(AddTransfers.Result.self)
    }
  }

  /// A delayed task with mirrors may begin with another request than it was added with.
  @Test func `a program reads its task whatever has become of the request`() throws {
    var spec = try #require(ProtocolSamples.spec())
    spec.session = SessionID(rawValue: "app")
    spec.task = TaskOptions(kind: .download)
    spec.options.mirrors = [spec.url]
    spec.request = RequestContent(method: "POST")
    #expect(spec.refusedPart == "options.mirrors")
    let attached = AttachSession.Result(
      tasks: [SessionTask(snapshot: ProtocolSamples.snapshot(), spec: spec)],
      lastTaskIdentifier: 1)
    guard
      case .result(_, let unread) = coder.decode(coder.encode(result: attached, to: .number(1)))
    else {
      Issue.record("not read as a result")
      return
    }
    #expect(try unread.decode(AttachSession.Result.self) == attached)
  }

  @Test func `notifications survive a round trip`() throws {
    for notification in [
      ControlNotification.viewport(ProtocolSamples.window(first: 9)),
      .event(ProtocolSamples.event(.removed)),
    ] {
      let line = try #require(coder.encode(notification))
      #expect(coder.decode(line) == .notification(notification))
    }
  }

  @Test func `unknown parts of a newer service are skipped`() {
    #expect(
      coder.decode(bytes(#"{"jsonrpc":"2.0","method":"weather","params":[1]}"#))
        == .unknownNotification)
    #expect(
      coder.decode(
        bytes(#"{"jsonrpc":"2.0","id":1,"error":{"code":-31999,"message":"m","data":[]}}"#))
        == .error(.number(1), ControlError(.internalError, "m")))
  }

  @Test(arguments: [
    "", "{}", "[]", "x", #"{"jsonrpc":"2.0","id":[],"result":{}}"#, #"{"id":1,"error":7}"#,
    #"{"jsonrpc":"2.0","method":"event","params":{}}"#, #"{"jsonrpc":"2.0","id":,"result":{}}"#,
    #"{"jsonrpc":"2.0","id":99999999999999999999,"result":{}}"#,
  ])
  func `anything but a reply is unreadable`(line: String) {
    #expect(coder.decode(bytes(line)) == .unreadable)
  }

  @Test func `a result that JSON cannot represent becomes an error`() {
    #expect(
      coder.decode(coder.encode(result: [Double.nan], to: .number(1)))
        == .error(.number(1), ControlError(.internalError, "result")))
  }
}
