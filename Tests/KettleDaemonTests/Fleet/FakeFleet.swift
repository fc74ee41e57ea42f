import KettleSystem

@testable import KettleDaemon
@testable import KettleFleet
@testable import KettleModel

/// A fleet in memory that records what is asked.
final class FakeFleet: FleetService, FleetBoard {
  enum Asked: Hashable {
    case add(FleetAddition)
    case window(FleetWindowRequest)
    case ids(FleetFilter)
    case rows([FleetTransferID])
    case changes(since: Int64?, countMax: Int)
    case control(FleetControl)
    case compare(FileErrandRequest)
    case hosts, origins, doctor
    case setOrigin(String, shares: Int?, connections: Int?)
    case setLimit(Int64?)
    case drain(String, Bool)
    case initialize(String)
    case join(FleetSettings)
    case leave(isDraining: Bool)
  }

  private struct State {
    var standing: FleetStanding?
    var rows: [FleetRow] = []
    var changed: [FleetTransferID] = []
    var removed: [FleetTransferID] = []
    var mark: Int64 = 1
    var isIncomplete = false
    var error: FleetError?
    var refused: Set<FleetTransferID> = []
    var asked: [Asked] = []
    var standings: [FleetTransferID: FileErrandRequest.Standing] = [:]
    var destinations: [FleetDestination] = []
  }

  static let settings = FleetSettings(
    database: "postgres://db/downloads", name: "nas", secret: "hush", labels: ["eu"], take: 20,
    roots: ["/srv"])

  private let state: Mutex<State>

  init(standing: FleetStanding? = FleetStanding(settings: FakeFleet.settings)) {
    state = Mutex(State(standing: standing))
  }

  // MARK: For tests

  /// What was asked since the last time.
  func takeAsked() -> [Asked] {
    state.withLock { state in
      defer { state.asked = [] }
      return state.asked
    }
  }

  func fail(with error: FleetError?) { state.withLock { $0.error = error } }

  func set(_ id: FleetTransferID, _ standing: FileErrandRequest.Standing) {
    state.withLock { $0.standings[id] = standing }
  }

  func set(_ destinations: [FleetDestination]) {
    state.withLock { $0.destinations = destinations }
  }

  func refuse(_ ids: FleetTransferID...) { state.withLock { $0.refused = Set(ids) } }

  /// Adds or changes rows, each with a new mark.
  func set(_ rows: FleetRow...) {
    state.withLock { state in
      for row in rows {
        state.rows.removeAll { $0.id == row.id }
        state.rows.append(row)
        state.changed.append(row.id)
        state.mark += 1
      }
      state.rows.sort { $0.id < $1.id }
    }
  }

  func remove(_ id: FleetTransferID) {
    state.withLock { state in
      state.rows.removeAll { $0.id == id }
      state.removed.append(id)
      state.mark += 1
    }
  }

  func haveMoreChanges() { state.withLock { $0.isIncomplete = true } }

  static func row(
    _ id: Int64, _ fleetState: FleetState = .queued, _ change: (inout FleetRow) -> Void = { _ in }
  ) -> FleetRow {
    var row = FleetRow(
      id: FleetTransferID(rawValue: id), url: "https://a.example/\(id).iso", state: fleetState,
      priority: 0.5, createdAt: WallTime(millisecondsSince1970: 100))
    change(&row)
    return row
  }

  // MARK: FleetService

  var standing: FleetStanding? { state.withLock { $0.standing } }

  func initialize(database: String) async throws(FleetError) {
    try answer(.initialize(database)) { _ in }
  }

  func join(_ settings: FleetSettings) async throws(FleetError) {
    try answer(.join(settings)) { $0.standing = FleetStanding(settings: settings) }
  }

  func leave(isDraining: Bool) async throws(FleetError) {
    try answer(.leave(isDraining: isDraining)) { $0.standing = nil }
  }

