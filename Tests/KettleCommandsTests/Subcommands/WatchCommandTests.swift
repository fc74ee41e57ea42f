import Foundation
import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct WatchCommandTests {
  private var events: [TransferEvent] {
    var done = snapshot(1, .completed)
    done.bytesReceived = 1024
    done.path = "/d/file.iso"
    var failed = snapshot(2, .failed, title: "\u{1B}[2Jx")
    failed.error = TransferFailure(.connectionLost, on: "example.org")
    return [
      event(snapshot(1, .queued), .added), event(snapshot(1, .running)), event(done),
      event(failed), event(failed, .removed),
    ]
  }

  @Test func `watch prints a line per event until the reader closes`() async {
    let context = FakeContext()
    context.service.onWatch(events + [event(snapshot(9, .idle))])
    context.console.fail(with: .readerGone, afterWrites: 5)
    let outcome = await context.run("watch")
    #expect(
      outcome
        == .init(
          code: 0,
          output: """
            14:00:00     1  file.iso: added, queued
            14:00:00     1  file.iso: running
            14:00:00     1  file.iso: done, 1.0 KiB in "/d/file.iso"
            14:00:00     2  \u{FFFD}[2Jx: failed: The connection to "example.org" was lost; \
            start it again
            14:00:00     2  \u{FFFD}[2Jx: removed

            """, error: ""))
    #expect(context.service.asked == [.watch(includesProgress: false)])
  }

  @Test func `--json prints an object per line, and --progress adds progress`() async throws {
    let context = FakeContext()
    var progress = event(snapshot(1, .running), .progress)
    progress.bytesWritten = 5
    context.service.onWatch([progress, event(snapshot(9, .idle))])
    context.console.fail(with: .readerGone, afterWrites: 1)
    let outcome = await context.run("watch", "--json", "--progress")
    #expect(
      outcome.output == """
        {"event": "progress", "at": "2026-11-21T12:00:00Z", "bytesWritten": 5, "transfer": \
        \(snapshot(1, .running).json.text)}

        """)
    #expect(context.service.asked == [.watch(includesProgress: true)])
  }

  @Test(arguments: [false, true])
  func `dropped events are reported`(json: Bool) async {
    let context = FakeContext()
    context.console.fail(with: .readerGone, afterWrites: json ? 2 : 1)
    context.service.onWatch([
      .resynchronise, .event(event(snapshot(1, .running))), .event(event(snapshot(9, .idle))),
    ])
    let outcome = await context.run(json ? ["watch", "--json"] : ["watch"])
    #expect(
      outcome.output.split(separator: "\n").first
        == (json
          ? #"{"event": "eventsDropped", "at": "2026-11-21T12:00:00Z"}"#
          : "14:00:00     1  file.iso: running"))
    #expect(
      outcome.error
        == "Events arrived faster than they were read, so some were dropped; \"kettle list\" "
        + "shows the current state\n"
    )
  }

  @Test func `Ctrl-C exits with 130`() async {
    var context = FakeContext()
    context.interruptions = [.interrupt]
    #expect(await context.run("watch") == .init(code: 130, output: "", error: ""))
  }

  @Test func `missed events are reported after a lost connection`() async {
    var context = FakeContext()
    context.service.onWatch([], thenEnd: true)
    let next = FakeService()
    next.onWatch([event(snapshot(1, .running)), event(snapshot(9, .idle))])
    context.connector = FakeConnector([.success(context.service), .success(next)])
    context.console.fail(with: .readerGone, afterWrites: 1)
    #expect(
      await context.run("watch")
        == .init(
          code: 0, output: "14:00:00     1  file.iso: running\n",
          error:
            "The connection to the service was lost briefly, so some events were missed; \"kettle "
            + "list\" shows the current state\n"
        ))
  }
}
