import KettleModel
import Testing

@testable import KettleCommands

/// What `kettle why` says and `list --json` prints, for every cause.
@Suite(.timeLimit(.minutes(5)))
struct WhyCommandTests {
  struct Situation: Sendable, CustomTestStringConvertible {
    var state: TransferState
    var heldBack: HeldBack?
    var lines: [String]
    var change: @Sendable (inout TransferSnapshot) -> Void = { _ in }

    var testDescription: String { heldBack?.cause.rawValue ?? state.rawValue }
  }

  private static func time(_ seconds: Int64) -> WallTime {
    WallTime(millisecondsSince1970: FakeClock.start + seconds * 1000)
  }

  private static func held(
    _ cause: HeldBack.Cause, _ subject: String? = nil, used: Int? = nil, allowed: Int? = nil,
    until: Int64? = nil
  ) -> HeldBack {
    var held = HeldBack(cause, subject: subject, until: until.map(time))
    held.used = used
    held.allowed = allowed
    return held
  }

  private static let noEstimate = "There is no estimate yet of when it will be done"

  private static var learned: HeldBack {
    var held = held(.hostLimit, "h", used: 2, allowed: 2)
    held.status = 503
    held.limitedSince = time(-60)
    return held
  }

  private static func limited(_ cause: HeldBack.Cause) -> HeldBack {
    var held = HeldBack(cause)
    held.bytesPerSecond = 3 << 19
    return held
  }

  static let queued: [Situation] = [
    Situation(
      state: .queued, heldBack: held(.slot, used: 20, allowed: 20),
      lines: [
        "Because 20 of 20 transfers are running", noEstimate,
        "To do: the setting limits.transfers permits more at once",
      ]),
    Situation(
      state: .queued, heldBack: held(.configuration, "/c"),
      lines: [
        "Because the configuration file \"/c\" cannot be used", noEstimate,
        "To do: \"kettle config check\" says why; correct it and run \"kettle config reload\", "
          + "or go on without it with \"kettle config reload --without-file\"",
      ]),
    Situation(
      state: .queued, heldBack: held(.hostLimit, "h", used: 5, allowed: 5, until: 3600),
      lines: [
        "Because 5 of 5 connections to \"h\" are in use", "It is expected to start at 15:00",
        noEstimate,
        "To do: limits.connections-per-host, or connections in [hosts.\"h\"], permits more",
      ]),
    Situation(
      state: .queued, heldBack: learned,
      lines: [
        "Because 2 of 2 connections to \"h\" are in use, "
          + "a limit since the server answered 503 at 13:59:00",
        noEstimate,
        "To do: \"kettle hosts reset h\" lifts the limit, which otherwise ends by itself",
      ]),
    Situation(
      state: .queued, heldBack: held(.sessionLimit, "h", used: 1, allowed: 1),
      lines: [
        "Because its session uses 1 of 1 connections to \"h\"", noEstimate,
        "To do: only its program can change that",
      ]),
    Situation(
      state: .queued, heldBack: held(.queueLimit, "night", used: 2, allowed: 2),
      lines: [
        "Because 2 of 2 transfers of the queue \"night\" are running", noEstimate,
        "To do: the setting queues.night.transfers permits more",
      ]
    ) { $0.queue = QueueName("night") },
    Situation(
      state: .queued, heldBack: held(.queueHours, "night", until: 3600),
      lines: [
        "Because the queue \"night\" is outside its hours", "Until 15:00", noEstimate,
        "To do: \"kettle queues move default 3\" lets it run now",
      ]
    ) { $0.queue = QueueName("night") },
    Situation(
      state: .queued, heldBack: held(.queueHours, "default", until: 3600),
      lines: [
        "Because the queue \"default\" is outside its hours", "Until 15:00", noEstimate,
        "To do: change queues.default.hours to let it run earlier",
      ]),
    Situation(
      state: .queued, heldBack: held(.battery),
      lines: [
        "Because the machine is running on battery", noEstimate,
        "To do: set conditions.pause-on-battery to false to let it run",
      ]),
    Situation(
      state: .queued, heldBack: held(.metered),
      lines: [
        "Because the network is metered", noEstimate,
        "To do: set conditions.pause-on-metered to false to let it run",
      ]),
    Situation(
      state: .queued, heldBack: held(.connectionLimit, used: 64, allowed: 64),
      lines: [
        "Because 64 of 64 connections are in use", noEstimate,
        "To do: the setting limits.connections permits more",
      ]),
    Situation(
      state: .queued, heldBack: held(.priority, used: 20, allowed: 20),
      lines: [
        "Because transfers of higher priority come first", noEstimate,
        "To do: pause the others, or add it with --priority high",
      ]),
    Situation(
      state: .queued, heldBack: held(.turn),
      lines: ["Because it is next in line for \"example.org\"", noEstimate]),
    Situation(
      state: .queued, heldBack: held(.retryAfter, "h", until: 60),
      lines: [
        "Because \"h\" asked Kettle to wait", "Until 14:01:00", noEstimate,
        "To do: \"kettle start 3\" tries it now",
      ]),
    Situation(
      state: .queued, heldBack: held(.hostUnreachable, "h"),
      lines: ["Because \"h\" cannot be reached", noEstimate]),
  ]

