import KettleModel

/// The user's queues: their limits, their hours, and whether transfers of each may run now.
package struct NamedQueues: Sendable {
  /// What the user has set for one queue.
  package struct Settings: Hashable, Sendable {
    /// Concurrent transfers of the queue; nil means no limit of its own.
    package var transfersMax: Int?
    /// nil means at any time.
    package var hours: WeeklyHours?

    package init(transfersMax: Int? = nil, hours: WeeklyHours? = nil) {
      self.transfersMax = transfersMax
      self.hours = hours
    }
  }

  /// Whether a queue is within its hours, and until when.
  package struct Standing: Hashable, Sendable {
    package var isOpen: Bool
    /// nil if it stays so.
    package var until: WallTime?
  }

  package private(set) var settings: [QueueName: Settings] = [:]
  private var standings: [QueueName: Standing] = [:]
  /// When the standings were made.
  private var madeAt: WallTime?
  /// The first condition on which the user's transfers wait, whatever their queue.
  package private(set) var unmetCondition: TransferCondition?

  package init() {}

  package subscript(_ name: QueueName) -> Settings { settings[name] ?? Settings() }

  /// A queue without settings is always open.
  package func standing(of name: QueueName) -> Standing {
    standings[name] ?? Standing(isOpen: true)
  }

  /// Whether transfers of a queue may run now; nil is no queue of the user's.
  func isOpen(_ name: QueueName?) -> Bool {
    guard let name else { return true }
    return unmetCondition == nil && standing(of: name).isOpen
  }

  var areAllOpen: Bool { unmetCondition == nil && standings.values.allSatisfy(\.isOpen) }

  func transfersMax(of name: QueueName?) -> Int? { name.flatMap { settings[$0]?.transfersMax } }

  /// Whether a queue permits another of its transfers to start; nil is no queue of the user's.
  ///
  /// - Parameter runningCounts: how many transfers of each queue have a slot.
  func admits(_ name: QueueName?, _ runningCounts: [QueueName: Int]) -> Bool {
    guard let name else { return true }
    guard isOpen(name) else { return false }
    return transfersMax(of: name).map { runningCounts[name, default: 0] < $0 } ?? true
  }

  // MARK: Changes

  /// When `update` must be called next; nil when time changes nothing.
  var nextChange: WallTime? { standings.values.compactMap(\.until).min() }

  mutating func set(_ settings: [QueueName: Settings], at now: WallTime, in zone: LocalZone) {
    self.settings = settings
    standings = [:]
    madeAt = nil
    update(at: now, in: zone)
  }

  mutating func setUnmet(_ condition: TransferCondition?) { unmetCondition = condition }

  /// Brings the standings up to date. The clock may have been set in either direction.
  mutating func update(at now: WallTime, in zone: LocalZone) {
    let wasSetBack = madeAt.map { now < $0 } ?? true
    for (name, settings) in settings {
      guard let hours = settings.hours else { continue }
      let isOver = standings[name].map { $0.until.map { $0 <= now } ?? false } ?? true
      guard wasSetBack || isOver else { continue }
      standings[name] = Standing(
        isOpen: hours.contains(now, in: zone), until: hours.nextChange(after: now, in: zone))
    }
    madeAt = now
  }
}
