/// A program's background session, as stored.
public struct SessionRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: SessionID
  public var options: SessionOptions
  public var createdAt: WallTime
  /// When its program was last connected. A current connection is not recorded.
  public var lastSeenAt: WallTime
  public var launch: LaunchPhase

  public init(id: SessionID, options: SessionOptions, createdAt: WallTime) {
    self.id = id
    self.options = options
    self.createdAt = createdAt
    lastSeenAt = createdAt
    launch = .armed
  }
}

public struct SessionOptions: Hashable, Sendable, Codable {
  /// nil if the session launches nothing.
  public var launch: LaunchCommand?
  /// `sessionSendsLaunchEvents`
  public var sendsLaunchEvents: Bool
  /// `httpMaximumConnectionsPerHost`, for all transfers of the session together; nil uses the
  /// service's limit.
  public var connectionsPerHostMax: Int?
  /// Whether the program also judges the certificates of servers that the system trusts.
  public var asksServerTrust: Bool
  /// Whether the program is launched to judge server certificates while it is not connected; nil
  /// means yes. False is for programs that have never decided a challenge: the system decides
  /// while they are away. A program that has decided one keeps receiving them.
  public var asksServerTrustWhenAway: Bool?
  /// Whether the program is launched to answer whether a task may begin at its date
  /// (`TaskOptions.asksBeforeBeginning`). False is for programs that have no answer of their own.
  /// nil leaves what the session had before, at first true.
  public var asksBeforeBeginningWhenAway: Bool?

  public init(
    launch: LaunchCommand?, sendsLaunchEvents: Bool = true, connectionsPerHostMax: Int? = nil,
    asksServerTrust: Bool = false, asksServerTrustWhenAway: Bool? = nil,
    asksBeforeBeginningWhenAway: Bool? = nil
  ) {
    self.launch = launch
    self.sendsLaunchEvents = sendsLaunchEvents
    self.connectionsPerHostMax = connectionsPerHostMax
    self.asksServerTrust = asksServerTrust
    self.asksServerTrustWhenAway = asksServerTrustWhenAway
    self.asksBeforeBeginningWhenAway = asksBeforeBeginningWhenAway
  }
}

extension SessionOptions {
  /// The first part that no service may act on; nil if all are valid.
  package var refusedPart: String? {
    if let connectionsPerHostMax, connectionsPerHostMax < 1 { return "connectionsPerHostMax" }
    guard let launch else { return nil }
    if !launch.executablePath.isAbsolutePath { return "launch.executablePath" }
    if let directory = launch.directory, !directory.isAbsolutePath { return "launch.directory" }
    let byteCount = launch.arguments.reduce(0) { $0 + $1.utf8.count + 1 }
    guard byteCount <= LaunchCommand.argumentByteCountMax,
      !launch.arguments.contains(where: { $0.utf8.contains(0) })
    else { return "launch.arguments" }
    return nil
  }
}

/// How to start a program when its session has events for it.
public struct LaunchCommand: Hashable, Sendable, Codable {
  /// Absolute.
  public var executablePath: String
  /// Excludes the program's own name.
  public var arguments: [String]
  /// The absolute path of the working directory; nil means the root.
  public var directory: String?

  /// MAX_ARG_STRLEN of Linux, which bounds one argument (execve(2)).
  fileprivate static let argumentByteCountMax = 131_072

  public init(executablePath: String, arguments: [String] = [], directory: String? = nil) {
    self.executablePath = executablePath
    self.arguments = arguments
    self.directory = directory
  }
}

/// Whether the session may launch its program. `spent` is recorded before the program starts, so
/// one completion launches it at most once, even if the service crashes.
public enum LaunchPhase: String, Hashable, Sendable, Codable {
  /// Launches the program when all tasks are done or a challenge arrives while it is not connected.
  case armed
  /// The program was launched for the current completion. New or restarted tasks arm it again.
  case spent
}
