import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct SessionCommandTests {
  private static func summary(
    _ id: String = "org.example.app", processID: Int64? = nil, counts: [String: Int] = [:],
    untold: Int = 0, notice: LaunchNotice? = nil
  ) -> SessionSummary {
    SessionSummary(
      id: SessionID(rawValue: id), processID: processID,
      lastSeenAt: WallTime(millisecondsSince1970: FakeClock.start),
      launch: LaunchCommand(executablePath: "/opt/app", arguments: ["--events"]),
      sendsLaunchEvents: true, counts: counts, unreportedCount: untold, notice: notice)
  }

  private static let troubled = summary(
    counts: ["completed": 2], untold: 2,
    notice: LaunchNotice(
      problem: .notRun, at: WallTime(millisecondsSince1970: FakeClock.start), detail: "ENOENT"))

  private func context(_ sessions: [SessionSummary], answer: String? = nil) -> FakeContext {
    var context = FakeContext()
    context.service = FakeService([snapshot(3, .completed), snapshot(5, .failed)])
    context.service.have(sessions)
    if let answer {
      context.console = FakeConsole(inputIsTerminal: true, outputColumns: 200)
      context.console.answer(.success(answer))
    }
    return context
  }

  @Test func `list shows connections, transfers and problems`() async {
    let outcome = await context([
      Self.troubled, Self.summary("b", processID: 4711, counts: ["running": 1, "paused": 3]),
    ]).run("session", "list")
    #expect(
      outcome
        == .init(
          code: 0,
          output: """
            SESSION                         PROGRAM         LAST SEEN            PENDING  TASKS
            org.example.app                 away            2026-11-21 14:00:00        2  2 done
              The program "/opt/app" of the session "org.example.app" could not be launched \
            (ENOENT); check that it exists and is executable
            b                               process 4711    2026-11-21 14:00:00        0  \
            1 running, 3 paused

            """, error: ""))
  }

  @Test func `a long identifier widens its column, and is cut on a terminal`() async {
    let long = "org.example." + String(repeating: "a", count: 30)
    var context = context([Self.summary(long), Self.summary("b")])
    #expect(
      await context.run("session", "list").output == """
        SESSION                                     PROGRAM         LAST SEEN            \
        PENDING  TASKS
        \(long)  away            2026-11-21 14:00:00        0  none
        b                                           away            2026-11-21 14:00:00  \
              0  none

        """)
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 90)
    let lines = await context.run("session", "list").output.split(separator: "\n")
    #expect(lines.dropFirst().first?.hasPrefix("org.example.aaaaaaaaaaaaaaaaa…  away  ") == true)
    #expect(lines.allSatisfy { $0.count <= 90 })
  }

  @Test func `list without sessions prints a message, or an empty array as JSON`() async {
    #expect(
      await context([]).run("session", "list")
        == .init(code: 0, output: "", error: "There are no program sessions\n"))
    #expect(
      await context([]).run("session", "list", "--json")
        == .init(code: 0, output: "[]\n", error: ""))
  }

  @Test func `list --json always has all members`() async {
    let outcome = await context([Self.troubled]).run("session", "list", "--json")
    #expect(
      outcome.output == """
        [
        {"id": "org.example.app", "processID": null, "lastSeenAt": "2026-11-21T12:00:00Z", \
        "launch": {"executablePath": "/opt/app", "arguments": ["--events"], "directory": null}, \
        "sendsLaunchEvents": true, "counts": {"idle": 0, "scheduled": 0, "queued": 0, \
        "running": 0, "waiting": 0, "paused": 0, "verifying": 0, "completed": 2, "failed": 0}, \
        "unreportedCount": 2, "notice": {"code": "notRun", "at": "2026-11-21T12:00:00Z", \
        "detail": "ENOENT", "message": "The program \\"/opt/app\\" of the session \
        \\"org.example.app\\" could not be launched (ENOENT); check that it exists and is executable"}}
        ]

        """)
  }

  @Test(arguments: [
    (
      LaunchNotice.Problem.ended, "exit 1" as String?,
      "The program \"/opt/app\" of the session \"s\" exited before it had collected everything "
        + "(exit 1); "
        + "its output is in the log of the service"
    ),
    (
      .silent, nil,
      "The program \"/opt/app\" of the session \"s\" was launched but did not report within 30 "
        + "seconds that it is done; check whether it hangs"
    ),
  ])
  func `a failed launch is also reported by the service status`(
    _ problem: LaunchNotice.Problem, _ detail: String?, _ sentence: String
  ) async {
    let notice = LaunchNotice(
      problem: problem, at: WallTime(millisecondsSince1970: 0), detail: detail)
    let session = Self.summary("s", notice: notice)
    #expect(Sentences.launchNotice(of: session) == sentence)
    let status = await context([session]).run("daemon", "status")
    #expect(status.output.hasSuffix("Notice: \(sentence)\n"))
    #expect(Sentences.launchNotice(of: Self.summary()) == nil)
  }

  @Test func `adopt takes over the transfers of a session and prints their paths`() async {
    var context = context([Self.summary()])
    var finished = snapshot(3, .completed)
    finished.path = "/held/a b"
    context.service = FakeService([finished, snapshot(5, .failed)])
    context.service.have([Self.summary()])
    #expect(
      await context.run("session", "adopt", "org.example.app")
        == .init(
          code: 0,
          output: "2 transfers of the session \"org.example.app\" are now yours\n"
            + "3 is at \"/held/a b\"\n5\n", error: ""))
    #expect(context.service.asked == [.adopt(SessionID(rawValue: "org.example.app"))])
  }

  @Test(arguments: [
    (
      ControlError(.sessionInUse, "4711"),
      "The program of the session is still connected (process 4711); quit it and try again"
    ),
    (
      ControlError(.unknownSession, "x\u{1B}"),
      "There is no session \"x\u{FFFD}\"; \"kettle session list\" shows all sessions"
    ),
  ])
  func `a refusal by the service exits with 2`(_ error: ControlError, _ sentence: String) async {
    let context = context([Self.summary()])
    context.service.fail(AdoptSession.name, with: error)
    #expect(
      await context.run("session", "adopt", "s")
        == .init(code: 2, output: "", error: "kettle: \(sentence)\n"))
  }

  @Test(arguments: [("y", Int32(0)), ("", 130)])
  func `drop states what is lost and asks for confirmation`(_ answer: String, _ code: Int32) async {
    let context = context([Self.troubled], answer: answer)
    #expect(await context.run("session", "drop", "org.example.app").code == code)
    #expect(
      context.console.questions == [
        "Drop the session \"org.example.app\" with 2 transfers, including 2 that its program has "
          + "not collected, and delete their downloaded data? [y/N] "
      ])
    #expect(
      context.service.asked == (code == 0 ? [.drop(SessionID(rawValue: "org.example.app"))] : []))
  }

  @Test func `drop of an unknown session does not ask for confirmation`() async {
    let context = context([], answer: "y")
    #expect(await context.run("session", "drop", "s").code == 2)
    #expect(context.console.questions.isEmpty)
  }

  @Test func `drop without a terminal reports an unknown session`() async {
    #expect(
      await context([]).run("session", "drop", "nosuch")
        == .init(
          code: 2, output: "",
          error:
            "kettle: There is no session \"nosuch\"; \"kettle session list\" shows all sessions\n"
        ))
  }

  @Test func `drop without a terminal requires --yes`() async {
    let refused = context([Self.summary("s")])
    #expect(
      await refused.run("session", "drop", "s")
        == .init(
          code: 2, output: "",
          error: "kettle: \"kettle session drop\" asks first, "
            + "but there is no terminal to ask on; add --yes\n"))
    #expect(
      await context([Self.summary()]).run("session", "drop", "s", "--yes")
        == .init(code: 0, output: "Dropped the session \"s\" with 2 transfers\n", error: ""))
  }

  @Test func `a listed task shows what its program must do`() async {
    func task(
      _ id: Int64, in state: TransferState, _ change: (inout TaskStatus) -> Void
    ) -> TransferSnapshot {
      var row = snapshot(id, state)
      var status = TaskStatus()
      change(&status)
      row.task = status
      if state == .waiting { row.reason = .needsLogin }
      row.error = state == .waiting ? TransferFailure(.loginNeeded, on: "example.org") : nil
      return row
    }
    var context = FakeContext()
    context.service = FakeService([
      task(1, in: .completed) { _ in },
      task(2, in: .paused) {
        $0.resumeToken = ResumeToken(id: TransferID(rawValue: 2), secret: "s")
      },
      task(3, in: .waiting) {
        $0.challenge = ServerChallenge(kind: .basic, origin: "https://a:443", failureCount: 0)
      },
      snapshot(4, .completed),
    ])
    let lines = await context.run("list").output.split(separator: "\n").map(String.init)
    #expect(lines.count == 8)
    #expect(lines.dropFirst(2).first == "        its program has not collected it yet")
    #expect(lines.dropFirst(4).first == "        set aside; its program can resume it")
    #expect(lines.dropFirst(6).first == "        its program must answer the server")
  }
}
