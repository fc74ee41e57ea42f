import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

/// A command beside a service of an older version.
@Suite(.timeLimit(.minutes(5)))
struct ServiceUpdateTests {
  private func run(
    _ old: FakeService, _ words: String...
  ) async -> (result: FakeContext.CommandResult, attempts: [FakeConnector.Attempt]) {
    let new = FakeService([snapshot(1, .paused)], version: ProductVersion.text)
    var context = FakeContext()
    // The command, the stop, and the command again.
    let connector = FakeConnector([.success(old), .success(old), .success(new)])
    connector.run(as: DaemonCommandTests.FakeProcess(hasEnded: true))
    context.connector = connector
    return (await context.run(words), connector.attempts)
  }

  @Test func `an idle service is replaced, and the command goes on with the new one`() async {
    let old = FakeService([snapshot(1, .paused)], version: "0.0.9")
    let (result, attempts) = await run(old, "list")
    #expect(result.code == 0 && result.output.contains("paused"))
    #expect(result.error == "The service of version 0.0.9 was replaced by this one\n")
    #expect(old.asked.contains(.stop) && old.isClosed)
    #expect(attempts.map(\.startIfNeeded) == [true, false, true])
  }

  @Test(arguments: [TransferState.running, .verifying])
  func `a service that is busy goes on`(_ state: TransferState) async {
    let old = FakeService([snapshot(1, state)], version: "0.0.9")
    let (result, attempts) = await run(old, "list")
    #expect(result.code == 0 && attempts.count == 1)
    #expect(!old.asked.contains(.stop))
    #expect(
      result.error
        == "The service is of version 0.0.9, and this program of \(ProductVersion.text); it is "
        + "replaced when nothing is being downloaded, \"kettle daemon stop\" does so now\n")
  }

  @Test(arguments: [ProductVersion.text, "99.0.0", "unknown"])
  func `a service that is not older is left alone`(_ version: String) async {
    let service = FakeService([snapshot(1, .paused)], version: version)
    let (result, attempts) = await run(service, "list")
    #expect(result.code == 0 && result.error == "" && attempts.count == 1)
    #expect(!service.asked.contains(.stop) && !service.asked.contains(.status))
  }
}