  func destinations() async -> [FleetDestination] { state.withLock { $0.destinations } }

  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (any FleetBoard) throws(FleetError) -> Answer
  ) async throws(FleetError) -> Answer {
    guard standing != nil else { throw .notInitialized }
    return try body(self)
  }

  // MARK: FleetBoard

  private func answer<Value>(
    _ asked: Asked, _ body: (inout sending State) -> sending Value
  ) throws(FleetError) -> Value {
    let error = state.withLock { state in
      state.asked.append(asked)
      return state.error
    }
    if let error { throw error }
    return state.withLock(body)
  }

  func add(_ addition: FleetAddition) throws(FleetError) -> [FleetTransferID] {
    try answer(.add(addition)) { state in
      addition.orders.map { order in
        let id = (state.rows.last?.id.rawValue ?? 0) + 1
        state.rows.append(Self.row(id) { $0.url = order.url.text })
        return FleetTransferID(rawValue: id)
      }
    }
  }

  private static func matching(_ filter: FleetFilter, _ rows: [FleetRow]) -> [FleetRow] {
    rows.filter { row in
      filter.states?.contains(row.state) != false
        && (filter.machine == nil || filter.machine == row.machine)
    }
  }

  func window(_ request: FleetWindowRequest) throws(FleetError) -> FleetWindow {
    try answer(.window(request)) { state in
      let all = Self.matching(request.filter, state.rows)
      let counts = Dictionary(grouping: state.rows, by: \.state.rawValue).mapValues(\.count)
      return FleetWindow(
        first: request.first, matchingCount: all.count,
        rows: Array(all.dropFirst(request.first).prefix(request.count)),
        anchorIndex: all.firstIndex { $0.id == request.anchor },
        tally: FleetTally(counts: counts, bytesPerSecond: 7, limitBytesPerSecond: 9))
    }
  }

  func ids(matching filter: FleetFilter) throws(FleetError) -> [FleetTransferID] {
    try answer(.ids(filter)) { Self.matching(filter, $0.rows).map(\.id) }
  }

  func rows(_ ids: [FleetTransferID]) throws(FleetError) -> [FleetRow] {
    try answer(.rows(ids)) { state in state.rows.filter { ids.contains($0.id) } }
  }

  func changes(since mark: Int64?, countMax: Int) throws(FleetError) -> FleetChanges {
    try answer(.changes(since: mark, countMax: countMax)) { state in
      defer { (state.changed, state.removed, state.isIncomplete) = ([], [], false) }
      guard mark != nil else {
        return FleetChanges(rows: [], removed: [], mark: state.mark, isIncomplete: false)
      }
      let changed = state.rows.filter { state.changed.contains($0.id) }
      return FleetChanges(
        rows: changed, removed: state.removed, mark: state.mark, isIncomplete: state.isIncomplete)
    }
  }

  func control(_ control: FleetControl) throws(FleetError) -> FleetControl.Reply {
    try answer(.control(control)) { state in
      let known = Set(state.rows.map(\.id))
      let wanted = control.ids ?? Self.matching(control.filter, state.rows).map(\.id)
      return FleetControl.Reply(
        applied: wanted.filter { known.contains($0) && !state.refused.contains($0) },
        refused: wanted.filter(state.refused.contains),
        unknown: wanted.filter { !known.contains($0) })
    }
  }

  func compare(_ request: FileErrandRequest) throws(FleetError) -> FileErrandRequest.Reply {
    try answer(.compare(request)) { state in
      FileErrandRequest.Reply(
        since: request.since ?? WallTime(millisecondsSince1970: 5),
        files: request.ids.map { state.standings[$0] })
    }
  }

  func hosts() throws(FleetError) -> [FleetHostRow] {
    try answer(.hosts) { _ in [Self.host] }
  }

  static let host = FleetHostRow(
    id: FleetHostID(rawValue: 1), name: "nas", labels: ["eu"], take: 20, version: "0.1.0",
    aliveForMilliseconds: 40_000, isDraining: false, claimedCount: 3, completedCount: 5,
    bytesPerSecond: 7, freeBytes: 9, shareCount: 1)

  func origins() throws(FleetError) -> [FleetOriginRow] {
    try answer(.origins) { _ in
      [FleetOriginRow(origin: "https://a.example", shares: 1, queuedCount: 2, machines: ["nas"])]
    }
  }

  func setOrigin(_ origin: String, shares: Int?, connections: Int?) throws(FleetError) {
    try answer(.setOrigin(origin, shares: shares, connections: connections)) { _ in }
  }

  func setLimit(bytesPerSecond: Int64?) throws(FleetError) {
    try answer(.setLimit(bytesPerSecond)) { _ in }
  }

  func drain(host: String, _ isDraining: Bool) throws(FleetError) {
    try answer(.drain(host, isDraining)) { _ in }
  }

  func doctor() throws(FleetError) -> FleetHealth {
    try answer(.doctor) { _ in
      FleetHealth(
        schemaVersion: 1, serverVersion: "15", oldestSnapshotSeconds: 0, deadRowCount: 0,
        liveRowCount: 0, connectionCount: 1, connectionMax: 100,
        now: WallTime(millisecondsSince1970: 0), hosts: [], orphanedCount: 0, isReplica: false,
        commitsAreDurable: true)
    }
  }
}
