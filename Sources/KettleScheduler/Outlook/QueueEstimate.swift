import KettleModel

/// An estimate of when each transfer starts and is complete, made by simulating the queue with
/// measured speeds.
///
/// The simulation gives the slots to transfers as `TransferQueue` does: in the order of the queue,
/// within the limits of hosts, sessions and the user's queues. The transfers of one host divide its
/// speed evenly, because Kettle opens additional connections when few transfers are left. One whose
/// own pace is known keeps it, so that others that start or wait do not move its time. What is
/// unknown stays unknown: a transfer without a known or assumed size never ends, and those that
/// wait for its slot have no estimate either. What follows from an assumption is a guess. Nothing
/// is estimated past the time at which a user's queue closes.
package struct QueueEstimate: Sendable, Hashable {
  /// How fast the transfers of a host are together.
  package enum Speed: Sendable, Hashable {
    case bytesPerSecond(Double)
    /// As fast as the total permits.
    case unlimited
    /// As the average of the other hosts.
    case unknown
  }

  package struct Host: Sendable, Hashable {
    /// How many transfers it may have at once.
    package var transfersMax: Int
    package var speed: Speed
    /// How long it must not be contacted.
    package var closedMilliseconds: Int64
    /// When it may have one transfer more, in milliseconds.
    package var rises: [Int64] = []

    package init(transfersMax: Int, speed: Speed, closedMilliseconds: Int64 = 0) {
      self.transfersMax = transfersMax
      self.speed = speed
      self.closedMilliseconds = closedMilliseconds
    }
  }

  /// One of the user's queues.
  package struct Queue: Sendable, Hashable {
    /// nil for no limit of its own.
    package var transfersMax: Int?
    /// How long none of its transfers may run.
    package var closedMilliseconds: Int64
    /// When it closes, or closes again if it is closed now; nil if it does not.
    package var closesAfterMilliseconds: Int64?

    package init(
      transfersMax: Int? = nil, closedMilliseconds: Int64 = 0, closesAfterMilliseconds: Int64? = nil
    ) {
      self.transfersMax = transfersMax
      self.closedMilliseconds = closedMilliseconds
      self.closesAfterMilliseconds = closesAfterMilliseconds
    }
  }

  /// The transfers of one session and one of the user's queues at one host.
  package struct Group: Sendable, Hashable {
    /// An index of `Input.hosts`.
    package var host: Int
    /// The limit of the session; nil for none.
    package var transfersMax: Int?
    /// An index of `Input.queues`; nil for no queue of the user's.
    package var queue: Int?

    package init(host: Int, transfersMax: Int? = nil, queue: Int? = nil) {
      self.host = host
      self.transfersMax = transfersMax
      self.queue = queue
    }
  }

  /// How fast a running transfer is.
  package enum Pace: Sendable, Hashable {
    /// A part of the speed of its host.
    case shared
    /// Its own bytes per second, a part of the speed of its host.
    case measured(Double)
    /// Bytes per second by its own limit. What it leaves of its host is not known.
    case limited(Double)
    /// Nothing arrives: its end is unknown.
    case silent

    var isOwn: Bool {
      switch self {
      case .measured, .limited: true
      case .shared, .silent: false
      }
    }
  }

  /// What is known of the size of a file.
  package enum Size: Sendable, Hashable {
    case known
    /// The other files of its host make it likely.
    case likely
    /// Only good enough to estimate when other transfers start.
    case assumed
  }

  package struct Item: Sendable, Hashable {
    /// An index of `Input.groups`.
    package var group: Int
    /// The bytes that are still to be fetched; nil if unknown.
    package var missing: Double?
    package var size = Size.known
    package var pace = Pace.shared
    /// The transfer's own speed limit.
    package var bytesPerSecondMax: Double?
    /// How long it must not start, such as a scheduled transfer.
    package var notBeforeMilliseconds: Int64

    package init(
      group: Int, missing: Double?, bytesPerSecondMax: Double? = nil,
      notBeforeMilliseconds: Int64 = 0
    ) {
      self.group = group
      self.missing = missing
      self.bytesPerSecondMax = bytesPerSecondMax
      self.notBeforeMilliseconds = notBeforeMilliseconds
    }
  }

  package struct Input: Sendable, Hashable {
    package var hosts: [Host] = []
    package var groups: [Group] = []
    package var queues: [Queue] = []
    package var running: [Item] = []
    /// In the order of the queue, including those that may not start yet.
    package var queued: [Item] = []
    package var transfersMax = 1
    /// The limit of all transfers together: a setting, or the measured capacity of the line.
    package var bytesPerSecondMax: Double?
    /// How it changes, in order.
    package var totalChanges: [TotalChange] = []

    package init() {}
  }

  /// A change of the limit of all transfers together.
  package struct TotalChange: Sendable, Hashable {
    package var milliseconds: Int64
    /// nil for no limit.
    package var bytesPerSecondMax: Double?

    package init(milliseconds: Int64, bytesPerSecondMax: Double?) {
      self.milliseconds = milliseconds
      self.bytesPerSecondMax = bytesPerSecondMax
    }
  }

  package struct Times: Sendable, Hashable {
    /// Milliseconds from now; nil if unknown.
    package var start: Int64?
    package var end: Int64?
    /// Whether it follows from an assumption.
    package var isGuess = false

    /// Removes what would be behind the closing of a queue.
    fileprivate mutating func forget(after closing: Int64) {
      if let known = start, known >= closing { start = nil }
      if let known = end, known > closing { end = nil }
    }
  }

  package let running: [Times]
  package let queued: [Times]

  /// How many times the simulation looked at a transfer with a slot. The time it takes is in
  /// proportion to this number and that of the transfers.
  package let stepCount: Int

  package init(_ input: Input) {
    var simulation = QueueSimulation(input)
    simulation.run()
    stepCount = simulation.stepCount
    var times = simulation.times
    let closings = input.groups.map { group in
      group.queue.flatMap { input.queues[$0].closesAfterMilliseconds }
    }
    if closings.contains(where: { $0 != nil }) {
      for (index, item) in (input.running + input.queued).enumerated() {
        if let closing = closings[item.group] { times[index].forget(after: closing) }
      }
    }
    for (index, item) in (input.running + input.queued).enumerated() where !item.hasKnownEnd {
      times[index].end = nil
    }
    running = Array(times.prefix(input.running.count))
    queued = Array(times.dropFirst(input.running.count))
  }

  /// Whether any end is a guess.
  package var isGuess: Bool {
    [running, queued].contains { $0.contains { $0.isGuess && $0.end != nil } }
  }

  /// When everything with an estimate is complete; nil if nothing has one.
  package var end: Int64? {
    let ends = [running, queued].compactMap { times in times.lazy.compactMap(\.end).max() }
    return ends.max()
  }

  /// The transfers without an estimate of their end.
  var endlessCount: Int { running.count { $0.end == nil } + queued.count { $0.end == nil } }
}

