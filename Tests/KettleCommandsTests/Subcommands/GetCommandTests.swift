import KettleClient
import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(1)))
struct GetCommandTests {
  private let url = "https://example.org/file.iso"

  private func running(_ received: Int64) -> TransferSnapshot {
    var row = snapshot(1, .running)
    row.bytesReceived = received
    row.bytesExpected = 104_857_600
    row.bytesPerSecond = 1_048_576
    row.secondsLeft = 50
    return row
  }

  private var completed: TransferSnapshot {
    var row = snapshot(1, .completed)
    row.bytesReceived = 104_857_600
    row.bytesExpected = 104_857_600
    row.path = "/home/anna/Downloads/file.iso"
    return row
  }

  private func failed() -> TransferSnapshot {
    var row = snapshot(1, .failed)
    row.error = TransferFailure(.httpStatus, on: url, detail: "404")
    return row
  }

  @Test func `output to a pipe is a line per state, then the path`() async {
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
          output: """
            1  file.iso: queued
            1  file.iso: running, 0 %, 0/100 MiB, 1.0 MiB/s, 0:50 left
            1  file.iso: completed, 100 %, 100 MiB
            /home/anna/Downloads/file.iso

            """, error: ""))
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
          output: """
            1  file.iso: queued
            1  file.iso: running, 0 %, 0/100 MiB, 1.0 MiB/s, 0:50 left
            1  file.iso: running, 40 %, 40/100 MiB, 1.0 MiB/s, 0:50 left
            1  file.iso: running, 80 %, 80/100 MiB, 1.0 MiB/s, 0:50 left
            1  file.iso: completed, 100 %, 100 MiB
            /home/anna/Downloads/file.iso

            """, error: ""))
    #expect(context.clock.elapsedMilliseconds == 13_000)
  }

  @Test func `on a terminal one line is redrawn, without escapes`() async {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 60)
    context.service.onWatch([event(running(52_428_800), .progress), event(completed)])
    let outcome = await context.run("get", url)
    #expect(context.service.asked.contains(.watch(includesProgress: true)))
    let running = "1  file.iso: running, 50 %, 50/100 MiB, 1.0 MiB/s, 0:50 left"
    #expect(
      outcome.output == "\r1  file.iso: queued" + "\r" + running.prefix(58) + "…"
        + "\r1  file.iso: completed, 100 %, 100 MiB" + String(repeating: " ", count: 21) + "\n"
        + "/home/anna/Downloads/file.iso\n")
    #expect(!outcome.output.contains("\u{1B}"))
  }

  @Test func `a failed transfer exits with 1 and its message`() async {
    let context = FakeContext()
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

  @Test func `a transfer that needs the user exits with 1`() async {
    let context = FakeContext()
    var row = snapshot(1, .waiting)
    row.reason = .needsLogin
    context.service.onWatch([event(row)])
    let outcome = await context.run("get", url)
    #expect(outcome.code == 1)
    #expect(
      outcome.error
        == "kettle: Transfer 1 needs a login; remove it and add its URL again with --user\n")
  }

  @Test func `a transfer that resumes by itself is waited for`() async {
    var context = FakeContext()
    context.clock = FakeClock(stands: true)
    var row = snapshot(1, .waiting)
    row.reason = .network
    context.service.onWatch([event(row), event(snapshot(1, .paused)), event(completed)])
    let outcome = await context.run("get", url)
    #expect(outcome.code == 0)
    #expect(outcome.output.contains("file.iso: no network\n1  file.iso: paused\n"))
  }

  @Test func `a transfer stopped or removed elsewhere exits with 1`() async {
    let stopped = FakeContext()
    stopped.service.onWatch([event(snapshot(1, .idle))])
    let outcome = await stopped.run("get", url)
    #expect(outcome.code == 1)
    #expect(
      outcome.error == "kettle: Transfer 1 was stopped before it finished; "
        + "start it again with \"kettle start 1\"\n")

    let removed = FakeContext()
    removed.service.onWatch([event(snapshot(1, .running), .removed)])
    let end = await removed.run("get", url)
    #expect(end.code == 1)
    #expect(
      end.error == "kettle: Transfer 1 was removed from the list before it finished\n")
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
    #expect(outcome.error.hasPrefix("kettle: The service was stopped;"))
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
