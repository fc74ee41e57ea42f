import Foundation
import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct ListCommandTests {
  static let hostile = "\u{1B}[31mred\u{7}\u{9B}2J\u{202E}gpj.exe\u{2028}\u{7F}\r\n\"\\"

  private var rows: [TransferSnapshot] {
    var running = snapshot(1, .running, title: "Networking Overview")
    running.bytesReceived = 421_527_552
    running.bytesExpected = 691_011_584
    running.bytesPerSecond = 12_687_769
    running.secondsLeft = 21
    running.connections = 4
    running.readyAt = WallTime(millisecondsSince1970: FakeClock.start + 21_000)
    var waiting = snapshot(2, .waiting, title: "Archive of 2025")
    waiting.reason = .needsLogin
    waiting.error = TransferFailure(.loginNeeded, on: "example.org")
    var done = snapshot(3, .completed, title: "日本語のガイド")
    done.bytesReceived = 11_534_336
    done.bytesExpected = 11_534_336
    done.path = "/home/anna/Downloads/guide.pdf"
    return [running, waiting, done]
  }

  @Test func `output to a pipe is a table without truncation`() async {
    var context = FakeContext()
    context.service = FakeService(rows)
    let outcome = await context.run("list")
    #expect(outcome.code == 0)
    #expect(outcome.error == "")
    #expect(
      outcome.output == """
            ID  STATE            %              SIZE         SPEED     LEFT  FILE
             1  running        61%       402/659 MiB    12.1 MiB/s     0:21  Networking Overview
             2  needs login                                                  Archive of 2025
                "example.org" requires a login; give one with kettle start ID --user NAME, \
        which keeps everything
             3  done          100%            11 MiB                         日本語のガイド

        """)
  }

  @Test func `--json prints the documented members, including null`() async throws {
    var context = FakeContext()
    context.service = FakeService(rows)
    let outcome = await context.run("list", "--json")
    #expect(outcome.code == 0)
    #expect(
      outcome.output == """
        [
        {"id": 1, "session": "kettle", "taskIdentifier": 1, "title": "Networking Overview", \
        "url": "https://example.org/file.iso", "state": "running", "reason": null, \
        "path": null, "bytesReceived": 421527552, "bytesExpected": 691011584, \
        "bytesPerSecond": 12687769, "secondsLeft": 21, "connections": 4, \
        "createdAt": "2026-11-21T12:00:00Z", "error": null, "queue": "default", \
        "heldBackBy": null, "heldBackDetails": null, "until": null, "readyAt": "2026-11-21T12:00:21Z", \
        "subtitle": null},
        {"id": 2, "session": "kettle", "taskIdentifier": 2, "title": "Archive of 2025", \
        "url": "https://example.org/file.iso", "state": "waiting", "reason": "needsLogin", \
        "path": null, "bytesReceived": 0, "bytesExpected": null, "bytesPerSecond": 0, \
        "secondsLeft": null, "connections": 0, "createdAt": "2026-11-21T12:00:00Z", \
        "error": {"code": "loginNeeded", "message": "\\"example.org\\" requires a login; \
        give one with kettle start ID --user NAME, which keeps everything"}, \
        "queue": "default", "heldBackBy": null, "heldBackDetails": null, "until": null, \
        "readyAt": null, "subtitle": null},
        {"id": 3, "session": "kettle", "taskIdentifier": 3, "title": "日本語のガイド", \
        "url": "https://example.org/file.iso", "state": "completed", "reason": null, \
        "path": "/home/anna/Downloads/guide.pdf", "bytesReceived": 11534336, \
        "bytesExpected": 11534336, "bytesPerSecond": 0, "secondsLeft": null, \
        "connections": 0, "createdAt": "2026-11-21T12:00:00Z", "error": null, \
        "queue": "default", "heldBackBy": null, "heldBackDetails": null, "until": null, \
        "readyAt": null, "subtitle": null}
        ]

        """)
  }

  // Fault 128
  @Test func `hostile names cannot control a terminal, and JSON preserves them`()
    async throws
  {
    var row = snapshot(1, .failed, url: Self.hostile, title: Self.hostile)
    row.path = Self.hostile
    row.session = SessionID(rawValue: Self.hostile)
    row.error = TransferFailure(.httpStatus, on: Self.hostile, detail: Self.hostile)
    for arguments in [["list"], ["list", "--json"]] {
      var context = FakeContext()
      context.service = FakeService([row])
      let output = await context.run(arguments).output
      let stray = output.unicodeScalars.filter {
        ($0.isControl || $0.isInvisible) && $0 != "\n"
      }
      #expect(stray.isEmpty)
      if arguments.count == 2 {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        let first = try #require((value as? [[String: Any]])?.first)
        #expect(first["title"] as? String == Self.hostile)
        #expect(first["path"] as? String == Self.hostile)
        #expect(first["session"] as? String == Self.hostile)
      } else {
        #expect(output.split(separator: "\n").count == 3)
      }
    }
  }

  @Test func `an empty list is an empty array, or a hint on standard error`() async {
    #expect(await FakeContext().run("list", "--json") == .init(code: 0, output: "[]\n", error: ""))
    #expect(
      await FakeContext().run("list")
        == .init(
          code: 0, output: "",
          error: "The list is empty; add a transfer with \"kettle add URL\"\n"))
  }

  @Test func `filters are sent to the service`() async {
    let context = FakeContext()
    _ = await context.run(
      "list", "--state", "failed", "--state", "waiting", "--session", "mine", "--match",
      "^deb !iso",
      "--json")
    #expect(
      context.service.asked == [
        .list(
          Viewport(
            filter: RowFilter(
              states: [.failed, .waiting], session: SessionID(rawValue: "mine"),
              text: "^deb !iso", membership: .none),
            count: ListReader.usualPageCount))
      ])
  }

  @Test func `a state has the word that the table shows too`() async {
    let context = FakeContext()
    _ = await context.run("list", "--state", "done", "--state", "completed", "--json")
    #expect(
      context.service.asked == [
        .list(
          Viewport(
            filter: RowFilter(states: [.completed, .completed], membership: .none),
            count: ListReader.usualPageCount))
      ])
  }

  @Test func `an unknown state is rejected with a list of the valid states`() async {
    let outcome = await FakeContext().run("list", "--state", "ready")
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
    #expect(outcome.error.contains("  - idle\n  - scheduled\n  - queued\n  - running\n"))
  }

  @Test func `a closed reader ends the command silently`() async {
    var context = FakeContext()
    context.service = FakeService(rows)
    context.console.fail(with: .readerGone, afterWrites: 1)
    let outcome = await context.run("list")
    #expect(outcome.code == 0)
    #expect(outcome.error == "")
    #expect(context.service.isClosed)
  }

  @Test func `a full disk at standard output is an error`() async {
    let context = FakeContext()
    context.console.fail(with: .cannotWrite(detail: "No space left on device"))
    let outcome = await context.run("list", "--json")
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("No space left on device"))
  }
}
