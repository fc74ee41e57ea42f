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
