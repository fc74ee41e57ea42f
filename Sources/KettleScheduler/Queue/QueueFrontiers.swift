import KettleModel

/// How far the queue in memory is complete, per host.
///
/// Transfers past a frontier exist only in the store. Before it none is missing, so a transfer
/// there can be started without reading the store. Each known host has its own frontier; all other
/// hosts share one. A queue of the user's that reads leave out keeps the frontiers from before.
struct QueueFrontiers: Sendable {
  /// Beyond this number, hosts no longer have frontiers of their own.
  static let hostCountMax = 1024

  /// The frontiers of all hosts.
  private struct Table: Sendable {
    var hosts: [Origin: LoadedFrontier] = [:]
    /// The common frontier of all other hosts.
    var elsewhere = LoadedFrontier.complete

    static let nothing = Table(elsewhere: .start)

    func frontier(of origin: Origin) -> LoadedFrontier { hosts[origin] ?? elsewhere }

    mutating func recordEviction(of key: QueueKey, at origin: Origin) {
      // It is past the frontier already.
      guard frontier(of: origin).covers(key) else { return }
      hosts[origin] = .upTo(key)
      guard hosts.count > QueueFrontiers.hostCountMax else { return }
      // The common frontier covers less of each queue, but is still correct.
      elsewhere = hosts.values.reduce(elsewhere, min)
      hosts = [:]
    }
  }

  private var table = Table()
  private var tablesOfLeftOut: [QueueName: Table] = [:]

  /// The user's queues that reads have left out.
  var leftOut: Set<QueueName> { Set(tablesOfLeftOut.keys) }

  /// The hosts with frontiers of their own.
  var knownHosts: Set<Origin> { Set(table.hosts.keys) }

  /// The common frontier of all other hosts.
  var elsewhere: LoadedFrontier { table.elsewhere }

  /// The hosts that may have transfers past their frontiers.
  var incompleteHosts: [(origin: Origin, frontier: LoadedFrontier)] {
    table.hosts.filter { $0.value != .complete }.map { ($0.key, $0.value) }
  }

  /// nil for a host without a frontier of its own, or with its whole queue in memory.
  func incompleteFrontier(of origin: Origin) -> LoadedFrontier? {
    guard let frontier = table.hosts[origin], frontier != .complete else { return nil }
    return frontier
  }

  /// - Parameter queue: one of the user's queues; nil for all that reads do not leave out.
  func frontier(of origin: Origin, in queue: QueueName? = nil) -> LoadedFrontier {
    (queue.flatMap { tablesOfLeftOut[$0] } ?? table).frontier(of: origin)
  }

  /// Records that the store has transfers at unknown positions.
  mutating func reset() {
    table = .nothing
    tablesOfLeftOut = [:]
  }

  /// Records that all queues are complete in memory.
  mutating func complete() {
    table = Table()
    tablesOfLeftOut = [:]
  }

  /// Moves the frontier of a host before a transfer that is only in the store from now on.
  mutating func recordEviction(of key: QueueKey, at origin: Origin, in queue: QueueName?) {
    if let queue, tablesOfLeftOut[queue] != nil {
      tablesOfLeftOut[queue]?.recordEviction(of: key, at: origin)
    } else {
      table.recordEviction(of: key, at: origin)
    }
  }

  /// Applies a read of the store: all up to `last` are in memory now; nil means the whole queue.
  mutating func advance(_ request: QueueRead, upTo last: QueueKey?, hosts found: Set<Origin>) {
    for name in request.leftOut where tablesOfLeftOut[name] == nil { tablesOfLeftOut[name] = table }
    let frontier = last.map(LoadedFrontier.upTo) ?? .complete
    switch request.place {
    case .at(let origin): table.hosts[origin] = frontier
    case .elsewhere:
      table.elsewhere = frontier
      for origin in found where table.hosts[origin] == nil { table.hosts[origin] = frontier }
    }
  }
}

/// The end of the part of a queue that is complete in memory.
enum LoadedFrontier: Sendable, Hashable {
  /// Nothing is known to be complete.
  case start
  /// Every transfer before this key is in memory.
  case upTo(QueueKey)
  /// Nothing is missing.
  case complete

  /// Whether a transfer in memory is before the frontier.
  func covers(_ key: QueueKey) -> Bool {
    switch self {
    case .start: false
    case .upTo(let frontier): key <= frontier
    case .complete: true
    }
  }
}

extension LoadedFrontier: Comparable {
  static func < (left: LoadedFrontier, right: LoadedFrontier) -> Bool {
    switch (left, right) {
    case (.upTo(let left), .upTo(let right)): left < right
    case (.start, .upTo), (.start, .complete), (.upTo, .complete): true
    case (.start, .start), (.upTo, .start), (.complete, _): false
    }
  }
}

/// The queued transfers of one session at one origin, sorted. The front is removed in constant
/// time: removed keys stay before `start` until they are half of the array.
struct OriginQueue: Sendable {
  private var sorted: [QueueKey] = []
  private var start = 0

  var isEmpty: Bool { start == sorted.count }
  var front: QueueKey? { isEmpty ? nil : sorted[start] }
  var keys: ArraySlice<QueueKey> { sorted[start...] }

  /// How many keys are before a frontier.
  func count(before frontier: LoadedFrontier) -> Int {
    switch frontier {
    case .start: 0
    case .upTo(let key): lowerBound(of: key) - start
    case .complete: sorted.count - start
    }
  }

  mutating func insert(_ key: QueueKey) { sorted.insert(key, at: lowerBound(of: key)) }

  mutating func remove(_ key: QueueKey) {
    let index = lowerBound(of: key)
    guard index < sorted.count, sorted[index] == key else { return }
    guard index == start else {
      sorted.remove(at: index)
      return
    }
    start += 1
    if start * 2 > sorted.count {
      sorted.removeFirst(start)
      start = 0
    }
  }

  private func lowerBound(of key: QueueKey) -> Int {
    var low = start
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The position of a transfer in the queue. Smaller is sooner.
struct QueueKey: Sendable, Hashable, Comparable {
  var priority: TransferPriority
  var position: Int64
  var id: TransferID

  init(priority: TransferPriority, position: Int64, id: TransferID) {
    self.priority = priority
    self.position = position
    self.id = id
  }

  init(_ record: TransferRecord) {
    priority = record.spec.priority
    position = record.queuePosition
    id = record.id
  }

  static func < (left: QueueKey, right: QueueKey) -> Bool {
    if left.priority != right.priority { return left.priority > right.priority }
    if left.position != right.position { return left.position < right.position }
    return left.id < right.id
  }
}

/// The part of the queue to read from the store.
package struct QueueRead: Sendable, Hashable {
  package enum Place: Sendable, Hashable {
    case at(Origin)
    /// All hosts but these.
    case elsewhere(than: Set<Origin>)
  }

  package var place: Place
  package var countMax: Int
  /// The user's queues whose transfers are passed over.
  package var leftOut: Set<QueueName> = []

  package init(_ place: Place, countMax: Int) {
    self.place = place
    self.countMax = countMax
  }

  package static func at(_ origin: Origin, countMax: Int) -> QueueRead {
    QueueRead(.at(origin), countMax: countMax)
  }

  package static func elsewhere(than origins: Set<Origin>, countMax: Int) -> QueueRead {
    QueueRead(.elsewhere(than: origins), countMax: countMax)
  }
}
