/// What a hook is run for.
public enum HookEvent: String, Hashable, Sendable, Codable, CaseIterable {
  case completed, failed
  /// It cannot continue without the user.
  case needsUser = "needs-user"
  /// The last transfer that was under way has ended.
  case allDone = "all-done"
}

/// Who chose the command of a hook.
public enum HookSource: String, Hashable, Sendable, Codable {
  /// The table `[hooks]` of the configuration file.
  case settings
  /// `--then`, for one transfer.
  case transfer
}

/// Identifies one run of a hook in a store.
public struct HookRunID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  public static func < (left: HookRunID, right: HookRunID) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// One run of a hook, from the event that made it due to its end.
public struct HookRun: Hashable, Sendable, Identifiable {
  public var id: HookRunID
  public var event: HookEvent
  public var source: HookSource
  /// nil for `HookEvent.allDone`.
  public var transfer: TransferID?
  public var command: HookCommand
  public var dueAt: WallTime
  public var standing = Standing.pending

  public enum Standing: Hashable, Sendable {
    case pending
    case running(since: WallTime)
    case ended(HookEnd)
  }

  public init(
    id: HookRunID, event: HookEvent, source: HookSource = .settings, transfer: TransferID? = nil,
    command: HookCommand, dueAt: WallTime
  ) {
    self.id = id
    self.event = event
    self.source = source
    self.transfer = transfer
    self.command = command
    self.dueAt = dueAt
  }

  /// How many runs of one transfer are reported.
  public static let shownCountMax = 100

  /// How it ended; nil if it has not.
  public var end: HookEnd? {
    switch standing {
    case .ended(let end): end
    case .pending, .running: nil
    }
  }
}

/// How and when a hook ended.
public struct HookEnd: Hashable, Sendable {
  public var outcome: HookOutcome
  public var at: WallTime
  /// The last line that the program printed, for display.
  public var lastLine: String?

  public init(_ outcome: HookOutcome, at: WallTime, lastLine: String? = nil) {
    self.outcome = outcome
    self.at = at
    self.lastLine = lastLine
  }
}

public enum HookOutcome: Hashable, Sendable {
  case exited(code: Int)
  case killed(signal: Int)
  /// It ran longer than this and was ended.
  case timedOut(seconds: Int)
  /// It could not be started; the name of the errno.
  case notStarted(errno: String)
  /// The service ended while it ran, so its outcome is unknown.
  case interrupted

  public var isSuccess: Bool { self == .exited(code: 0) }
}

extension HookRun: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, event, source, transfer, command, dueAt, state, startedAt, finishedAt, outcome
    case code, signal, seconds, errno, lastLine
  }

  private enum State: String, Codable { case pending, running, ended }

  private enum OutcomeKind: String, Codable {
    case exited, killed, timedOut, notStarted, interrupted
  }

  /// Decodes a flat object.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = HookRunID(rawValue: try container.decode(Int64.self, forKey: .id))
    event = try container.decode(HookEvent.self, forKey: .event)
    source = try container.decode(HookSource.self, forKey: .source)
    transfer = try container.decodeIfPresent(TransferID.self, forKey: .transfer)
    command = try container.decode(HookCommand.self, forKey: .command)
    dueAt = try container.decode(WallTime.self, forKey: .dueAt)
    standing =
      switch try container.decode(State.self, forKey: .state) {
      case .pending: .pending
      case .running: .running(since: try container.decode(WallTime.self, forKey: .startedAt))
      case .ended:
        .ended(
          HookEnd(
            try Self.outcome(container),
            at: try container.decode(WallTime.self, forKey: .finishedAt),
            lastLine: try container.decodeIfPresent(String.self, forKey: .lastLine)))
      }
  }

  private static func outcome(
    _ container: KeyedDecodingContainer<CodingKeys>
  ) throws -> HookOutcome {
    switch try container.decode(OutcomeKind.self, forKey: .outcome) {
    case .exited: .exited(code: try container.decode(Int.self, forKey: .code))
    case .killed: .killed(signal: try container.decode(Int.self, forKey: .signal))
    case .timedOut: .timedOut(seconds: try container.decode(Int.self, forKey: .seconds))
    case .notStarted: .notStarted(errno: try container.decode(String.self, forKey: .errno))
    case .interrupted: .interrupted
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id.rawValue, forKey: .id)
    try container.encode(event, forKey: .event)
    try container.encode(source, forKey: .source)
    try container.encodeIfPresent(transfer, forKey: .transfer)
    try container.encode(command, forKey: .command)
    try container.encode(dueAt, forKey: .dueAt)
    switch standing {
    case .pending: try container.encode(State.pending, forKey: .state)
    case .running(let since):
      try container.encode(State.running, forKey: .state)
      try container.encode(since, forKey: .startedAt)
    case .ended(let end):
      try container.encode(State.ended, forKey: .state)
      try container.encode(end.at, forKey: .finishedAt)
      try container.encodeIfPresent(end.lastLine, forKey: .lastLine)
      try Self.encode(end.outcome, in: &container)
    }
  }

  private static func encode(
    _ outcome: HookOutcome, in container: inout KeyedEncodingContainer<CodingKeys>
  ) throws {
    let kind: OutcomeKind
    switch outcome {
    case .exited(let code):
      kind = .exited
      try container.encode(code, forKey: .code)
    case .killed(let signal):
      kind = .killed
      try container.encode(signal, forKey: .signal)
    case .timedOut(let seconds):
      kind = .timedOut
      try container.encode(seconds, forKey: .seconds)
    case .notStarted(let name):
      kind = .notStarted
      try container.encode(name, forKey: .errno)
    case .interrupted: kind = .interrupted
    }
    try container.encode(kind, forKey: .outcome)
  }
}

extension HookRun {
  /// What the hook is called: its event, or `--then`.
  package var title: String {
    switch source {
    case .settings: "Hook \(event.rawValue)"
    case .transfer: "Hook --then"
    }
  }

  /// How it stands, without a time: `Hook completed: "notify-me" exited with 1`.
  package var sentence: String { "\(title): \(happened)" }

  /// The same without the title: `"notify-me" exited with 1`. For a failure, the last line that the
  /// program printed follows in parentheses.
  package var happened: String {
    let program = "\"" + command.programName.sanitizedForDisplay(limit: 100) + "\""
    switch standing {
    case .pending: return "\(program) waits for its turn"
    case .running: return "\(program) is running"
    case .ended(let end):
      let words = "\(program) \(end.outcome.words)"
      guard !end.outcome.isSuccess, let line = end.lastLine, !line.isEmpty else { return words }
      return words + " (" + line.sanitizedForDisplay(limit: HookEnd.lineLengthMax) + ")"
    }
  }

  /// When it came to stand so.
  package var since: WallTime {
    switch standing {
    case .pending: dueAt
    case .running(let since): since
    case .ended(let end): end.at
    }
  }
}

extension HookEnd {
  /// Of `lastLine`, in characters.
  package static let lineLengthMax = 200
}

extension HookOutcome {
  fileprivate var words: String {
    switch self {
    case .exited(let code): "exited with \(code)"
    case .killed(let signal): "was ended by signal \(signal)"
    case .timedOut(let seconds):
      "was ended because it ran longer than \(seconds) \(seconds == 1 ? "second" : "seconds")"
    case .notStarted(errno: "ENOENT"): "was not found"
    case .notStarted(errno: "EACCES"): "may not be executed"
    case .notStarted(let name): "could not be started (\(name.sanitizedForDisplay(limit: 40)))"
    case .interrupted: "was still running when the service ended, so its outcome is unknown"
    }
  }
}
