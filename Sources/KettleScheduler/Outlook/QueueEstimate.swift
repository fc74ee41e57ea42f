/// An estimate of when each transfer starts and is complete, made by simulating the queue with
/// measured speeds.
///
/// The simulation gives the slots to transfers as `TransferQueue` does: in the order of the queue,
/// within the limits of hosts, sessions and the user's queues. The transfers of one host divide its
/// speed evenly, because Kettle opens additional connections when few transfers are left. What is
/// unknown stays unknown: a transfer without a known or assumed size never ends, and those that
/// wait for its slot have no estimate either. Nothing is estimated past the time at which a user's
/// queue closes.
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

  package struct Item: Sendable, Hashable {
    /// An index of `Input.groups`.
    package var group: Int
    /// The bytes that are still to be fetched; nil if unknown.
    package var missing: Double?
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

    package init() {}
  }

  package struct Times: Sendable, Hashable {
    /// Milliseconds from now; nil if unknown.
    package var start: Int64?
    package var end: Int64?

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
    running = Array(times.prefix(input.running.count))
    queued = Array(times.dropFirst(input.running.count))
  }

  /// When everything with an estimate is complete; nil if nothing has one.
  package var end: Int64? {
    let ends = [running, queued].compactMap { times in times.lazy.compactMap(\.end).max() }
    return ends.max()
  }

  /// The transfers without an estimate of their end.
  var endlessCount: Int { running.count { $0.end == nil } + queued.count { $0.end == nil } }
}
