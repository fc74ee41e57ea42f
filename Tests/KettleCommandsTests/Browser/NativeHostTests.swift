import KettleControl
import KettleModel
import KettleRPC
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

/// `kettle-native-host` with a service in memory.
@Suite(.timeLimit(.minutes(5)))
struct NativeHostTests {
  private var context = FakeContext()

  private func frames(_ messages: String...) throws -> [UInt8] {
    try messages.flatMap { try #require(NativeFrames.frame(Array($0.utf8))) }
  }

  private func replies(of console: FakeConsole) throws -> [RPCValue] {
    var frames = NativeFrames()
    frames.append(console.outputBytes.span)
    var replies: [RPCValue] = []
    while let message = try frames.next() { replies.append(try JSONReader.value(message)) }
    try frames.end()
    return replies
  }

  @Test mutating func `requests are answered in order until the end`() async throws {
    context.console = FakeConsole(
      input: try frames(
        #"{"id":1,"method":"hello"}"#, #"{"id":2,"method":"no"}"#, "{",
        #"{"id":3,"method":"add","download":{"url":"https://a.example/f","name":"g"}}"#))
    #expect(await runNativeHost(context: context.context) == 0)
    let replies = try replies(of: context.console)
    #expect(replies.count == 4)
    #expect(
      replies.first == ["id": .integer(1), "result": ["version": .text(ProductVersion.text)]])
    #expect(
      replies.dropFirst().first?.object?["error"]?.text?.hasPrefix(
        "This program does not know the request \"no\"") == true)
    #expect(replies.dropFirst(2).first?.object?["id"] == .null)
    #expect(replies.last == ["id": .integer(3), "result": ["transfer": .integer(1)]])
    let specs = context.service.asked.flatMap { asked -> [TransferSpec] in
      if case .add(let specs) = asked { specs } else { [] }
    }
    #expect(specs.map { $0.name?.text } == ["g"])
  }

  @Test mutating func `the list has unfinished transfers and those that ended`() async throws {
    var running = snapshot(1, .running, title: "a\u{1B}[2J\u{202E}b")
    running.bytesReceived = 5
    running.bytesExpected = 10
    var failed = snapshot(2, .failed)
    failed.error = TransferFailure(.httpStatus, on: "https://a.example/", detail: "404 Not Found")
    context.service = FakeService([running, failed, snapshot(3, .paused)])
    context.console = FakeConsole(input: try frames(#"{"id":1,"method":"list"}"#))
    #expect(await runNativeHost(context: context.context) == 0)
    let result = try replies(of: context.console).first?.object?["result"]?.object
    #expect(result?["isRunning"] == .boolean(true))
    #expect(result?["unfinishedCount"] == .integer(2))
    let rows = (result?["rows"]?.list ?? []).compactMap(\.object)
    #expect(rows.map { $0["transfer"] } == [.integer(1), .integer(3), .integer(2)])
    #expect(rows.first?["title"] == "a\u{FFFD}[2J\u{FFFD}b")
    #expect(rows.first?["bytesExpected"] == .integer(10))
    #expect(rows.last?["note"]?.text?.contains("404") == true)
  }

  @Test mutating func `the longest list fits into a message`() async throws {
    let name = String(repeating: "\u{1F600}\"", count: 2000)
    context.service = FakeService((1...200).map { snapshot($0, .queued, title: name) })
    context.console = FakeConsole(input: try frames(#"{"id":1,"method":"list"}"#))
    #expect(await runNativeHost(context: context.context) == 0)
    let result = try replies(of: context.console).first?.object?["result"]?.object
    #expect(result?["rows"]?.list?.count == BrowserList.unfinishedCountMax)
    #expect(result?["unfinishedCount"] == .integer(200))
  }

  @Test mutating func `a list starts no service`() async throws {
    let connector = FakeConnector([.failure(.notRunning(socketPath: "/k"))])
    context.connector = connector
    context.console = FakeConsole(input: try frames(#"{"id":1,"method":"list"}"#))
    #expect(await runNativeHost(context: context.context) == 0)
    #expect(
      try replies(of: context.console)
        == [["id": .integer(1), "result": ["isRunning": .boolean(false), "rows": []]]])
    #expect(connector.attempts.map(\.startIfNeeded) == [false])
  }

  @Test mutating func `a transfer is paused and started`() async throws {
    context.service = FakeService([snapshot(4, .running)])
    context.console = FakeConsole(
      input: try frames(
        #"{"id":1,"method":"pause","transfer":4}"#, #"{"id":2,"method":"start","transfer":4}"#))
    #expect(await runNativeHost(context: context.context) == 0)
    let id = TransferID(rawValue: 4)
    #expect(
      context.service.asked == [.control(.pause, .ids([id])), .control(.start, .ids([id]))])
  }

  @Test mutating func `a download that the browser has given up begins or continues another`()
    async throws
  {
    let begin = #"{"id":1,"method":"begin","transfer":4}"#
    context.console = FakeConsole(input: try frames(begin))
    #expect(await runNativeHost(context: context.context) == 0)
    #expect(context.service.asked == [.begin(TransferID(rawValue: 4))])
    #expect(
      try replies(of: context.console)
        == [["id": .integer(1), "result": ["transfer": .integer(4)]]])

    context.service.begin(answers: .init(id: TransferID(rawValue: 3), continued: "a\u{1B}[2J"))
    context.console = FakeConsole(input: try frames(begin))
    #expect(await runNativeHost(context: context.context) == 0)
    #expect(
      try replies(of: context.console)
        == [["id": .integer(1), "result": ["transfer": .integer(3), "continued": "a\u{FFFD}[2J"]]])

    context.service.begin(answers: .init(id: TransferID(rawValue: 4), refused: .unknown))
    context.console = FakeConsole(input: try frames(begin))
    #expect(await runNativeHost(context: context.context) == 0)
    #expect(try replies(of: context.console).first?.object?["error"]?.text?.isEmpty == false)
  }

  @Test mutating func `a service that cannot be started is a sentence`() async throws {
    context.connector = FakeConnector([.failure(.connectionLost)])
    context.console = FakeConsole(
      input: try frames(#"{"id":1,"method":"add","download":{"url":"https://a.example/f"}}"#))
    #expect(await runNativeHost(context: context.context) == 0)
    let error = try replies(of: context.console).first?.object?["error"]?.text
    #expect(error == ClientError.connectionLost.sentence)
  }

  @Test mutating func `a message that is too long ends the host with an answer`() async throws {
    let length = withUnsafeBytes(of: UInt32(2 << 20)) { Array($0) }
    context.console = FakeConsole(input: length + [UInt8](repeating: 0, count: 5000))
    #expect(await runNativeHost(context: context.context) == 2)
    #expect(try replies(of: context.console).count == 1)
    #expect(context.service.asked == [])
  }

  @Test mutating func `an end within a message is reported`() async throws {
    context.console = FakeConsole(input: Array(try frames(#"{"id":1}"#).dropLast()))
    #expect(await runNativeHost(context: context.context) == 2)
    #expect(context.console.outputBytes == [])
    #expect(context.console.error.hasPrefix("kettle: The browser closed the connection"))
  }

  @Test mutating func `the command is the same, whatever the browser passes`() async throws {
    for words in [
      ["native-host"], ["native-host", "chrome-extension://abc/"],
      ["native-host", "/home/a/org.example.kettle.json", "kettle@example.org"],
    ] {
      context.console = FakeConsole(input: try frames(#"{"id":1,"method":"hello"}"#))
      #expect(await context.run(words).code == 0)
      #expect(try replies(of: context.console).count == 1)
    }
  }
}
