/// One transfer as clients see it.
public struct TransferSnapshot: Hashable, Sendable, Codable, Identifiable {
  public var id: TransferID
  public var session: SessionID
  /// Unique within the session.
  public var taskIdentifier: Int64
  public var title: String
  /// Without credentials.
  public var url: String
  public var state: TransferState
  /// Set exactly when the state is `waiting`.
  public var reason: WaitingReason?
  /// When it continues by itself; set for `scheduled` and for most of `waiting`.
  public var goesOnAt: WallTime?
  /// Where the file is, or will be; nil until its name is known.
  public var path: String?
  /// For an upload, the sent bytes of the request's body; 0 while it waits, because the body is
  /// then sent again from the start. The response's progress is in `task`.
  public var bytesReceived: Int64
  /// nil if the server did not announce it. For an upload, the length of the request's body.
  public var bytesExpected: Int64?
  /// Of an upload, how fast its body is sent; `secondsLeft` is by that speed as well.
  public var bytesPerSecond: Int64
  /// nil if unknown.
  public var secondsLeft: Int64?
  /// How many connections are open for it now.
  public var connections: Int
  public var priority: TransferPriority
  /// Smaller stands further up in the list; nil when the service is too old to say.
  public var queuePosition: Int64?
  /// The most bytes a second of this transfer; nil is no limit of its own.
  public var limitBytesPerSecond: Int64?
  public var createdAt: WallTime
  public var finishedAt: WallTime?
  /// true when it is finished and was cleared from view since.
  public var isCleared: Bool?
  /// Why it failed, or what went wrong last while it waits.
  public var error: TransferFailure?
  /// Why the last start was from zero though bytes were there.
  public var freshStart: FreshStartReason?
  /// Of a task of a program's session.
  public var task: TaskStatus?

  public init(
    id: TransferID, session: SessionID, taskIdentifier: Int64, title: String, url: String,
    state: TransferState, reason: WaitingReason? = nil, goesOnAt: WallTime? = nil,
    path: String? = nil, bytesReceived: Int64 = 0, bytesExpected: Int64? = nil,
    bytesPerSecond: Int64 = 0, secondsLeft: Int64? = nil, connections: Int = 0,
    priority: TransferPriority = .normal, createdAt: WallTime, finishedAt: WallTime? = nil,
    error: TransferFailure? = nil, freshStart: FreshStartReason? = nil, task: TaskStatus? = nil
  ) {
    self.id = id
    self.session = session
    self.taskIdentifier = taskIdentifier
    self.title = title
    self.url = url
    self.state = state
    self.reason = reason
    self.goesOnAt = goesOnAt
    self.path = path
    self.bytesReceived = bytesReceived
    self.bytesExpected = bytesExpected
    self.bytesPerSecond = bytesPerSecond
    self.secondsLeft = secondsLeft
    self.connections = connections
    self.priority = priority
    self.createdAt = createdAt
    self.finishedAt = finishedAt
    self.error = error
    self.freshStart = freshStart
    self.task = task
  }
}

/// All transfers in a few numbers, for the bar at the top.
public struct Totals: Hashable, Sendable, Codable {
  public var bytesPerSecond: Int64 = 0
  /// How many transfers are in each state; a state without transfers is absent.
  public var counts: [TransferState: Int] = [:]
  /// Free bytes on the disk of the documents directory; nil if unknown.
  public var freeBytes: Int64?
  /// The most bytes a second of everything together; nil is no limit.
  public var limitBytesPerSecond: Int64?
  /// What is under way, as one piece of work; nil when nothing is.
  public var batch: BatchProgress?

  public init() {}

  public func count(_ state: TransferState) -> Int { counts[state] ?? 0 }

  /// Counts that came over a socket can be any; too many are the most that fits.
  public var transferCount: Int {
    counts.values.reduce(0) { sum, count in
      let (next, overflow) = sum.addingReportingOverflow(count)
      return overflow ? (count < 0 ? .min : .max) : next
    }
  }
}

extension Totals {
  private enum CodingKeys: String, CodingKey {
    case bytesPerSecond, counts, freeBytes, limitBytesPerSecond, batch
  }

  /// A dictionary with enum keys is an array of pairs in JSON; names as keys are what a reader of
  /// the protocol expects.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    bytesPerSecond = try container.decode(Int64.self, forKey: .bytesPerSecond)
    freeBytes = try container.decodeIfPresent(Int64.self, forKey: .freeBytes)
    limitBytesPerSecond = try container.decodeIfPresent(Int64.self, forKey: .limitBytesPerSecond)
    batch = try container.decodeIfPresent(BatchProgress.self, forKey: .batch)
    for (name, count) in try container.decode([String: Int].self, forKey: .counts) {
      if let state = TransferState(rawValue: name) { counts[state] = count }
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(bytesPerSecond, forKey: .bytesPerSecond)
    try container.encodeIfPresent(freeBytes, forKey: .freeBytes)
    try container.encodeIfPresent(limitBytesPerSecond, forKey: .limitBytesPerSecond)
    try container.encodeIfPresent(batch, forKey: .batch)
    let named = Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    try container.encode(named, forKey: .counts)
  }
}
