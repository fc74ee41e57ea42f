import KettleModel

/// Numbers the hosts and the groups of an estimate, and assumes the sizes that are not known: from
/// those of the same host, and from those of the same session while few of that host are known.
///
/// What depends on the host and the session alone is computed once for each group, and not for each
/// transfer.
struct EstimateBuilder {
  /// The mean of a session counts as much as this many files of the host.
  private static let sessionWeight = 3

  private struct Group {
    var host: Int
    var session: SessionID
    /// An index of `queues`.
    var queue: Int?
    /// The sizes that are known.
    var sizes = SizeTally()
  }

  private let measurements: HostMeasurements
  private(set) var hosts: [Origin] = []
  private(set) var queues: [QueueName] = []
  private var groups: [Group] = []
  private var hostNumbers: [Origin: Int] = [:]
  private var queueNumbers: [QueueName: Int] = [:]
  private var groupNumbers: [StoredQueue.Group: Int] = [:]
  /// Running ones first.
  private var items: [QueueEstimate.Item] = []
  /// The bytes that each of `items` has.
  private var received: [Int64] = []

  init(_ measurements: HostMeasurements, itemCount: Int) {
    self.measurements = measurements
    items.reserveCapacity(itemCount)
    received.reserveCapacity(itemCount)
  }

  /// Adds a transfer: first those that run, then those of the queue in its order.
  mutating func add(_ entry: QueueEntry) {
    add(
      group: number(of: StoredQueue.Group(entry)), bytesReceived: entry.bytesReceived,
      bytesExpected: entry.bytesExpected, bytesPerSecondMax: entry.bytesPerSecondMax,
      notBeforeMilliseconds: entry.notBeforeMilliseconds)
  }

  /// - Parameter group: the number of the item's group here.
  mutating func add(_ item: StoredQueue.Item, group: Int) {
    add(
      group: group, bytesReceived: item.bytesReceived, bytesExpected: item.bytesExpected,
      bytesPerSecondMax: item.bytesPerSecondMax, notBeforeMilliseconds: 0)
  }

  private mutating func add(
    group: Int, bytesReceived: Int64, bytesExpected: Int64?, bytesPerSecondMax: Int64?,
    notBeforeMilliseconds: Int64
  ) {
    if let bytesExpected { groups[group].sizes.add(bytesExpected) }
    items.append(
      QueueEstimate.Item(
        group: group,
        missing: bytesExpected.map { max(0, Double($0) - Double(bytesReceived)) },
        bytesPerSecondMax: bytesPerSecondMax.map { Double(max(1, $0)) },
        notBeforeMilliseconds: notBeforeMilliseconds))
    received.append(bytesReceived)
  }

  mutating func number(of group: StoredQueue.Group) -> Int {
    if let known = groupNumbers[group] { return known }
    let host = hostNumbers[group.origin] ?? hosts.count
    if host == hosts.count {
      hosts.append(group.origin)
      hostNumbers[group.origin] = host
    }
    groupNumbers[group] = groups.count
    groups.append(
      Group(host: host, session: group.session, queue: group.queue.map { number(of: $0) }))
    return groups.count - 1
  }

  private mutating func number(of queue: QueueName) -> Int {
    if let known = queueNumbers[queue] { return known }
    queueNumbers[queue] = queues.count
    queues.append(queue)
    return queues.count - 1
  }

  /// Returns the input of the estimate, without the hosts, the queues and the limits.
  ///
  /// - Parameters:
  ///   - runningCount: how many of the added transfers run.
  ///   - limit: the limit of a session.
  func input(
    runningCount: Int, limit: (SessionID) -> Int?
  ) -> QueueEstimate.Input {
    var input = QueueEstimate.Input()
    input.groups = groups.map { group in
      QueueEstimate.Group(
        host: group.host, transfersMax: limit(group.session), queue: group.queue)
    }
    let means = means
    var sized = items
    for index in sized.indices where sized[index].missing == nil {
      guard let mean = means[sized[index].group] else { continue }
      // A file that is larger than the others has some bytes left all the same.
      sized[index].missing = max(mean - Double(received[index]), mean / 10)
    }
    input.running = Array(sized.prefix(runningCount))
    sized.removeFirst(runningCount)
    input.queued = sized
    return input
  }

  /// The size that a file of each group is assumed to have; nil while none is known.
  private var means: [Double?] {
    var atHosts = hosts.map { measurements.files(of: $0) }
    var inSessions: [SessionID: SizeTally] = [:]
    for group in groups {
      atHosts[group.host].add(group.sizes)
      inSessions[group.session, default: measurements.files(of: group.session)].add(group.sizes)
    }
    return groups.map { group in
      atHosts[group.host].mean(
        with: inSessions[group.session]?.mean, weighing: Self.sessionWeight)
    }
  }
}