  static let waiting: [Situation] = [
    Situation(
      state: .waiting, heldBack: held(.retry, "h", until: 8),
      lines: [
        "Because it is tried again after an error",
        "Last response: The connection to \"h\" was lost; it will be retried",
        "The next attempt is at 14:00:08", "To do: \"kettle start 3\" tries it now",
      ]
    ) {
      $0.reason = .retry
      $0.error = TransferFailure(.connectionLost, on: "h")
    },
    Situation(
      state: .waiting, heldBack: held(.retryAfter, "h", until: 7200),
      lines: [
        "Because \"h\" asked Kettle to wait", "The next attempt is at 16:00",
        "To do: \"kettle start 3\" tries it now",
      ]
    ) { $0.reason = .retryAfter },
    Situation(
      state: .waiting, heldBack: held(.network, until: 30),
      lines: ["Because the network is down", "The next attempt is at 14:00:30"]
    ) { $0.reason = .network },
    Situation(
      state: .waiting, heldBack: held(.hostUnreachable, "h", until: 30),
      lines: ["Because \"h\" cannot be reached", "The next attempt is at 14:00:30"]
    ) { $0.reason = .hostUnreachable },
    Situation(
      state: .waiting, heldBack: held(.proxy),
      lines: [
        "Because the proxy refuses the connection or its login",
        "To do: correct the proxy settings, then restart the service",
      ]
    ) { $0.reason = .proxy },
    Situation(
      state: .waiting, heldBack: held(.diskSpace, until: 10),
      lines: [
        "Because the disk is full", "The next attempt is at 14:00:10",
        "To do: free space on the disk",
      ]
    ) { $0.reason = .diskSpace },
    Situation(
      state: .waiting, heldBack: held(.discretionary, TransferCondition.mainsPower.rawValue),
      lines: [
        "Because it waits for mains power", "To do: \"kettle start 3\" starts it without",
      ]
    ) { $0.reason = .discretionary },
    Situation(
      state: .waiting, heldBack: held(.needsLink),
      lines: [
        "Because its link has expired", "Until you act; it does not continue by itself",
        "To do: give a new one with \"kettle start 3 --url URL\"",
      ]
    ) { $0.reason = .needsLink },
    Situation(
      state: .waiting, heldBack: held(.needsLogin),
      lines: [
        "Because the server requires a login", "Until you act; it does not continue by itself",
        "To do: give one with \"kettle start 3 --user NAME\", which keeps everything",
      ]
    ) { $0.reason = .needsLogin },
    Situation(
      state: .waiting, heldBack: held(.needsLogin),
      lines: [
        "Because the server rejected the login",
        "Last response: \"https://a.example/f\" requires a login (401; it rejected the login of "
          + "\"me\"); give one with kettle start ID --user NAME, which keeps everything",
        "Until you act; it does not continue by itself",
        "To do: give one with \"kettle start 3 --user NAME\", which keeps everything",
      ]
    ) {
      $0.reason = .needsLogin
      $0.error = TransferFailure(
        .loginNeeded, on: "https://a.example/f",
        detail: "401; \(TransferFailure.rejectedLogin) \"me\"")
    },
    Situation(
      state: .waiting, heldBack: held(.needsDecision),
      lines: [
        "Because what arrived may not be the file",
        "Until you act; it does not continue by itself",
        "To do: \"kettle accept 3\" keeps what arrived, \"kettle start 3\" requests it again",
      ]
    ) { $0.reason = .needsDecision },
    Situation(
      state: .waiting, heldBack: held(.members),
      lines: [
        "Because some of its files are not complete",
        "To do: \"kettle list --collection 3\" shows them",
      ]
    ) { $0.reason = .members },
  ]

