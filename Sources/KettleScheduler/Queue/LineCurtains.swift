import KettleModel

/// How far the line in memory is the whole line.
///
/// Behind a curtain stand transfers that the store alone has. In front of it none is missing, so
/// whoever stands there may be started in its order; where a curtain comes first, the store has to
/// be asked who is next. Every host that is known has a curtain of its own, and all others together
/// have one.
struct LineCurtains: Sendable {
  /// Where the line ends that is known to be whole.
  enum Curtain: Sendable, Hashable {
    /// Nobody is known.
    case front
    /// At this one or behind it.
    case at(QueueKey)
    /// Nobody is missing.
    case open
  }

  /// More hosts than that are not remembered one by one.
  static let hostCountMax = 1024

  private var hosts: [Origin: Curtain] = [:]
  private var elsewhere = Curtain.open

  /// Those whose curtains are known.
  var known: Set<Origin> { Set(hosts.keys) }

  /// The hosts behind whose curtains somebody may stand.
  var closedHosts: [(origin: Origin, curtain: Curtain)] {
    hosts.filter { $0.value != .open }.map { ($0.key, $0.value) }
  }

  /// nil of one that is not known by itself, or of whose line nobody is missing.
  func closedCurtain(of origin: Origin) -> Curtain? {
    guard let curtain = hosts[origin], curtain != .open else { return nil }
    return curtain
  }

  func curtain(of origin: Origin) -> Curtain { hosts[origin] ?? elsewhere }

  var curtainElsewhere: Curtain { elsewhere }

  /// The store has transfers, and nobody knows where they stand.
  mutating func close() {
    hosts = [:]
    elsewhere = .front
  }

  /// Nobody is missing anywhere.
  mutating func open() {
    hosts = [:]
    elsewhere = .open
  }

  /// A transfer went behind the curtain of its host.
  mutating func hide(_ key: QueueKey, at origin: Origin) {
    // It is there already.
    guard curtain(of: origin).shows(key) else { return }
    hosts[origin] = .at(key)
    guard hosts.count > Self.hostCountMax else { return }
    // All together say less and are still true.
    elsewhere = hosts.values.reduce(elsewhere, min)
    hosts = [:]
  }

  /// The store was asked: what stands up to `last` is in memory now; nil when that is all.
  mutating func lift(_ request: LineRequest, upTo last: QueueKey?, hosts found: Set<Origin>) {
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

  /// Whether a transfer in memory stands in front of it.
  func shows(_ key: QueueKey) -> Bool {
    switch self {
    case .front: false
    case .at(let curtain): key <= curtain
    case .open: true
    }
  }
}
