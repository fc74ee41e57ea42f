import KettleModel

/// The frontiers between the queue in memory and the store, one per host.
///
/// Transfers behind a curtain exist only in the store. In front of it none is missing, so the
/// transfers there may start in order; if a curtain is first, only the store knows which transfer
/// is next. Each known host has its own curtain; all other hosts share one.
struct LineCurtains: Sendable {
  /// The end of the part of the queue that is complete in memory.
  enum Curtain: Sendable, Hashable {
    /// Nothing is known to be complete.
    case front
    /// Every transfer before this key is in memory.
    case at(QueueKey)
    /// Nothing is missing.
    case open
  }

  /// Beyond this number, hosts no longer have curtains of their own.
  static let hostCountMax = 1024

  private var hosts: [Origin: Curtain] = [:]
  private var elsewhere = Curtain.open

  /// The hosts with curtains of their own.
  var known: Set<Origin> { Set(hosts.keys) }

  /// The hosts that may have transfers behind their curtains.
  var closedHosts: [(origin: Origin, curtain: Curtain)] {
    hosts.filter { $0.value != .open }.map { ($0.key, $0.value) }
  }

  /// nil for a host without a curtain of its own, or with its whole queue in memory.
  func closedCurtain(of origin: Origin) -> Curtain? {
    guard let curtain = hosts[origin], curtain != .open else { return nil }
    return curtain
  }

  func curtain(of origin: Origin) -> Curtain { hosts[origin] ?? elsewhere }

  var curtainElsewhere: Curtain { elsewhere }

  /// The store has transfers at unknown positions.
  mutating func close() {
    hosts = [:]
    elsewhere = .front
  }

  /// All queues are complete in memory.
  mutating func open() {
    hosts = [:]
    elsewhere = .open
  }

  /// A transfer moves behind the curtain of its host.
  mutating func hide(_ key: QueueKey, at origin: Origin) {
    // It is there already.
    guard curtain(of: origin).shows(key) else { return }
    hosts[origin] = .at(key)
    guard hosts.count > Self.hostCountMax else { return }
    // The common curtain says less and stays correct.
    elsewhere = hosts.values.reduce(elsewhere, min)
    hosts = [:]
  }

  /// Applies a read of the store: all up to `last` are in memory now; nil means the whole queue.
  mutating func lift(_ request: QueueRead, upTo last: QueueKey?, hosts found: Set<Origin>) {
    let curtain = last.map(Curtain.at) ?? .open
    switch request {
    case .at(let origin, _): hosts[origin] = curtain
    case .elsewhere:
      elsewhere = curtain
      for origin in found where hosts[origin] == nil { hosts[origin] = curtain }
    }
  }
}

extension LineCurtains.Curtain: Comparable {
  static func < (left: LineCurtains.Curtain, right: LineCurtains.Curtain) -> Bool {
    switch (left, right) {
    case (.at(let left), .at(let right)): left < right
    case (.front, .at), (.front, .open), (.at, .open): true
    case (.front, .front), (.at, .front), (.open, _): false
    }
  }

  /// Whether a transfer in memory is in front of it.
  func shows(_ key: QueueKey) -> Bool {
    switch self {
    case .front: false
    case .at(let curtain): key <= curtain
    case .open: true
    }
  }
}