  static let others: [Situation] = [
    Situation(
      state: .scheduled, heldBack: held(.scheduled, until: 86_400),
      lines: [
        "Because its start time has not come", "It starts at 22 Nov 14:00",
        "To do: \"kettle start 3\" starts it now",
      ]),
    Situation(
      state: .paused, heldBack: held(.paused),
      lines: ["Because it was paused", "To do: start it with \"kettle start 3\""]),
    Situation(
      state: .idle, heldBack: held(.idle),
      lines: ["Because it was not started", "To do: start it with \"kettle start 3\""]),
    Situation(
      state: .running, heldBack: limited(.ownLimit),
      lines: [
        "Because it is slowed by its limit of 1.5 MiB/s (1.4 MiB/s)", noEstimate,
        "To do: lift it with \"kettle limit none 3\"",
      ]
    ) { $0.bytesPerSecond = 1_468_006 },
    Situation(
      state: .running, heldBack: limited(.totalLimit),
      lines: [
        "Because it is slowed by your limit of 1.5 MiB/s for everything", noEstimate,
        "To do: lift it with \"kettle limit none\"",
      ]
    ) { $0.bytesPerSecond = 3 << 19 },
    Situation(
      state: .running, heldBack: held(.disk),
      lines: [
        "Because the disk is slower than the network (0 B/s)", noEstimate,
        "To do: use another disk with -d",
      ]),
    Situation(
      state: .running, heldBack: held(.line),
      lines: [
        "Because the network is saturated, and transfers share it (0 B/s)", noEstimate,
      ]),
    Situation(
      state: .running, heldBack: held(.server, "h"),
      lines: ["Because \"h\" is slower than the other servers (0 B/s)", noEstimate]),
    Situation(
      state: .running, heldBack: held(.unknown, "h"),
      lines: [
        "Because \"h\" sends little or nothing, and it is not known why (0 B/s)", noEstimate,
      ]),
    Situation(
      state: .running,
      heldBack: HeldBack(.unknown, subject: "h", since: time(-12), until: time(48)),
      lines: [
        "Because \"h\" has sent nothing for 12 s (0 B/s)", "Since 13:59:48",
        "If nothing comes until 14:00:48, it is requested again, at another address of the host "
          + "if there is one", noEstimate,
      ]),
    Situation(
      state: .running,
      lines: [
        "Nothing holds it back (1.4 MiB/s)", "It should be done at 14:00:21",
      ]
    ) {
      $0.bytesPerSecond = 1_468_006
      $0.readyAt = time(21)
    },
    Situation(
      state: .failed,
      lines: ["Because: The connection to \"h\" was lost; start it again"]
    ) { $0.error = TransferFailure(.connectionLost, on: "h") },
    Situation(state: .completed, lines: ["Its file is \"/d/file.iso\""]) {
      $0.path = "/d/file.iso"
    },
  ]

  private func row(_ situation: Situation) -> TransferSnapshot {
    var row = snapshot(3, situation.state)
    row.heldBack = situation.heldBack
    situation.change(&row)
    return row
  }

