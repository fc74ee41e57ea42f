import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct GetCommandTests: GetRows {
  @Test func `in a pipe only the path is on standard output, and brief states are not shown`() async
  {
    var context = FakeContext()
    context.clock = FakeClock(stands: true)
    context.service.onWatch([
      event(running(0)), event(running(52_428_800), .progress), event(completed),
    ])
    let outcome = await context.run("get", url)
    #expect(
      outcome
        == .init(
          code: 0,
          output: "/home/anna/Downloads/file.iso\n", error: ""))
    #expect(context.service.asked.contains(.watch(includesProgress: false)))
  }

  @Test func `the connection used for adding is used for following`() async {
    var context = FakeContext()
    let connector = FakeConnector([.success(context.service)])
    context.connector = connector
    context.service.onWatch([event(completed)])
    let outcome = await context.run("get", url)
    #expect(outcome.code == 0)
    #expect(connector.attempts.map(\.client) == ["kettle get"])
    #expect(context.service.isClosed)
  }

  @Test func `get polls every second and prints to a pipe every five seconds`() async {
    let context = FakeContext()
    let looks = (0...11).map { running($0 * 8_388_608) }
    context.service.describe([snapshot(1, .queued)] + looks + [completed])
    let outcome = await context.run("get", url)
    #expect(
      outcome
        == .init(
          code: 0,
          output: "/home/anna/Downloads/file.iso\n",
          error: """
            1  file.iso: 8%, 8/100 MiB, 1.0 MiB/s, 0:50 left
            1  file.iso: 48%, 48/100 MiB, 1.0 MiB/s, 0:50 left
            1  file.iso: 88%, 88/100 MiB, 1.0 MiB/s, 0:50 left
            1  file.iso: done, 100 MiB in 12 s, 8.3 MiB/s on average

            """))
    #expect(context.clock.elapsedMilliseconds == 13_000)
  }

  @Test func `on a terminal of unknown abilities one line is redrawn, without escapes`() async {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, errorColumns: 80)
    context.clock = FakeClock(stands: true)
    context.service.onWatch([event(running(52_428_800), .progress), event(completed)])
    let outcome = await context.run("get", url)
    #expect(context.service.asked.contains(.watch(includesProgress: true)))
    #expect(outcome.output == "/home/anna/Downloads/file.iso\n")
    #expect(
      outcome.error
        == "\r1  file.iso  [####----] 50%, 50/100 MiB, 1.0 MiB/s, 0:50 left, done at 14:00"
        + "\r1  file.iso: done, 100 MiB" + String(repeating: " ", count: 50) + "\n")
    #expect(!outcome.error.contains("\u{1B}"))
  }

  private func onTerminal(
    _ environment: [String: String], _ arguments: String..., end: TransferSnapshot
  ) async -> FakeContext.CommandResult {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, errorColumns: 80)
    context.clock = FakeClock(stands: true)
    context.environment.merge(environment) { $1 }
    context.service.onWatch([event(running(52_428_800), .progress), event(end)])
    return await context.run(["get", url] + arguments)
  }

  @Test func `a terminal with UTF-8 and colors has the bar of the dashboard`() async {
    let environment = ["TERM": "xterm", "LANG": "C.UTF-8"]
    let numbers = "50%, 50/100 MiB, 1.0 MiB/s, 0:50 left, done at 14:00"
    let blanks = String(repeating: " ", count: 50)
    let outcome = await onTerminal(environment, end: completed)
    #expect(outcome.output == "/home/anna/Downloads/file.iso\n")
    #expect(
      visible(outcome.error)
        == "\r1  file.iso  <cyan>━━━━━</><dim>─────</> " + numbers
        + "\r1  file.iso: <green>done, 100 MiB</>" + blanks + "\n")
    let colorless = await onTerminal(
      environment.merging(["NO_COLOR": "1"]) { $1 }, end: completed)
    #expect(
      colorless.error
        == "\r1  file.iso  ━━━━━───── " + numbers + "\r1  file.iso: done, 100 MiB" + blanks
        + "\n")
    let ascii = await onTerminal(environment, "--ascii", end: completed)
    #expect(visible(ascii.error).contains("  <cyan>[####----]</> 50%"))
  }

  @Test func `the message of a failure is red, but not with --json`() async {
    let environment = ["TERM": "xterm", "LANG": "C.UTF-8"]
    let message =
      "The server responded to \"https://example.org/file.iso\" with 404; "
      + "check the link, then start it again"
    let outcome = await onTerminal(environment, end: failed())
    #expect(visible(outcome.error).hasSuffix("\nkettle: <bold red>\(message)</>\n"))
    let json = await onTerminal(environment, "--json", end: failed())
    #expect(json.error == "kettle: \(message)\n")
    #expect(json.output == failed().json.text + "\n")
  }

  @Test func `a failed transfer exits with 1 and its message`() async {
    var context = FakeContext()
    context.clock = FakeClock(stands: true)
    context.service.onWatch([event(failed())])
    let outcome = await context.run("get", url)
    #expect(outcome.code == 1)
    #expect(
      outcome.error == "kettle: The server responded to \"https://example.org/file.iso\" with 404; "
        + "check the link, then start it again\n")
  }

  @Test func `Ctrl-C leaves the transfer running and explains how to find it`() async {
    var context = FakeContext()
    context.interruptions = [.interrupt]
    let outcome = await context.run("get", url)
    #expect(outcome.code == 130)
    #expect(
      outcome.error == "Transfer 1 continues in the background; watch it with \"kettle\", "
        + "wait for it with \"kettle wait 1\", stop it with \"kettle stop 1\"\n")
    let controls = context.service.asked.filter { if case .control = $0 { true } else { false } }
    #expect(controls.isEmpty)
  }

  @Test func `the summary has the checksum and what arrived of a resumed file`() async {
    var end = completed
    end.verifiedBy = .sha256
    let context = FakeContext()
    context.service.describe([running(0), running(20 << 20), end])
    #expect(
      await context.run("get", url).error.hasSuffix(
        "1  file.iso: done, 100 MiB in 2.0 s, 50.0 MiB/s on average, sha256 matches\n"))
    let resumed = FakeContext()
    resumed.service.describe([running(60 << 20), running(80 << 20), end])
    #expect(
      await resumed.run("get", url).error.hasSuffix(
        "1  file.iso: done, 100 MiB, the last 40 MiB in 2.0 s, 20.0 MiB/s on average, "
          + "sha256 matches\n"))
  }

  @Test func `a transfer that needs the user exits with 1`() async {
    var context = FakeContext()
    context.clock = FakeClock(stands: true)
    var row = snapshot(1, .waiting)
    row.reason = .needsLogin
    context.service.onWatch([event(row)])
    let outcome = await context.run("get", url)
    #expect(outcome.code == 1)
    #expect(
      outcome.error
        == "kettle: Transfer 1 needs you: the server requires a login; give one with "
        + "\"kettle start 1 --user NAME\", which keeps everything\n")
  }

  @Test func `a transfer that resumes by itself is waited for`() async {
    var context = FakeContext()
    context.clock = FakeClock(stands: true)
    var row = snapshot(1, .waiting)
    row.reason = .network
    row.heldBack = HeldBack(.network)
    context.service.onWatch([event(row), event(snapshot(1, .paused)), event(completed)])
    let outcome = await context.run("get", url)
    #expect(outcome.code == 0)
    #expect(
      outcome.error == """
        1  file.iso: no network: the network is down
        1  file.iso: paused
        1  file.iso: done, 100 MiB

        """)
  }

  @Test func `a wait has its reason, with a countdown on a terminal`() async {
    var context = FakeContext()
    context.console = FakeConsole(errorColumns: 100)
    var row = snapshot(1, .waiting)
    row.reason = .retry
    row.error = TransferFailure(.connectionRefused, on: "example.org")
    row.goesOnAt = WallTime(millisecondsSince1970: FakeClock.start + 3000)
    context.service.describe([row, row, row, completed])
    let lines = await context.run("get", url).error.split(separator: "\r")
    let reason = "\"example.org\" refused the connection"
    #expect(
      lines.prefix(3).map { String($0.prefix { $0 != "\n" }) } == [
        "1  file.iso: retrying in 3 s: " + reason, "1  file.iso: retrying in 2 s: " + reason,
        "1  file.iso: retrying in 1 s: " + reason,
      ])
  }

  @Test func `in a pipe each attempt has one line`() async {
    let context = FakeContext()
    var first = snapshot(1, .waiting)
    first.reason = .retryAfter
    first.error = TransferFailure(.httpStatus, on: "https://example.org/file.iso", detail: "503")
    first.goesOnAt = WallTime(millisecondsSince1970: FakeClock.start + 2000)
    var second = first
    second.goesOnAt = WallTime(millisecondsSince1970: FakeClock.start + 30_000)
    context.service.describe([first, first, second, second, completed])
    let lines = await context.run("get", url).error.split(separator: "\n")
    let reason = "The server responded to \"https://example.org/file.iso\" with 503"
    #expect(
      lines == [
        "1  file.iso: retrying in 2 s: \(reason)", "1  file.iso: retrying in 28 s: \(reason)",
        "1  file.iso: done, 100 MiB",
      ])
  }

  @Test func `no speed is shown before one is known`() async {
    var context = FakeContext()
    context.console = FakeConsole(errorColumns: 100)
    context.clock = FakeClock(stands: true)
    var row = running(2_097_152)
    row.bytesPerSecond = 0
    row.secondsLeft = nil
    context.service.onWatch([event(row, .progress), event(completed)])
    #expect(await context.run("get", url).error.contains("] 2%, 2/100 MiB\r"))
  }

  @Test func `a transfer stopped or removed elsewhere exits with 1`() async {
    var stopped = FakeContext()
    stopped.clock = FakeClock(stands: true)
    stopped.service.onWatch([event(snapshot(1, .idle))])
    let outcome = await stopped.run("get", url)
    #expect(outcome.code == 1)
    #expect(
      outcome.error == "kettle: Transfer 1 was stopped before it was done; "
        + "start it again with \"kettle start 1\"\n")

    var removed = FakeContext()
    removed.clock = FakeClock(stands: true)
    removed.service.onWatch([event(snapshot(1, .running), .removed)])
    let end = await removed.run("get", url)
    #expect(end.code == 1)
    #expect(
      end.error == "kettle: Transfer 1 was removed from the list before it was done\n")
  }

  @Test func `events of other transfers are ignored`() async {
    let context = FakeContext()
    context.service.onWatch([event(snapshot(2, .failed)), event(completed)])
    #expect(await context.run("get", url).code == 0)
  }

  @Test func `a crashed service is restarted and the transfer is found again`() async {
    var context = FakeContext()
    let next = FakeService([completed])
    context.service.onWatch([event(running(0))], thenEnd: true)
    let connector = FakeConnector([
      .success(context.service), .failure(.notRunning(socketPath: "/s")), .success(next),
    ])
    connector.socket(true)
    context.connector = connector
    let outcome = await context.run("get", url)
    #expect(outcome.code == 0)
    #expect(connector.attempts.map(\.startIfNeeded) == [true, false, true])
    #expect(next.asked == [.watch(includesProgress: false), .describe(TransferID(rawValue: 1))])
  }

  @Test func `a stopped service is not restarted`() async {
    var context = FakeContext()
    context.service.onWatch([], thenEnd: true)
    let connector = FakeConnector([
      .success(context.service), .failure(.notRunning(socketPath: "/s")),
    ])
    context.connector = connector
    let outcome = await context.run("get", url)
    #expect(outcome.code == 3)
    #expect(outcome.error.contains("\nkettle: The service was stopped;"))
    #expect(connector.attempts.dropFirst().allSatisfy { !$0.startIfNeeded })
  }

  @Test func `--json prints the finished transfer only`() async throws {
    let context = FakeContext()
    context.service.onWatch([event(running(0)), event(completed)])
    let outcome = await context.run("get", "--json", url)
    #expect(outcome.code == 0)
    #expect(outcome.output == completed.json.text + "\n")
    #expect(context.service.asked.contains(.watch(includesProgress: false)))
  }

  @Test func `a closed reader does not change the exit code`() async {
    let context = FakeContext()
    context.console.fail(with: .readerGone)
    context.service.onWatch([event(running(0)), event(failed())])
    #expect(await context.run("get", url).code == 1)
  }

  @Test func `--paused is rejected`() async {
    let context = FakeContext()
    let outcome = await context.run("get", url, "--paused")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("use \"kettle add --paused\""))
    #expect(context.service.asked.isEmpty)
  }
}
