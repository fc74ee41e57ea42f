import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

/// The complete output on a screen, in a file or through a screen reader.
@Suite(.timeLimit(.minutes(5)))
struct PlainModeTests {
  private var rows: [TransferSnapshot] {
    var half = snapshot(1, .running, title: "Größe…\u{1B}[2J.iso")
    half.bytesReceived = 512
    half.bytesExpected = 1024
    half.bytesPerSecond = 100
    half.secondsLeft = 5
    half.readyAt = WallTime(millisecondsSince1970: FakeClock.start + 5000)
    var failed = snapshot(2, .failed, title: "b.iso")
    failed.error = TransferFailure(.hostNotFound, on: "example.org")
    return [half, failed]
  }

  private var events: [TransferEvent] {
    var done = rows[0]
    done.state = .completed
    done.bytesReceived = 1024
    done.path = "/d/Größe.iso"
    // Writing the last one only reveals that the reader has closed.
    return [event(done), event(snapshot(3, .queued), .added), event(snapshot(9, .idle))]
  }

  private func run(
    _ words: [String], _ console: FakeConsole, environment: [String: String]
  ) async -> FakeContext.CommandResult {
    var context = FakeContext()
    context.service = FakeService(rows)
    context.service.onWatch(events)
    context.console = console
    console.fail(with: .readerGone, afterWrites: 4)
    for (name, value) in environment { context.environment[name] = value }
    return await context.run(words)
  }

  private let inUTF8 = """
        ID  STATE            %              SIZE         SPEED     LEFT  FILE
         1  running        50%       0.5/1.0 KiB       100 B/s     0:05  Größe…\u{FFFD}[2J.iso
         2  failed                                                       b.iso
            The host "example.org" was not found; check its name and the network
    14:00:00     1  Größe…\u{FFFD}[2J.iso: done, 1.0 KiB in "/d/Größe.iso"
    14:00:00     3  file.iso: added, queued

    """

  @Test func `output to a file is the list, then a line per change`() async {
    let outcome = await run([], FakeConsole(), environment: ["LANG": "de_DE.UTF-8"])
    #expect(outcome == .init(code: 0, output: inUTF8, error: ""))
  }

  @Test func `--plain prints the same on a terminal, without control sequences`() async {
    let console = FakeConsole(inputIsTerminal: true, outputColumns: 200)
    let outcome = await run(["--plain"], console, environment: ["LC_ALL": "C.UTF-8"])
    #expect(outcome == .init(code: 0, output: inUTF8, error: ""))
    #expect(!outcome.output.utf8.contains { $0 < 32 && $0 != 10 })
  }

  @Test(arguments: [
    ["LANG": "C"], [:], ["LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"], ["LANG": "de_DE.ISO-8859-1"],
    ["LC_CTYPE": "C", "LANG": "C.UTF-8"],
  ])
  func `a locale without UTF-8 gets ASCII replacements`(environment: [String: String]) async {
    let outcome = await run([], FakeConsole(), environment: environment)
    let ascii =
      inUTF8.replacing("ö", with: "?").replacing("ß", with: "?").replacing("…", with: "...")
      .replacing("\u{FFFD}", with: "?")
    #expect(outcome == .init(code: 0, output: ascii, error: ""))
    #expect(outcome.output.utf8.allSatisfy { $0 < 128 })
  }

  @Test func `a narrow terminal gets lines of its width`() async {
    let console = FakeConsole(inputIsTerminal: true, outputColumns: 40)
    let outcome = await run(["--plain"], console, environment: ["LANG": "C.UTF-8"])
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.prefix(4).allSatisfy { ColumnText.width(of: $0) <= 40 })
    #expect(lines.first == "    ID  STATE            %             …")
  }

  @Test func `if the terminal cannot draw, the reason is printed and lines follow`() async {
    var context = FakeContext()
    context.service = FakeService(rows)
    context.service.onWatch(events)
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 200)
    context.console.fail(with: .readerGone, afterWrites: 4)
    context.environment["LANG"] = "C.UTF-8"
    context.dashboard = FakeDashboard(problem: DashboardUnavailable(sentence: "TERM is not set"))
    #expect(
      await context.run()
        == .init(code: 0, output: inUTF8, error: "kettle: TERM is not set\n"))
  }

  @Test func `an empty list is reported`() async {
    let context = FakeContext()
    context.service.onWatch([event(snapshot(3, .queued), .added), event(snapshot(9, .idle))])
    context.console.fail(with: .readerGone, afterWrites: 1)
    #expect(
      await context.run("--plain")
        == .init(
          code: 0, output: "14:00:00     3  file.iso: added, queued\n",
          error: "The list is empty; add a transfer with \"kettle add URL\"\n"))
  }

  @Test func `a person at a terminal counts as watching`() async {
    for columns in [80, nil] as [Int?] {
      var context = FakeContext()
      context.console = FakeConsole(outputColumns: columns)
      context.interruptions = [.interrupt]
      let connector = FakeConnector([.success(context.service)])
      context.connector = connector
      #expect(await context.run("--plain").code == 130)
      #expect(connector.attempts.map(\.isWatchedByPerson) == [columns != nil])
    }
  }
}
