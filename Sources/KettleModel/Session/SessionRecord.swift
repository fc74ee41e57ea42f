/// One program's background session as the store keeps it.
public struct SessionRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: SessionID
  public var options: SessionOptions
  public var createdAt: WallTime
  /// When its program was connected last; that it is connected now is not on record.
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
  /// nil: there is nothing that could be launched.
  public var launch: LaunchCommand?
  /// `sessionSendsLaunchEvents`
  public var sendsLaunchEvents: Bool
  /// `httpMaximumConnectionsPerHost`: of all transfers of the session together; nil is the
  /// service's own limit.
  public var connectionsPerHostMax: Int?
  /// Whether the program wants to see the certificates of servers that the system trusts as well.
  public var asksServerTrust: Bool
  /// Whether it is asked so, and launched for it, while it is not connected; nil is yes. False is
  /// for a program of which it is not known that it has an opinion: then the system decides
  /// meanwhile. A program that had one once keeps being asked.
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

/// Whether a launch is still owed. It is put on record as spent before the program is started, so
/// that one completion launches it at most once, whatever crashes in between.
public enum LaunchPhase: String, Hashable, Sendable, Codable {
  /// The next time that everything is done, or a challenge comes, while nobody is connected.
  case armed
  /// It was started for what is done now; new or restarted tasks arm it again.
  case spent
}
