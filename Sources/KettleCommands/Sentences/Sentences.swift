import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket
import KettleStarter

/// Turns the errors of commands into sentences and exit codes: what failed, on what, what to do.
///
/// Names from outside are quoted and made safe for a terminal. Sentences have no final period.
enum Sentences {
  /// A name from outside, made safe for a sentence.
  static func quoted(_ text: String, limit: Int = 200) -> String {
    "\"" + text.sanitizedForDisplay(limit: limit) + "\""
  }

  /// The time of day; with the date on another day.
  static func time(_ time: WallTime, _ clock: any CommandClock) -> String {
    guard let local = clock.localTime(of: time)?.inUTC,
      let now = clock.localTime(of: clock.now().wall)?.inUTC
    else { return time.iso8601 }
    // The local calendar read as UTC prints the local time.
    return ClockText(utcOffsetSeconds: 0).long(local, now: now)
  }

  /// Returns the sentences for an error, one per problem, and the exit code of the command.
  static func report(of error: any Error) -> (sentences: [String], code: ExitCode) {
    switch error {
    case let error as UsageError: (error.problems.map { of($0) }, .refused)
    case let error as ControlError: ([of(error)], exitCode(of: error))
    case let error as ClientError: ([error.sentence], .serviceUnreachable)
    case let error as RemoteError: ([of(error)], .serviceUnreachable)
    case let error as MachineMissing:
      (
        ["\(quoted(error.name)) is not connected at the moment; it is tried again"],
        .serviceUnreachable
      )
    case let error as FollowError: ([of(error)], .serviceUnreachable)
    case let error as UnknownTransfers: (of(error), .refused)
    case let error as SystemdError: ([of(error)], .refused)
    case let error as ConfigurationError: ([of(error)], .refused)
    case let error as DemoProblem: ([of(error)], .refused)
    case let error as NativeFrames.Problem: ([of(error)], .refused)
    case let error as BrowserRequest.Problem: ([of(error)], .refused)
    case let error as KettleLink.Problem: ([of(error)], .refused)
    case let error as BrowserError: ([of(error)], .refused)
    case let error as RefusedControl: ([of(error.refusal)], .transferFailed)
    case let error as ConsoleError: ([of(error)].compactMap { $0 }, exitCode(of: error))
    case let error as PartialAddError:
      (
        report(of: error.error).sentences + [
          "\(CountText.text(error.count)) were added before the failure"
        ],
        report(of: error.error).code
      )
    case let problem as FileOpener.Problem: ([of(problem)], .transferFailed)
    case is CancellationError: ([], .interrupted)
    default: ([unforeseen(error)], .transferFailed)
    }
  }

  private static func unforeseen(_ error: any Error) -> String {
    "Internal error (\(String(describing: error).sanitizedForDisplay(limit: 400))); "
      + "please report it"
  }
}

// MARK: - Errors from the service

extension Sentences {
  static func of(_ error: ControlError) -> String {
    let value = quoted(error.message)
    let said = error.message.sanitizedForDisplay(limit: 400)
    switch error.code {
    case .parseError, .invalidRequest, .invalidParams:
      return "The service could not read the request (\(value)); "
        + "the service may be another version of Kettle, run \"kettle daemon stop\" and try again"
    case .methodNotFound:
      return "The running service does not support \(value) because it is older than this program; "
        + "run \"kettle daemon stop\" and try again"
    case .internalError:
      return "The service hit an internal error (\(value)); try again, and report it if it persists"
    case .versionMismatch:
      return "The running service uses protocol version \(value) and this program uses "
        + "\(ProtocolVersion.current); run \"kettle daemon stop\" and try again"
    case .helloMissing:
      return "The request \(value) was sent before the handshake; please report it"
    case .unknownTransfer:
      return "There is no transfer \(value); \"kettle list\" shows all transfers"
    case .cannotKeep:
      return "The service could not store the request (\(said)), so nothing was queued; "
        + "free some space on its disk and try again"
    case .refusedSpec:
      return "The service rejected the request (\(said)), so nothing was queued; correct it and "
        + "try again"
    case .stopping:
      return "The service is shutting down; try again in a moment"
    case .sessionInUse:
      return "The program of the session is still connected (process \(said)); "
        + "quit it and try again"
    case .unknownSession:
      return "There is no session \(value); \"kettle session list\" shows all sessions"
    case .unknownQueue:
      return "There is no queue \(value); \"kettle queues\" shows all, and "
        + "\"kettle config set queues.\(said).transfers 2\" creates it"
    case .unknownCollection:
      return "There is no collection \(value) whose list is complete; "
        + "\"kettle collections\" shows all collections"
    case .tooManyConnections:
      return ClientError.tooManyConnections(count: error.message).sentence
    case .noFleet:
      return "This machine is in no fleet; join one with \"kettle fleet join\""
    case .notOffered:
      return "This list does not offer that (\(said)); use the list of one machine"
    case .fleet:
      return "The fleet cannot be asked: \(said)"
    case .notAttached:
      return "Only the program of the session \(value) may make this request; please report it"
    }
  }

  static func exitCode(of error: ControlError) -> ExitCode {
    switch error.code {
    case .unknownTransfer, .cannotKeep, .refusedSpec, .sessionInUse, .unknownSession,
      .unknownQueue, .unknownCollection, .noFleet, .notOffered:
      .refused
    case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError,
      .versionMismatch, .helloMissing, .stopping, .notAttached, .tooManyConnections,
      .fleet:
      .serviceUnreachable
    }
  }
}

// MARK: - Refused controls

extension Sentences {
  static func of(_ refusal: ControlRefusal) -> String {
    switch refusal.why {
    case .unknown:
      "There is no transfer \(refusal.id); \"kettle list\" shows all transfers"
    case .completed:
      isDone(refusal.id)
    case .notStarted:
      "Transfer \(refusal.id) was never started, so there is nothing to pause; "
        + "start it with \"kettle start \(refusal.id)\""
    case .noFinishedFile: nothingToCompare(refusal.id)
    case .busy:
      "A machine of the fleet is placing the file of transfer \(refusal.id), or its state does not "
        + "permit that; \"kettle why --fleet \(refusal.id)\" shows it"
    case .nothingToDecide:
      "Transfer \(refusal.id) does not ask for a decision, so there is nothing to accept"
    }
  }
}

// MARK: - Input and output

extension Sentences {
  /// Returns nil for an error that is not reported.
  static func of(_ error: ConsoleError) -> String? {
    switch error {
    case .readerGone, .interrupted: nil
    case .cannotWrite(let detail):
      "Cannot write to standard output (\(detail)); check where it is redirected"
    case .cannotRead(let detail):
      "Cannot read standard input (\(detail)); check where it comes from"
    case .noTerminal:
      "The command has to ask a question but there is no terminal; run it in one"
    }
  }

  static func exitCode(of error: ConsoleError) -> ExitCode {
    switch error {
    // A reader that closed the pipe early is not a failure.
    case .readerGone: .done
    case .interrupted: .interrupted
    // The request may have been carried out already, so this is not "nothing was queued".
    case .cannotWrite: .transferFailed
    case .cannotRead, .noTerminal: .refused
    }
  }
}
