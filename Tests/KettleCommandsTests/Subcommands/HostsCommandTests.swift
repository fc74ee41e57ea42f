import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct HostsCommandTests {
  private static let start = WallTime(millisecondsSince1970: FakeClock.start)

  private static let limited = HostSnapshot(
    origin: "https://files.example", connections: 2, queuedCount: 14,
    limit: .init(connectionsMax: 2, triedCount: 9, since: start, status: 503))

  private static let down = HostSnapshot(
    origin: "http://down.example:8080", queuedCount: 3,
    outage: .init(
      since: start, failedProbeCount: 2, nextProbeAt: start.advanced(byMilliseconds: 60_000),
      error: TransferFailure(.connectionRefused, on: "down.example:8080")))

  private func context(_ hosts: HostSnapshot...) -> FakeContext {
    var context = FakeContext()
    context.service = FakeService()
    context.service.have(hosts)
    return context
  }

  @Test func `each host has a line with its limit or outage`() async {
    #expect(
      await context(Self.limited, Self.down, HostSnapshot(origin: "http://a.example")).run("hosts")
        == .init(
          code: 0,
          output: """
            https://files.example  2 of 9 connections, since a 503 at 14:00; 2 open; 14 queued
            http://down.example:8080  0 open; 3 queued; unreachable since 14:00, next attempt at \
            14:01: "down.example:8080" refused the connection; it will be retried
            http://a.example  0 open

            """, error: ""))
  }

  @Test func `without hosts it says so, and prints an empty array as JSON`() async {
    #expect(
      await context().run("hosts")
        == .init(
          code: 0, output: "",
          error: "No host has connections, queued transfers, a limit or an outage\n"))
    #expect(await context().run("hosts", "--json") == .init(code: 0, output: "[]\n", error: ""))
  }

  @Test func `JSON has every member`() async {
    let outcome = await context(Self.limited).run("hosts", "--json")
    #expect(outcome.code == 0)
    for part in [
      "\"origin\": \"https://files.example\"", "\"connectionsMax\": 2", "\"triedCount\": 9",
      "\"status\": 503", "\"closedUntil\": null", "\"outage\": null",
    ] {
      #expect(outcome.output.contains(part), "\(part)")
    }
  }

  @Test func `reset forgets a host, and an unknown one exits with 2`() async {
    let known = context(Self.limited)
    #expect(
      await known.run("hosts", "reset", "files.example")
        == .init(code: 0, output: "https://files.example starts afresh\n", error: ""))
    #expect(known.service.asked == [.resetHost("files.example")])
    #expect(
      await context().run("hosts", "reset", "x")
        == .init(
          code: 2, output: "",
          error: "kettle: Nothing is remembered about the host \"x\"; \"kettle hosts\" shows the "
            + "known ones\n"))
  }

  @Test func `accept sends the control`() async {
    let context = FakeContext()
    #expect(
      await context.run("accept", "3") == .init(code: 0, output: "3 accepted\n", error: ""))
    #expect(context.service.asked == [.control(.accept, .ids([TransferID(rawValue: 3)]))])
  }

  @Test func `accept says when there is nothing to accept`() async {
    let context = FakeContext()
    context.service.refuse([.init(id: TransferID(rawValue: 3), why: .nothingToDecide)])
    #expect(
      await context.run("accept", "3")
        == .init(
          code: 1, output: "",
          error: "kettle: Transfer 3 does not ask for a decision, so there is nothing to accept\n"))
  }
}
