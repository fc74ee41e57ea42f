import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct EventFollowerTests {
  @Test func `reconnecting to a service that drops every connection stops eventually`() async {
    var context = FakeContext()
    let dropping = FakeService([snapshot(1, .running)])
    dropping.fail(WatchEvents.name, with: ClientError.connectionLost)
    let connector = FakeConnector([.success(dropping)])
    context.connector = connector
    let outcome = await context.run("watch")
    #expect(outcome.code == 3)
    #expect(
      outcome.error
        == "kettle: The connection to the service was lost; try again, which restarts the service "
        + "if needed\n")
    #expect(connector.attempts.count == 11)
    #expect(context.clock.elapsedMilliseconds == 200 + 400 + 800 + 1600 + 3200 + 5 * 5000)
  }

  @Test func `the delays grow and stay bounded`() {
    let pauses = [0, 1, 2, 3, 6, 7, 1000, Int.max].map {
      Reconnection.pauseMilliseconds(afterFailures: $0)
    }
    #expect(pauses == [200, 200, 400, 800, 5000, 5000, 5000, 5000])
  }
}
