import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct QueuesCommandTests {
  private static let start = WallTime(millisecondsSince1970: FakeClock.start)

  private func name(_ text: String) throws -> QueueName { try #require(QueueName(text)) }

  private func context() throws -> FakeContext {
    var context = FakeContext()
    var night = row(2)
    night.queue = try name("night")
    context.service = FakeService([row(1), night])
    context.service.have([
      QueueSnapshot(name: .standard, runningCount: 3, queuedCount: 0),
      QueueSnapshot(
        name: try name("night"), transfersMax: 2, hours: "01:00-06:00", isOpen: false,
        until: Self.start.advanced(byMilliseconds: 3_600_000), queuedCount: 12),
      QueueSnapshot(name: try name("slow"), waitsFor: .unmeteredNetwork, runningCount: 1),
    ])
    return context
  }

  private func row(_ id: Int64) -> TransferSnapshot { snapshot(id, .queued) }

  @Test func `each queue has a line with its hours, its limit and its transfers`() async throws {
    #expect(
      try await context().run("queues")
        == .init(
          code: 0,
          output: """
            default  3 running; 0 queued
            night  01:00-06:00, closed until 15:00; 0 of 2 running; 12 queued
            slow  waits for a network without costs; 1 running

            """, error: ""))
  }

  @Test func `JSON has every member`() async throws {
    let outcome = try await context().run("queues", "--json")
    for part in [
      "\"name\": \"night\"", "\"transfersMax\": 2", "\"hours\": \"01:00-06:00\"",
      "\"isOpen\": false", "\"until\": \"20", "\"waitsFor\": \"unmeteredNetwork\"",
      "\"runningCount\": 3", "\"queuedCount\": 12", "\"queuedCount\": null",
    ] {
      #expect(outcome.output.contains(part), "\(part)")
    }
  }

  @Test func `move names the transfers that are in the queue now`() async throws {
    let context = try context()
    #expect(
      await context.run("queues", "move", "night", "1", "2")
        == .init(
          code: 0, output: "1 is in the queue \"night\"\n2 is in the queue \"night\"\n", error: ""))
    let ids = [1, 2].map { TransferID(rawValue: $0) }
    #expect(context.service.asked == [.assign(.ids(ids), try name("night"))])
  }

  @Test func `a queue that does not exist is refused with how to make it`() async throws {
    let context = try context()
    context.service.fail(AssignTransfers.name, with: ControlError(.unknownQueue, "nihgt"))
    let outcome = await context.run("queues", "move", "nihgt", "1")
    #expect(outcome.code == 2)
    #expect(
      outcome.error
        == "kettle: There is no queue \"nihgt\"; \"kettle queues\" shows all, and "
        + "\"kettle config set queues.nihgt.transfers 2\" creates it\n")
  }

  @Test(arguments: [
    ["queues", "move", "two words", "1"], ["add", "--queue", "a/b", "http://a.example/f"],
    ["list", "--queue", ""], ["pause", "--queue", "a.b"],
  ])
  func `text that is not a name is a usage error`(arguments: [String]) async throws {
    let context = try context()
    let outcome = await context.run(arguments)
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("Invalid queue "))
    #expect(context.service.asked.isEmpty)
  }

  @Test func `add puts the transfer into the queue`() async throws {
    let context = try context()
    let arguments = ["add", "--queue", "night", "http://a.example/f"]
    #expect(await context.run(arguments).code == 0)
    guard case .add(let specs)? = context.service.asked.last else {
      Issue.record("nothing was added")
      return
    }
    #expect(specs.map(\.options.queue?.text) == ["night"])
  }

  @Test func `list and the controls apply to a queue`() async throws {
    let context = try context()
    let listed = await context.run("list", "--queue", "night", "--json")
    #expect(listed.output.contains("\"id\": 2,") && !listed.output.contains("\"id\": 1,"))
    #expect(listed.output.contains("\"queue\": \"night\""))
    #expect(await context.run("pause", "--queue", "night").code == 0)
    guard case .control(.pause, .matching(let filter, [])) = context.service.asked.last else {
      Issue.record("nothing was paused")
      return
    }
    #expect(filter.queue?.text == "night")
    #expect(filter.states?.contains(.completed) == false)
  }

  @Test func `a queue excludes ids and --all`() async throws {
    let outcome = try await context().run("stop", "--queue", "night", "3")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("takes --queue, ids or --all, but only one of them"))
  }

  @Test func `the completion of a queue asks the service`() async throws {
    var context = try context()
    context.environment["SAP_SHELL"] = "fish"
    let question = [
      "---completion", "queues", "move", "--", "positional@0", "2", "0", "kettle", "queues", "move",
      "",
    ]
    #expect(await context.run(question).output == "default\nnight\t01:00-06:00\nslow\n")
  }
}
