import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

/// The exact text of every message, because users and their scripts see it.
struct SentencesTests {
  private func sentence(_ code: ControlError.Code) -> String {
    switch code {
    case .parseError, .invalidRequest, .invalidParams:
      "The service could not read the request (\"x\"); the service may be another version of "
        + "Kettle, run \"kettle daemon stop\" and try again"
    case .methodNotFound:
      "The running service does not support \"x\" because it is older than this program; "
        + "run \"kettle daemon stop\" and try again"
    case .internalError:
      "The service hit an internal error (\"x\"); try again, and report it if it persists"
    case .versionMismatch:
      "The running service uses protocol version \"x\" and this program uses 1; run \"kettle "
        + "daemon stop\" and try again"
    case .helloMissing:
      "The request \"x\" was sent before the handshake; please report it"
    case .unknownTransfer:
      "There is no transfer \"x\"; \"kettle list\" shows all transfers"
    case .cannotKeep:
      "The service could not store the request (x), so nothing was queued; "
        + "free some space on its disk and try again"
    case .refusedSpec:
      "The service rejected the request (x), so nothing was queued; correct it and try again"
    case .stopping: "The service is shutting down; try again in a moment"
    case .sessionInUse:
      "The program of the session is still connected (process x); quit it and try again"
    case .unknownSession:
      "There is no session \"x\"; \"kettle session list\" shows all sessions"
    case .unknownQueue:
      "There is no queue \"x\"; \"kettle queues\" shows all, and "
        + "\"kettle config set queues.x.transfers 2\" creates it"
    case .unknownCollection:
      "There is no collection \"x\" whose list is complete; "
        + "\"kettle collections\" shows all collections"
    case .noFleet: "This machine is in no fleet; join one with \"kettle fleet join\""
    case .notOffered: "This list does not offer that (x); use the list of one machine"
    case .fleet: "The fleet cannot be asked: x"
    case .tooManyConnections: Self.tooMany("x")
    case .notAttached:
      "Only the program of the session \"x\" may make this request; please report it"
    }
  }

  private static func tooMany(_ count: String) -> String {
    "The service has \(count) open connections and accepts no more; close some of them, for "
      + "example dashboards and \"kettle watch\", and try again"
  }

  @Test func `too many connections exit with 3`() {
    let report = Sentences.report(of: ClientError.tooManyConnections(count: "256"))
    #expect(report.sentences == [Self.tooMany("256")])
    #expect(report.code == .serviceUnreachable)
  }

  private func code(_ code: ControlError.Code) -> Int32 {
    switch code {
    case .unknownTransfer, .cannotKeep, .refusedSpec, .sessionInUse, .unknownSession,
      .unknownQueue, .unknownCollection, .noFleet, .notOffered:
      2
    case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError,
      .versionMismatch, .helloMissing, .stopping, .notAttached, .tooManyConnections,
      .fleet:
      3
    }
  }

  @Test(arguments: ControlError.Code.allCases)
  func `errors from the service have messages`(code: ControlError.Code) {
    let report = Sentences.report(of: ControlError(code, "x"))
    #expect(report.sentences == [sentence(code)])
    #expect(report.code.rawValue == self.code(code))
  }

  @Test(arguments: [
    (
      ClientError.notRunning(socketPath: "/s"),
      "No service is running at \"/s\"; start it with \"kettle daemon start\""
    ),
    (
      .didNotStart(detail: "it ended with status 1", logPath: "/l"),
      "The service did not start (it ended with status 1); see \"/l\", "
        + "or run \"kettle daemon run\" to watch it"
    ),
    (
      .foreignSocket(path: "/s", ownerID: 1001),
      "The socket \"/s\" belongs to another user (1001); remove it, "
        + "or set XDG_RUNTIME_DIR to a directory of your own"
    ),
    (
      .unsafeDirectory(path: "/d", detail: "mode 0777"),
      "The directory \"/d\" is not safe for the socket (mode 0777); make it yours with mode 0700"
    ),
    (
      .versionMismatch(ours: 1, theirs: "2"),
      "The running service uses protocol version \"2\" and this program uses 1; "
        + "run \"kettle daemon stop\" and try again"
    ),
    (
      .connectionLost,
      "The connection to the service was lost; try again, which restarts the service if needed"
    ),
    (
      .socketPathTooLong(path: "/s"),
      "The socket path \"/s\" is too long for the system; "
        + "set XDG_RUNTIME_DIR to a shorter one"
    ),
  ])
  func `an unreachable service exits with 3`(error: ClientError, expected: String) {
    let report = Sentences.report(of: error)
    #expect(report.sentences == [expected])
    #expect(report.code == .serviceUnreachable)
  }

