import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

/// The reply to `kettle add`, or to the same request of `kettle get`, is lost.
@Suite(.timeLimit(.minutes(5)))
struct LostReplyTests {
  private let lost = "kettle: The connection to the service was lost; try again, "

  // Fault 110
  // Fault 119
  @Test func `a repeated request adds nothing twice`() async {
    var context = FakeContext()
    context.service = FakeService(instance: "a")
    context.service.loseReply()
    let outcome = await context.run("add", "https://example.org/1", "https://example.org/2")
    #expect(outcome == .init(code: 0, output: "1\n2\n", error: ""))
    #expect(context.service.asked.count == 2)
  }

  @Test func `a request is not repeated to another service instance`() async {
    var context = FakeContext()
    let next = FakeService(instance: "b")
    context.service = FakeService(instance: "a")
    context.service.loseReply()
    let connector = FakeConnector([.success(context.service), .success(next)])
    context.connector = connector
    let outcome = await context.run("add", "https://example.org/1")
    #expect(outcome.code == 3)
    #expect(outcome.error.hasPrefix(lost))
    #expect(next.asked.isEmpty)
    #expect(connector.attempts.map(\.startIfNeeded) == [true, false])
  }

  @Test func `a request is not repeated to a service without an instance id`() async {
    let context = FakeContext()
    context.service.loseReply()
    let outcome = await context.run("add", "https://example.org/1")
    #expect(outcome.code == 3)
    #expect(context.service.asked.count == 1)
  }

  @Test func `a transfer added over a second connection is followed`() async {
    var context = FakeContext()
    let next = FakeService(instance: "a")
    var row = snapshot(1, .completed)
    row.path = "/home/anna/Downloads/file.iso"
    next.onWatch([event(row)])
    context.service = FakeService(instance: "a")
    context.service.loseReply()
    context.service.fail(WatchEvents.name, with: ClientError.connectionLost)
    let connector = FakeConnector([.success(context.service), .success(next)])
    context.connector = connector
    let outcome = await context.run("get", "--json", "https://example.org/file.iso")
    #expect(outcome == .init(code: 0, output: row.json.text + "\n", error: ""))
    #expect(connector.attempts.map(\.startIfNeeded) == [true, false, false])
    #expect(context.service.isClosed)
  }

  @Test func `every request has a unique id`() async {
    var context = FakeContext()
    context.service = FakeService(instance: "a")
    #expect(await context.run("add", "https://example.org/1").output == "1\n")
    #expect(await context.run("add", "https://example.org/1").output == "1\n2\n")
  }
}