extension QueueEstimate.Item {
  fileprivate var hasKnownEnd: Bool { size != .assumed && pace != .silent }

  /// Whether the times of those that start after it are guesses.
  var makesGuesses: Bool { size != .known || pace == .silent }
}

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
    items[items.count - 1].pace = entry.pace
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
  ///   - limit: the limit of a session at a host; one that is closed counts as open.
  func input(
    runningCount: Int, limit: (TransferQueue.OriginSession) -> Int?
  ) -> QueueEstimate.Input {
    var input = QueueEstimate.Input()
    input.groups = groups.map { group in
      let place = TransferQueue.OriginSession(origin: hosts[group.host], session: group.session)
      return QueueEstimate.Group(
        host: group.host, transfersMax: limit(place).map { max(1, $0) }, queue: group.queue)
    }
    let means = means
    var sized = items
    for index in sized.indices where sized[index].missing == nil {
      let group = sized[index].group
      guard let mean = means[group].mean else { continue }
      // A file that is larger than the others has some bytes left all the same.
      let missing = mean - Double(received[index])
      sized[index].missing = max(missing, mean / 10)
      // One that is tried again has not shown yet that its host has such a file.
      let isLikely =
        means[group].isTelling && missing > 0 && sized[index].notBeforeMilliseconds == 0
      sized[index].size = isLikely ? .likely : .assumed
    }
    input.running = Array(sized.prefix(runningCount))
    sized.removeFirst(runningCount)
    input.queued = sized
    return input
  }

  /// The size that a file of each group is assumed to have, nil while none is known; and whether
  /// the files of its host make it likely.
  private var means: [(mean: Double?, isTelling: Bool)] {
    var atHosts = hosts.map { measurements.files(of: $0) }
    var inSessions: [SessionID: SizeTally] = [:]
    for group in groups {
      atHosts[group.host].add(group.sizes)
      inSessions[group.session, default: measurements.files(of: group.session)].add(group.sizes)
    }
    return groups.map { group in
      let atHost = atHosts[group.host]
      let inSession = inSessions[group.session]?.mean
      return (atHost.mean(with: inSession, weighing: Self.sessionWeight), atHost.isTelling)
    }
  }
}