  @Test(arguments: [
    (
      ControlRefusal.Why.unknown,
      "There is no transfer 7; \"kettle list\" shows all transfers"
    ),
    (
      .completed,
      "Transfer 7 is done already; \"kettle get --again\" with its URL fetches another copy"
    ),
    (
      .notStarted,
      "Transfer 7 was never started, so there is nothing to pause; "
        + "start it with \"kettle start 7\""
    ),
  ])
  func `refused controls have messages`(why: ControlRefusal.Why, expected: String) {
    #expect(Sentences.of(.init(id: TransferID(rawValue: 7), why: why)) == expected)
  }

  @Test(arguments: [
    (ConsoleError.readerGone, [], ExitCode.done),
    (.interrupted, [], .interrupted),
    (
      .cannotWrite(detail: "No space left on device"),
      [
        "Cannot write to standard output (No space left on device); check where it is redirected"
      ], .transferFailed
    ),
    (
      .cannotRead(detail: "Is a directory"),
      ["Cannot read standard input (Is a directory); check where it comes from"], .refused
    ),
    (
      .noTerminal,
      ["The command has to ask a question but there is no terminal; run it in one"], .refused
    ),
  ])
  func `console errors are reported or ignored`(
    error: ConsoleError, expected: [String], code: ExitCode
  ) {
    let report = Sentences.report(of: error)
    #expect(report.sentences == expected)
    #expect(report.code == code)
  }

  @Test(arguments: [
    (
      DemoProblem.foreignHome(path: "/tmp/k"),
      "\"/tmp/k\" is not a private directory of yours, so the demo does not touch it; "
        + "remove it, or set TMPDIR to another directory"
    ),
    (
      .homeUnusable(path: "/tmp/k", detail: "Read-only file system"),
      "The demo directory \"/tmp/k\" cannot be used (Read-only file system); set TMPDIR to a "
        + "writable directory"
    ),
    (
      .catalogueUnusable(path: "/tmp/k/catalogue.json"),
      "The demo service did not list its files in \"/tmp/k/catalogue.json\"; "
        + "delete that directory and try again"
    ),
    (
      .serviceStillRuns(path: "/tmp/k"),
      "The demo service did not stop, so its directory \"/tmp/k\" was not deleted; "
        + "run \"kettle demo\" and leave it again"
    ),
  ])
  func `demo problems have messages`(problem: DemoProblem, expected: String) {
    let report = Sentences.report(of: problem)
    #expect(report.sentences == [expected])
    #expect(report.code == .refused)
  }

  @Test func `a service that was stopped while being followed is reported`() {
    let report = Sentences.report(of: FollowError.serviceStopped)
    #expect(
      report.sentences == [
        "The service was stopped; \"kettle daemon start\" starts it again, and the transfers resume"
      ])
    #expect(report.code == .serviceUnreachable)
  }

  @Test func `an unforeseen error is reported as a failure`() {
    struct Odd: Error {}
    let report = Sentences.report(of: Odd())
    #expect(report.sentences == ["Internal error (Odd()); please report it"])
    #expect(report.code == .transferFailed)
  }

  @Test func `a cancelled command prints nothing`() {
    let report = Sentences.report(of: CancellationError())
    #expect(report.sentences.isEmpty)
    #expect(report.code == .interrupted)
  }

  // Fault 128
  @Test func `external names cannot control the terminal`() {
    let hostile = "\u{1B}]0;x\u{7}\u{202E}\u{9B}31m"
    let errors: [any Error] = [
      ControlError(.refusedSpec, hostile), ControlError(.unknownTransfer, hostile),
      ClientError.didNotStart(detail: hostile, logPath: hostile),
      UsageError(.value(.header(hostile))), UsageError(.url(hostile, .schemeMissing)),
      UsageError(.command(.unknown(hostile, meant: nil))),
      UsageError(.list(.line(1, hostile, .hostMissing), name: hostile)),
      DemoProblem.foreignHome(path: hostile),
    ]
    for error in errors {
      for sentence in Sentences.report(of: error).sentences {
        #expect(!sentence.unicodeScalars.contains { $0.isControl || $0.isInvisible })
      }
    }
  }
}
