import KettleEngine
import KettleModel
import SeededNumbers

@testable import KettleDaemon

/// Generates engine events, with a store that is behind them and sometimes ahead.
struct RowHistory {
  var random: SeededGenerator
  var table: RowTable
  /// The rows of the latest events.
  private(set) var current: [TransferID: TransferSnapshot] = [:]
  private var awake: Set<TransferID> = []
  private var stored: [TransferID: TransferSnapshot] = [:]
  /// Added; the event is outstanding.
  private var unannounced: [TransferSnapshot] = []
  /// The same for transfers that are never awake.
  private var unlisted: [TransferRecord] = []
  /// Removed, but still in the store.
  private var doomed: [TransferID] = []
  private var lastID: Int64 = 0

  init(seed: UInt64, dormantCount: Int, driftMax: Int) {
    random = SeededGenerator(seed: seed)
    table = RowTable(RowMaker(documentsDirectory: "/d"), driftMax: driftMax)
    var tally = EvictedTally()
    for _ in 0..<dormantCount {
      let row = newRow().atRest
      stored[row.id] = row
      current[row.id] = row
      tally.states[row.state, default: StateTally()].count += 1
      if row.isCleared == true { tally.clearedCount += 1 }
    }
    table.begin(tally, clearedUpTo: nil)
  }

  var dormantCount: Int { current.count - awake.count }

  mutating func steps(_ count: Int) { for _ in 0..<count { step() } }

  mutating func step() {
    switch Int.random(in: 0..<20, using: &random) {
    case 0...3: add()
    case 4...5: announceAdded()
    case 6...10: change()
    case 11...12: commit()
    case 13...14: evict()
    case 15...16: load()
    case 17: remove()
    case 18: commitRemoval()
    default: if Int.random(in: 0..<20, using: &random) == 0 { clear() }
    }
  }

  /// Delivers all outstanding events.
  mutating func deliverAdded() {
    while !unannounced.isEmpty || !unlisted.isEmpty { announceAdded() }
  }

  /// Returns the order in the store, whatever the table knows.
  func storedOrder(of view: RowView) -> StoredOrder {
    let rows = stored.values.map(\.atRest)
    let test = RowTest(view.filter)
    return StoredOrder(rows.filter(test.passes).map(view.sort.key).sorted())
  }

  // MARK: Events

  private mutating func add() {
    if Int.random(in: 0..<3, using: &random) == 0 {
      let record = newRecord()
      stored[record.id] = table.maker.row(of: record)
      unlisted.append(record)
    } else {
      let row = newRow().atRest
      stored[row.id] = row
      unannounced.append(row)
    }
    if Bool.random(using: &random) { announceAdded() }
  }

  private mutating func announceAdded() {
    list()
    guard !unannounced.isEmpty else { return }
    let row = unannounced.removeFirst()
    current[row.id] = row
    awake.insert(row.id)
    table.update(row)
  }

  private mutating func list() {
    let records = unlisted.prefix(Int.random(in: 1...3, using: &random))
    if records.isEmpty { return }
    unlisted.removeFirst(records.count)
    let listed = ListedTransfers(records.map(JournalChange.put)[...], table.maker)
    for row in listed.rows { current[row.id] = row }
    table.add(listed)
  }

  private mutating func change() {
    guard let id = one(of: awake) else { return }
    let row = Self.row(id.rawValue, using: &random)
    // The event of a completed transfer follows its commit.
    if row.state == .completed { stored[id] = row.atRest }
    current[id] = row
    table.update(row)
  }

  private mutating func commit() {
    if let id = one(of: awake) { stored[id] = current[id]?.atRest }
  }

  private mutating func evict() {
    let ids = (0..<3).compactMap { _ in one(of: awake) }
    for id in Set(ids) {
      guard let row = current[id]?.atRest else { continue }
      if row != current[id] { table.update(row) }
      current[id] = row
      stored[id] = row
      awake.remove(id)
    }
    table.evict(Array(Set(ids)))
  }

  private mutating func load() {
    guard let id = one(of: Set(current.keys).subtracting(awake)), let row = current[id] else {
      return
    }
    awake.insert(id)
    table.load(row)
  }

