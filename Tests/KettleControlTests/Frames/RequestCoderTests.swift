import KettleControl
import KettleModel
import Testing

struct RequestCoderTests {
  private let coder = RequestCoder()

  private func decode(_ line: String) -> ReceivedRequest { coder.decode(bytes(line)) }

  @Test func `requests have exactly these texts`() throws {
    #expect(
      text(try coder.encode(Hello.self, Hello.Params(client: "kettle \"add\""), id: 1))
        == #"""
        {"jsonrpc":"2.0","id":1,"method":"hello","params":{"client":"kettle \"add\"",\#
        "protocolVersion":1}}
        """#
    )
    #expect(
      text(try coder.encode(ServiceStatus.self, Nothing(), id: 2))
        == #"{"jsonrpc":"2.0","id":2,"method":"service.status"}"#)
    let ids = TransferSelection.ids([TransferID(rawValue: 4), TransferID(rawValue: 9)])
    #expect(
      text(
        try coder.encode(ControlTransfers.self, .init(control: .pause, selection: ids), id: 3))
          == #"""
          {"jsonrpc":"2.0","id":3,"method":"transfers.control","params":{"control":"pause",\#
          "selection":{"ids":[4,9]}}}
          """#
    )
  }

  @Test func `a new transfer has exactly this text`() throws {
    let spec = try #require(ProtocolSamples.spec())
    #expect(
      text(try coder.encode(AddTransfers.self, .init(transfers: [spec]), id: 5))
        == #"""
        {"jsonrpc":"2.0","id":5,"method":"transfers.add","params":{"transfers":[{\#
        "beginning":"queued","headers":[],"onConflict":"rename","priority":{"value":0.5},\#
        "session":"kettle","trustedServers":[],"url":"https://example.org/guide.pdf"}]}}
        """#
    )
  }

  @Test func `every request survives a round trip`() throws {
    let spec = try #require(ProtocolSamples.spec())
    let viewport = Viewport(
      filter: RowFilter(states: [.running], session: .kettle, text: "ü"),
      sort: RowSort(key: .size, isDescending: true), first: 3, count: 40,
      anchor: TransferID(rawValue: 9))
    let id = TransferID(rawValue: .max)
    func roundTrip<Method: ControlMethod>(
      _ method: Method.Type, _ params: Method.Params
    ) throws -> ReceivedRequest {
      coder.decode(try coder.encode(method, params, id: 7))
    }
    func expect(_ received: ReceivedRequest, _ request: ControlRequest) {
      #expect(received == .request(.number(7), request))
    }
    expect(try roundTrip(Hello.self, .init(client: "c")), .hello(.init(client: "c")))
    expect(
      try roundTrip(AddTransfers.self, .init(transfers: [spec])), .add(.init(transfers: [spec])))
    expect(try roundTrip(ListTransfers.self, viewport), .list(viewport))
    expect(try roundTrip(DescribeTransfer.self, .init(id: id)), .describe(.init(id: id)))
    expect(
      try roundTrip(ControlTransfers.self, .init(control: .stop, selection: .all)),
      .control(.init(control: .stop, selection: .all)))
    let link = RelinkTransfer.Params(
      id: id, url: spec.url, login: Login(user: "me", password: "p"))
    expect(try roundTrip(RelinkTransfer.self, link), .relink(link))
    expect(try roundTrip(BeginTransfer.self, .init(id: id)), .begin(.init(id: id)))
    let search = RowSearch(
      filter: RowFilter(scope: .uncleared), sort: RowSort(key: .speed), text: "iso", start: id,
      startIndex: 7, isBackwards: true, matching: RowFilter(states: [.failed]))
    expect(try roundTrip(FindTransfer.self, search), .find(search))
    let limit = LimitSpeed.Params(selection: .ids([id]), bytesPerSecond: 1)
    expect(try roundTrip(LimitSpeed.self, limit), .limit(limit))
    let noLimit = LimitSpeed.Params(selection: .all, bytesPerSecond: nil)
    expect(try roundTrip(LimitSpeed.self, noLimit), .limit(noLimit))
    let move = MoveTransfers.Params(
      selection: .matching(RowFilter(host: "example.org", scope: .uncleared), except: [id]),
      way: .toBottom)
    expect(try roundTrip(MoveTransfers.self, move), .move(move))
    let priority = PrioritizeTransfers.Params(selection: .ids([id]), priority: .high)
    expect(try roundTrip(PrioritizeTransfers.self, priority), .prioritize(priority))
    let assignment = AssignTransfers.Params(selection: .ids([id]), queue: .standard)
    expect(try roundTrip(AssignTransfers.self, assignment), .assign(assignment))
    expect(try roundTrip(ListQueues.self, Nothing()), .listQueues)
    expect(try roundTrip(ClearFinished.self, Nothing()), .clear)
    expect(try roundTrip(ReportNews.self, Nothing()), .news)
    let sum = SumFinished.Params(since: WallTime(millisecondsSince1970: 5))
    expect(try roundTrip(SumFinished.self, sum), .sum(sum))
    let urls = FindURLs.Params(urls: ["https://example.org/a"])
    expect(try roundTrip(FindURLs.self, urls), .findURLs(urls))
    let repeatable = AddTransfers.Params(transfers: [spec], requestID: "r-1")
    expect(try roundTrip(AddTransfers.self, repeatable), .add(repeatable))
    let many = try #require(
      AddURLs.Params(urls: [spec.url, spec.url], template: spec, requestID: "r-2"))
    expect(try roundTrip(AddURLs.self, many), .addURLs(many))
    expect(try roundTrip(ResetTransfers.self, Nothing()), .reset)
    expect(try roundTrip(SubscribeViewport.self, viewport), .subscribe(viewport))
    expect(
      try roundTrip(WatchEvents.self, .init(includesProgress: true)),
      .watch(.init(includesProgress: true)))
    expect(try roundTrip(ServiceStatus.self, Nothing()), .status)
    expect(try roundTrip(StopService.self, Nothing()), .stop)
  }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","id":"a b","method":"service.status"}"#, RequestID.string("a b")),
    (#"{"jsonrpc":"2.0","id":-5,"method":"service.status","params":{}}"#, .number(-5)),
    (#" {"method":"service.status","jsonrpc":"2.0","params":null,"id":0} "#, .number(0)),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"service.status\"}\r", .number(1)),
  ])
  func `ids are numbers or strings, at any position`(line: String, id: RequestID) {
    #expect(decode(line) == .request(id, .status))
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","method":"service.stop"}"#,
    #"{"jsonrpc":"2.0","id":null,"method":"service.stop"}"#,
    #"{"jsonrpc":"2.0","method":"transfers.add","params":7}"#,
    #"{"jsonrpc":"2.0","method":"no such thing"}"#,
  ])
  func `a request without an id is never performed and never answered`(line: String) {
    #expect(decode(line) == .notification)
  }

  // Fault 115
  @Test(arguments: [
    ("", "JSON"), ("{", "JSON"), ("nonsense", "JSON"), (#"{"id":1 "x":2}"#, "JSON"),
    (#"{"jsonrpc":"2.0","id":NaN,"method":"service.status"}"#, "JSON"),
    (#"{"jsonrpc":"2.0","id":1,"method":"service.status"} {}"#, "JSON"),
    ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\u{0}b\"}", "control byte"),
  ])
  func `invalid JSON is a parse error without an id`(line: String, message: String) {
    #expect(decode(line) == .refused(nil, ControlError(.parseError, message)))
  }

  /// Not test arguments, because the failure report and the log would contain them.
  // Fault 115
  @Test func `nesting that would cost the stack is refused before it is decoded`() {
    let start = #"{"jsonrpc":"2.0","id":1,"method":"service.status","params":"#
    let nestings = [
      String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 100_000),
      start + String(repeating: "[", count: 32), start + String(repeating: "[{\"a\":", count: 5000),
    ]
    for line in nestings {
      #expect(decode(line) == .refused(nil, ControlError(.parseError, "nesting")))
    }
    let deepest = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
    #expect(decode(start + deepest + "}") == .request(.number(1), .status))
  }

  // Fault 115
  @Test func `bytes that are not UTF-8 are a parse error`() {
    var line = bytes(#"{"jsonrpc":"2.0","id":1,"method":"service.status","x":"?"}"#)
    for bad: UInt8 in [0xFF, 0xC0, 0x80, 0xED] {
      line[line.count - 3] = bad
      #expect(coder.decode(line) == .refused(nil, ControlError(.parseError, "UTF-8")))
    }
  }

  @Test func `brackets inside a string do not nest`() {
    let brackets = String(repeating: "[{", count: 5000) + #"\"[\\"#
    let line = #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocolVersion":1,"client":""#
    guard case .request(_, .hello(let params)) = decode(line + brackets + #""}}"#) else {
      Issue.record("not read as hello")
      return
    }
    #expect(params.client == String(repeating: "[{", count: 5000) + #""[\"#)
  }

  // Fault 115
  @Test(
    arguments: [
      ("[]", nil, "object"), ("5", nil, "object"), ("null", nil, "object"),
      (#"[{"jsonrpc":"2.0","id":1,"method":"service.status"}]"#, nil, "object"),
      ("{}", nil, "jsonrpc"),
      (#"{"jsonrpc":"1.0","id":3,"method":"service.status"}"#, RequestID.number(3), "jsonrpc"),
      (#"{"jsonrpc":2.0,"id":3,"method":"service.status"}"#, .number(3), "jsonrpc"),
      (#"{"jsonrpc":"2.0","id":{},"method":"service.status"}"#, nil, "id"),
      (#"{"jsonrpc":"2.0","id":true,"method":"service.status"}"#, nil, "id"),
      (#"{"jsonrpc":"2.0","id":1.5,"method":"service.status"}"#, nil, "id"),
      (#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"service.status"}"#, nil, "id"),
      (#"{"jsonrpc":"2.0","id":1e400,"method":"service.status"}"#, nil, "id"),
      (#"{"jsonrpc":"2.0","id":"x"}"#, .string("x"), "method"),
      (#"{"jsonrpc":"2.0","id":"x","method":7}"#, .string("x"), "method"),
      (#"{"jsonrpc":"2.0","method":7}"#, nil, "method"),
    ] as [(String, RequestID?, String)])
  func `an invalid JSON-RPC 2_0 request is refused with the wrong part`(
    line: String, id: RequestID?, message: String
  ) {
    #expect(decode(line) == .refused(id, ControlError(.invalidRequest, message)))
  }

  @Test func `an unknown method is named, up to a length`() {
    #expect(
      decode(#"{"jsonrpc":"2.0","id":1,"method":"aria2.addUri"}"#)
        == .refused(.number(1), ControlError(.methodNotFound, "aria2.addUri")))
    let long = String(repeating: "m", count: 10_000)
    #expect(
      decode(#"{"jsonrpc":"2.0","id":1,"method":"\#(long)"}"#)
        == .refused(.number(1), ControlError(.methodNotFound, String(long.prefix(200)))))
  }

  @Test(arguments: [
    ("hello", "", "params"),
    ("hello", #","params":[1,"c"]"#, "params"),
    ("hello", #","params":{"protocolVersion":1}"#, "params.client"),
    (
      "hello", #","params":{"protocolVersion":9223372036854775808,"client":"c"}"#,
      "params"
    ),
    ("transfers.describe", #","params":{"id":"7"}"#, "params.id"),
    ("transfers.describe", #","params":{"id":1e30}"#, "params"),
    (
      "transfers.control", #","params":{"control":"explode","selection":{"all":true}}"#,
      "params.control"
    ),
    ("transfers.control", #","params":{"control":"stop","selection":{}}"#, "params.selection"),
    (
      "transfers.control", #","params":{"control":"stop","selection":{"all":false}}"#,
      "params.selection"
    ),
    (
      "transfers.list",
      #","params":{"filter":{},"sort":{"key":"queue","isDescending":false},"first":-1,"count":5}"#,
      "params.first"
    ),
    (
      "transfers.list",
      #","params":{"filter":{},"sort":{"key":"size","isDescending":true},"first":0,"count":10001}"#,
      "params.count"
    ),
    (
      "transfers.add", #","params":{"transfers":[{"url":"nfs://example.org/"}]}"#,
      "params.transfers[0].url"
    ),
    ("transfers.add", #","params":{"transfers":[],"requestID":""}"#, "params.requestID"),
    ("transfers.relink", #","params":{"id":1,"url":"nfs://example.org/"}"#, "params.url"),
    ("transfers.relink", #","params":{"id":1}"#, "params.url"),
    (
      "transfers.relink",
      #","params":{"id":1,"url":"http://a/","login":{"user":"a:b","password":"c"}}"#,
      "params.login"
    ),
    ("limits.set", #","params":{"bytesPerSecond":5}"#, "params.selection"),
    ("transfers.move", #","params":{"selection":{"all":true},"way":"sideways"}"#, "params.way"),
    ("transfers.move", #","params":{"selection":{},"way":"up"}"#, "params.selection"),
    (
      "transfers.prioritize", #","params":{"selection":{"all":true},"priority":{"value":2}}"#,
      "params.priority.value"
    ),
    (
      "limits.set", #","params":{"selection":{"all":true},"bytesPerSecond":0}"#,
      "params.bytesPerSecond"
    ),
    (
      "limits.set", #","params":{"selection":{"all":true},"bytesPerSecond":"1M"}"#,
      "params.bytesPerSecond"
    ),
  ])
  func `invalid parameters are named by their path`(
    method: String, params: String, place: String
  ) {
    #expect(
      decode(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"\#(params)}"#)
        == .refused(.number(1), ControlError(.invalidParams, place)))
  }

  @Test func `a login in a fresh link becomes the login`() throws {
    let line = #"{"jsonrpc":"2.0","id":1,"method":"transfers.relink","params":{"id":3,"url":"#
    func read(_ rest: String) throws -> RelinkTransfer.Params {
      guard case .request(_, .relink(let params)) = decode(line + rest + "}}") else {
        throw ControlError(.invalidRequest, rest)
      }
      return params
    }
    let inText = try read(#""https://me:s%2Fp@example.org/a""#)
    #expect(inText.login == Login(user: "me", password: "s/p"))
    #expect(inText.url.text == "https://example.org/a")
    let both = try read(#""https://me:p@a.b/","login":{"user":"you","password":"q"}"#)
    #expect(both.login == Login(user: "you", password: "q"))
    #expect(try read(#""https://example.org/a""#).login == nil)
  }

  @Test func `a request id that is too long is refused`() throws {
    let spec = try #require(ProtocolSamples.spec())
    for (count, isTaken) in [(128, true), (129, false)] {
      let params = AddTransfers.Params(
        transfers: [spec], requestID: String(repeating: "x", count: count))
      let received = coder.decode(try coder.encode(AddTransfers.self, params, id: 1))
      let refused = ReceivedRequest.refused(
        .number(1), ControlError(.invalidParams, "params.requestID"))
      #expect(received == (isTaken ? .request(.number(1), .add(params)) : refused))
    }
  }

  @Test func `a second header hidden in a header is refused`() {
    let line = """
      {"jsonrpc":"2.0","id":1,"method":"transfers.add","params":{"transfers":[\
      {"url":"https://a.b/","headers":[{"name":"X","value":"a\\r\\nEvil: b"}]}]}}
      """
    #expect(
      decode(line)
        == .refused(
          .number(1), ControlError(.invalidParams, "params.transfers[0].headers[0].value")))
  }

  @Test func `a request that decodes but is invalid is refused with its part`() {
    let line = """
      {"jsonrpc":"2.0","id":1,"method":"transfers.add","params":{"transfers":[\
      {"url":"https://a.b/"},{"url":"https://a.b/","name":"../../.profile"}]}}
      """
    #expect(
      decode(line) == .refused(.number(1), ControlError(.refusedSpec, "params.transfers[1].name")))
  }

  @Test(arguments: [
    (#""options":{"proxy":{"url":"http://h\u0007"}}"#, "options.proxy"),
    (
      #""options":{"cookies":[{"name":"","value":"b","domain":"h","includesSubdomains":false,"#
        + #""path":"/","isSecure":false}]}"#, "options.cookies"
    ),
    (#""login":{"user":"a:b","password":""}"#, "login"),
    (#""headers":[{"name":"X:Y","value":"a"}]"#, "headers"),
    (#""request":{"method":"CONNECT"}"#, "request.method"),
  ])
  func `a part that no service may act on is named`(part: String, place: String) {
    func refused(_ place: String) -> ReceivedRequest {
      .refused(.number(1), ControlError(.refusedSpec, place))
    }
    func decode(_ method: String, _ params: String) -> ReceivedRequest {
      self.decode(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
    }
    let spec = #"{"url":"https://a.b/","# + part + "}"
    #expect(
      decode("transfers.add", #"{"transfers":[\#(spec)]}"#)
        == refused("params.transfers[0].\(place)"))
    #expect(
      decode("transfers.addURLs", #"{"urls":["https://a.b/"],"template":{\#(part)}}"#)
        == refused("params.template.\(place)"))
    #expect(
      decode("transfers.follow", #"{"id":1,"transfer":\#(spec)}"#)
        == refused("params.transfer.\(place)"))
  }

  @Test func `searching for too many URLs is refused`() throws {
    for (count, isTaken) in [(FindURLs.countMax, true), (FindURLs.countMax + 1, false)] {
      let params = FindURLs.Params(urls: Array(repeating: "http://a/", count: count))
      let received = coder.decode(try coder.encode(FindURLs.self, params, id: 1))
      let refused = ReceivedRequest.refused(
        .number(1), ControlError(.invalidParams, "params.urls"))
      let isAsExpected = received == (isTaken ? .request(.number(1), .findURLs(params)) : refused)
      #expect(isAsExpected, "\(count)")
    }
  }
}
