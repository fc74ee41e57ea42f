/// One of the user's queues as clients see it.
public struct QueueSnapshot: Hashable, Sendable, Codable {
  public var name: QueueName
  /// How many of its transfers may run at once; nil means no limit of its own.
  public var transfersMax: Int?
  /// When its transfers may run, such as `01:00-06:00 mon tue`; nil means at any time.
  public var hours: String?
  /// Whether it is within its hours.
  public var isOpen: Bool
  /// When `isOpen` changes; nil if it does not.
  public var until: WallTime?
  /// The condition that the user's transfers wait for; nil for none.
  public var waitsFor: TransferCondition?
  public var runningCount: Int
  /// The transfers that wait for their turn; nil if they were not counted.
  public var queuedCount: Int?

  public init(
    name: QueueName, transfersMax: Int? = nil, hours: String? = nil, isOpen: Bool = true,
    until: WallTime? = nil, waitsFor: TransferCondition? = nil, runningCount: Int = 0,
    queuedCount: Int? = nil
  ) {
    self.name = name
    self.transfersMax = transfersMax
    self.hours = hours
    self.isOpen = isOpen
    self.until = until
    self.waitsFor = waitsFor
    self.runningCount = runningCount
    self.queuedCount = queuedCount
  }
}
