/// One program's background session as the store keeps it.
public struct SessionRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: SessionID
  public var options: SessionOptions
  public var createdAt: WallTime
  /// The last time its program was connected; a current connection is not recorded.
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
  /// nil if there is nothing to launch.
  public var launch: LaunchCommand?
  /// `sessionSendsLaunchEvents`
  public var sendsLaunchEvents: Bool
  /// `httpMaximumConnectionsPerHost`: of all transfers of the session together; nil is the
  /// service's own limit.
  public var connectionsPerHostMax: Int?
  /// Whether the program wants to see the certificates of servers that the system trusts as well.
  public var asksServerTrust: Bool
  /// Whether the program judges server certificates, and is launched for that, while not connected;
  /// nil means yes. False is for a program that is not known to decide challenges: the system
  /// decides meanwhile. A program that once decided them keeps receiving them.
  public var asksServerTrustWhenAway: Bool?

  public init(
    launch: LaunchCommand?, sendsLaunchEvents: Bool = true, connectionsPerHostMax: Int? = nil,
    asksServerTrust: Bool = false, asksServerTrustWhenAway: Bool? = nil
  ) {
    self.launch = launch
    self.sendsLaunchEvents = sendsLaunchEvents
    self.connectionsPerHostMax = connectionsPerHostMax
    self.asksServerTrust = asksServerTrust
    self.asksServerTrustWhenAway = asksServerTrustWhenAway
  }
}

/// How a program is started when its session has news for it.
public struct LaunchCommand: Hashable, Sendable, Codable {
  /// Absolute.
  public var executablePath: String
  /// Without the program's own name.
  public var arguments: [String]
  /// Absolute; nil is the root.
  public var directory: String?

  public init(executablePath: String, arguments: [String] = [], directory: String? = nil) {
    self.executablePath = executablePath
    self.arguments = arguments
    self.directory = directory
  }
}

/// Whether a launch is outstanding. It is recorded as spent before the program is started, so one
/// completion launches it at most once, even after a crash.
public enum LaunchPhase: String, Hashable, Sendable, Codable {
  /// Launch when everything is done, or a challenge arrives, while no program is connected.
  case armed
  /// Launched for the current completion; new or restarted tasks arm it again.
  case spent
}