  private mutating func remove() {
    guard let id = one(of: awake) else { return }
    awake.remove(id)
    current[id] = nil
    doomed.append(id)
    table.remove(id)
  }

  private mutating func commitRemoval() {
    if !doomed.isEmpty { stored[doomed.removeFirst()] = nil }
  }

  private mutating func clear() {
    for id in current.keys where current[id]?.state == .completed { current[id]?.isCleared = true }
    for id in stored.keys where stored[id]?.state == .completed { stored[id]?.isCleared = true }
    for index in unannounced.indices where unannounced[index].state == .completed {
      unannounced[index].isCleared = true
    }
    table.clear(upTo: 1)
  }

  // MARK: Generated rows

  private mutating func one(of ids: Set<TransferID>) -> TransferID? {
    ids.sorted().randomElement(using: &random)
  }

  private mutating func newRow() -> TransferSnapshot {
    lastID += 1
    return Self.row(lastID, using: &random)
  }

  private mutating func newRecord() -> TransferRecord {
    let row = newRow()
    guard case .success(let parsed) = TransferURL.parse(row.url) else {
      preconditionFailure("A sample is no URL: \(row.url)")
    }
    var spec = TransferSpec(url: parsed.url)
    spec.session = row.session
    spec.title = row.title
    spec.priority = row.priority
    spec.options.queue = row.queue
    spec.options.member = row.member
    return TransferRecord(
      id: row.id, taskIdentifier: row.taskIdentifier, spec: spec, createdAt: row.createdAt,
      queuePosition: row.queuePosition ?? 0,
      state: [.queued, .queued, .paused, .idle].randomElement(using: &random) ?? .queued)
  }

  static func row(_ id: Int64, using random: inout SeededGenerator) -> TransferSnapshot {
    let size = Int64.random(in: 0...4, using: &random)
    let host = ["a.example", "cdn.a.example", "b.example"].randomElement(using: &random) ?? ""
    var row = TransferSnapshot(
      id: TransferID(rawValue: id), session: id % 3 == 0 ? .kettle : SessionID(rawValue: "org.x"),
      taskIdentifier: id, title: ["Debian", "alpine", "Ä", ""].randomElement(using: &random) ?? "",
      url: "http://\(host)/\(id)",
      state: TransferState.allCases.randomElement(using: &random) ?? .idle,
      bytesReceived: Int64.random(in: 0...size, using: &random),
      bytesExpected: size > 3 ? nil : size,
      bytesPerSecond: Int64.random(in: 0...3, using: &random),
      secondsLeft: Bool.random(using: &random) ? nil : Int64.random(in: 0...3, using: &random),
      connections: Int.random(in: 0...2, using: &random),
      priority: [.low, .normal, .high].randomElement(using: &random) ?? .normal,
      createdAt: WallTime(millisecondsSince1970: Int64.random(in: 0...3, using: &random)))
    row.queuePosition = Int64.random(in: -5...5, using: &random)
    if row.state == .waiting {
      row.reason = [WaitingReason.retry, .needsLogin, .needsLink].randomElement(using: &random)
    }
    if row.state == .completed {
      row.finishedAt = WallTime(millisecondsSince1970: Int64.random(in: 0...3, using: &random))
    }
    row.queue = QueueName(["night", "default", "gone"].randomElement(using: &random) ?? "")
    // A file keeps its path, whatever changes.
    let directories = ["", "a/", "a/b/", "a/b/c/", "a b/", "a-b/c/", "ä/", "b/"]
    let directory = directories[Int(id) % directories.count]
    if id % 5 > 0, let path = MemberPath(foreign: directory + "\(id)") {
      row.member = MemberRole(collection: TransferID(rawValue: 0), number: id, path: path)
    }
    return row
  }
}

extension TransferSnapshot {
  /// The row as the store has it.
  fileprivate var atRest: TransferSnapshot {
    var row = self
    row.bytesPerSecond = 0
    row.connections = 0
    row.secondsLeft = nil
    return row
  }
}
