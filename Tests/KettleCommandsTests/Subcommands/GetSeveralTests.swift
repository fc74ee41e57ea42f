import KettleControl
import KettleModel
import KettleSocket
import Testing

@testable import KettleCommands

/// `kettle get` with several URLs, and with one that is on the list already.
@Suite(.timeLimit(.minutes(5)))
struct GetSeveralTests: GetRows {
  private func completed(_ id: Int64) -> TransferSnapshot {
    var row = snapshot(id, .completed, url: url + "\(id)", title: "file\(id)")
    row.path = "/d/file\(id)"
    return row
  }

  @Test func `several URLs end with their paths, and one failure counts`() async {
    var context = FakeContext()
    context.clock = FakeClock(stands: true)
    context.service.onWatch([event(completed(2)), event(failed()), event(completed(3))])
    let outcome = await context.run("get", "-q", url, url + "2", url + "3")
    #expect(outcome.code == 1)
    #expect(outcome.output == "/d/file2\n/d/file3\n")
    #expect(outcome.error.hasPrefix("kettle: The server responded"))
  }

  @Test func `the last line counts several files`() {
    var total = WatchedTotal()
    func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: seconds * 1000) }
    total.note(running(0), at: time(0))
    var other = completed(2)
    other.bytesReceived = 1 << 20
    total.note(other, at: time(1))
    total.note(completed, at: time(91))
    #expect(
      total.sentence(of: 3, at: time(91))
        == "2 of 3 done, 101 MiB in 1:31, 1.1 MiB/s on average, 1 not done")
    #expect(WatchedTotal().sentence(of: 2, at: time(0)) == "0 of 2 done, 0 B, 2 not done")
  }

  @Test func `--json prints several as an array in the order of the URLs`() async {
    let context = FakeContext()
    context.service.onWatch([event(completed(2)), event(completed(1))])
    let outcome = await context.run("get", "--json", url + "1", url + "2")
    let texts = [completed(1), completed(2)].map(\.json.text)
    #expect(outcome.output == "[" + texts.joined(separator: ", ") + "]\n")
  }

  @Test func `on a terminal several are redrawn together above a summary`() throws {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true, errorColumns: 80)
    context.environment["TERM"] = "xterm"
    let ids = [TransferID(rawValue: 1), TransferID(rawValue: 2)]
    var progress = GetProgress(ids, in: context.context)
    let start = context.clock.now()
    func later(_ milliseconds: Int64) -> Moment {
      Moment(monotonic: start.monotonic.advanced(byMilliseconds: milliseconds), wall: start.wall)
    }
    try progress.show(snapshot(2, .queued, title: "b.iso"), at: later(0))
    try progress.show(running(52_428_800), at: later(99))
    try progress.show(running(52_428_800), at: later(200))
    try progress.makeRoom(ending: ids[0])
    try progress.show(snapshot(2, .queued, title: "b.iso"), at: later(300))
    let clear = "\u{1B}[K\n"
    let row = "1  file.iso  [####----] 50%, 50/100 MiB, 1.0 MiB/s, 0:50 left, done at 14:00"
    let shown = context.console.error
      .replacing("\u{1B}[36m", with: "").replacing("\u{1B}[2m", with: "")
      .replacing("\u{1B}[0m", with: "")
    #expect(
      shown
        == "2  b.iso: queued" + clear + "0 of 2 done" + clear
        + "\r\u{1B}[2A" + row + clear + "2  b.iso: queued" + clear
        + "0 of 2 done, 1.0 MiB/s" + clear
        + "\r\u{1B}[3A\u{1B}[J"
        + "2  b.iso: queued" + clear + "1 of 2 done" + clear)
  }

  // MARK: On the list already

  @Test func `a URL that is on the list is followed, and started if it stands still`() async {
    var context = FakeContext()
    context.service = FakeService([snapshot(7, .paused)])
    var end = completed
    end.id = TransferID(rawValue: 7)
    context.service.onWatch([event(end)])
    let outcome = await context.run("get", url)
    #expect(outcome.code == 0)
    #expect(
      outcome.error.hasPrefix(
        "kettle: Transfer 7 already has this URL, so this command follows it; "
          + "--again fetches another copy\n"))
    #expect(
      context.service.asked.contains { asked in
        if case .follow(let id, let spec) = asked {
          id.rawValue == 7 && spec.url.text == url
        } else {
          false
        }
      })
    #expect(!context.service.asked.contains { if case .add = $0 { true } else { false } })
  }

  @Test func `another copy is fetched with --again, to another place, and for a deleted file`()
    async
  {
    let answers: [(arguments: [String], FollowTransfer.Result?, said: String)] = [
      (["--again"], nil, ""),
      (["-o", "other.iso"], FollowTransfer.Result(.otherFile), "but another place for the file"),
      ([], FollowTransfer.Result(.fileGone), "is gone, so it is fetched again"),
      ([], FollowTransfer.Result(.fileChanged), "was changed since it was done"),
    ]
    for (arguments, answer, said) in answers {
      var context = FakeContext()
      var row = completed
      row.id = TransferID(rawValue: 7)
      context.service = FakeService([row])
      if let answer { context.service.follow(answers: answer) }
      context.interruptions = [.interrupt]
      let outcome = await context.run(["get", url] + arguments)
      #expect(context.service.asked.contains { if case .add = $0 { true } else { false } })
      #expect(said.isEmpty || outcome.error.contains(said), "\(outcome.error)")
    }
  }

  // Fault 183
  @Test func `an option that a listed transfer cannot take over is an error`() async {
    var late = FollowTransfer.Result(.tooLate, parts: [.limitBytesPerSecond, .headers])
    late.state = .completed
    var mismatch = FollowTransfer.Result(.mismatch)
    (mismatch.path, mismatch.found) = ("/d/a", "00")
    let digits = String(repeating: "1", count: 64)
    for (answer, said) in [
      (
        late,
        "kettle: Transfer 7 already has this URL and is done, so it cannot take over --limit "
          + "and --header; leave that out, or fetch another copy with --again\n"
      ),
      (
        mismatch,
        "kettle: The file \"/d/a\" of transfer 7, which has this URL, does not have the checksum "
          + "sha256:\(digits), but 00; --again fetches another copy\n"
      ),
    ] {
      var context = FakeContext()
      context.service = FakeService([snapshot(7, .completed)])
      context.service.follow(answers: answer)
      let outcome = await context.run("get", url, "--checksum", digits)
      #expect(outcome == .init(code: 1, output: "", error: said))
      #expect(!context.service.asked.contains { if case .add = $0 { true } else { false } })
    }
  }

  // Fault 183
  @Test func `the other URLs go on when one is refused, and the command fails`() async {
    var context = FakeContext()
    context.service = FakeService([snapshot(7, .completed)])
    context.service.follow(answers: .init(.tooLate, parts: [.headers]))
    context.service.onWatch([event(completed(8))])
    let outcome = await context.run("get", "-q", url, url + "8")
    #expect(outcome.code == 1)
    #expect(outcome.output == "/d/file8\n")
  }

  @Test func `add says that a URL is on the list already`() async {
    var context = FakeContext()
    context.service = FakeService([snapshot(7, .completed)])
    let outcome = await context.run("add", url)
    #expect(outcome.output == "8\n")
    #expect(
      outcome.error
        == "kettle: Transfer 7 already has this URL; transfer 8 fetches another copy, unless "
        + "--on-conflict says otherwise (\"kettle get\" follows the first one)\n")
  }
}