  @Test(arguments: queued + waiting + others)
  func `the reason, the time and the remedy are said`(_ situation: Situation) async {
    var context = FakeContext()
    context.service = FakeService([row(situation)])
    let outcome = await context.run("why", "3")
    #expect(outcome.code == 0)
    #expect(
      outcome.output.split(separator: "\n").dropFirst().map(String.init) == situation.lines)
  }

  @Test(arguments: queued + waiting + others)
  func `the JSON has the cause and the time`(_ situation: Situation) async {
    var context = FakeContext()
    context.service = FakeService([row(situation)])
    let output = await context.run("list", "--json").output
    let cause = situation.heldBack.map { "\"\($0.cause.rawValue)\"" } ?? "null"
    let until = situation.heldBack?.until.map { "\"\($0.iso8601)\"" } ?? "null"
    #expect(output.contains("\"heldBackBy\": \(cause), "))
    #expect(output.contains("\"until\": \(until), "))
    #expect(await context.run("why", "3", "--json").output.contains("\"heldBackBy\": \(cause), "))
  }

  @Test func `every cause has a situation`() {
    let shown = Set((Self.queued + Self.waiting + Self.others).compactMap(\.heldBack?.cause))
    #expect(shown == Set(HeldBack.Cause.allCases))
  }

  @Test func `the place in the queue, the start and the end are said`() async {
    var row = snapshot(3, .queued, title: "disk.iso")
    var held = Self.held(.slot, used: 2, allowed: 2, until: 600)
    held.rank = 4
    held.since = Self.time(-3600)
    row.heldBack = held
    row.readyAt = Self.time(1200)
    var context = FakeContext()
    context.service = FakeService([row])
    #expect(
      await context.run("why", "3").output == """
        Transfer 3, "disk.iso": queued
        Because 2 of 2 transfers are running
        It is number 4 in the queue
        Since 13:00
        It is expected to start at 14:10
        It should be done at 14:20
        To do: the setting limits.transfers permits more at once

        """)
    let json = await context.run("why", "3", "--json").output
    #expect(
      json.contains(
        """
        "heldBackBy": "slot", "heldBackDetails": {"rank": 4, "subject": null, "used": 2, \
        "allowed": 2, "status": null, "limitedSince": null, "bytesPerSecond": null, \
        "since": "2026-11-21T11:00:00Z", "message": "2 of 2 transfers are running"}, "until": "2026-11-21T12:10:00Z", \
        "readyAt": "2026-11-21T12:20:00Z", "subtitle": null}
        """))
  }

  @Test func `on a terminal the symbol and the progress are shown`() async {
    var row = snapshot(3, .running)
    (row.bytesReceived, row.bytesExpected) = (50 << 20, 100 << 20)
    (row.bytesPerSecond, row.secondsLeft) = (1 << 20, 50)
    var context = FakeContext()
    context.service = FakeService([row])
    context.console = FakeConsole(outputColumns: 60)
    context.environment.merge(["TERM": "xterm", "LANG": "C.UTF-8"]) { $1 }
    let shown = visible(await context.run("why", "3").output).split(separator: "\n").prefix(2)
    #expect(
      shown == [
        "<cyan>▶</> Transfer 3, \"file.iso\": running",
        "<cyan>━━━━━━━━━━</><dim>──────────</> 50%, 50/100 MiB, 1.0 MiB/s, 0:50 left",
      ])
    context.console = FakeConsole(outputColumns: 60)
    context.environment["NO_COLOR"] = "1"
    #expect(
      await context.run("--ascii", "why", "3").output.split(separator: "\n").prefix(2) == [
        "Transfer 3, \"file.iso\": running",
        "[#########---------] 50%, 50/100 MiB, 1.0 MiB/s, 0:50 left",
      ])
  }

  @Test func `how hooks ended is said`() async throws {
    var row = snapshot(3, .completed)
    row.path = "/d/file.iso"
    var run = HookRun(
      id: HookRunID(rawValue: 1), event: .completed, transfer: row.id,
      command: try HookCommand.make(["/opt/notify-me"]).get(), dueAt: Self.time(-600))
    run.standing = .ended(HookEnd(.exited(code: 1), at: Self.time(-60), lastLine: "no space"))
    var own = run
    own.source = .transfer
    own.standing = .pending
    #expect(
      Sentences.why(row, hooks: [run, own], clock: FakeClock()).suffix(3) == [
        "Its file is \"/d/file.iso\"",
        "Hook completed: \"notify-me\" exited with 1 (no space), 13:59:00",
        "Hook --then: \"notify-me\" waits for its turn, 13:50",
      ])
  }

  @Test func `an unknown transfer is a usage error`() async {
    let outcome = await FakeContext().run("why", "9")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("There is no transfer 9"))
  }

  @Test func `the last line of the list says when everything is done`() {
    var totals = Totals()
    #expect(Sentences.readiness(of: totals, FakeClock()) == nil)
    var batch = BatchProgress(
      transferCount: 3, finishedCount: 0, bytesReceived: 0, bytesExpected: 0,
      unknownSizeCount: 0, secondsLeft: nil)
    batch.readyAt = Self.time(3600)
    totals.batch = batch
    #expect(Sentences.readiness(of: totals, FakeClock()) == "All done at 15:00")
    totals.batch?.unpredictableCount = 2
    #expect(
      Sentences.readiness(of: totals, FakeClock())
        == "All done at 15:00, except 2 without an estimate")
  }
}
