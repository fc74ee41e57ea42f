#if Fleet
import KettleControl
import KettleFleet
import KettleModel

extension TransferID {
  init(_ id: FleetTransferID) { self.init(rawValue: id.rawValue) }
}

extension FleetTransferID {
  init(_ id: TransferID) { self.init(rawValue: id.rawValue) }
}

// MARK: - Rows for clients

extension TransferSnapshot {
  /// A row of the fleet's queue as a row of a list.
  init(_ row: FleetRow) {
    let progress = row.state == .completed ? nil : row.progress
    let name = row.name ?? row.progress?.name
    let state = row.shownState
    self.init(
      id: TransferID(row.id), session: .kettle, taskIdentifier: row.id.rawValue,
      title: row.title ?? name ?? Self.name(of: row.url), url: row.url, state: state,
      reason: state == .waiting ? progress?.reason : nil,
      path: name.map { name in row.directory.map { "\($0)/\(name)" } ?? name },
      bytesReceived: progress?.bytesReceived ?? row.byteCount ?? 0,
      bytesExpected: row.byteCount ?? progress?.bytesExpected,
      bytesPerSecond: state == .running ? progress?.bytesPerSecond ?? 0 : 0,
      connections: state == .running ? progress?.connections ?? 0 : 0,
      priority: TransferPriority(row.priority) ?? .normal, createdAt: row.createdAt,
      finishedAt: row.finishedAt, error: row.failure ?? progress?.error)
    if let bytesExpected, bytesPerSecond > 0, bytesExpected > bytesReceived {
      secondsLeft = (bytesExpected - bytesReceived) / bytesPerSecond
    }
    machine = row.machine
    check = row.check
  }

  /// The name that a file of a URL probably gets.
  private static func name(of url: String) -> String {
    guard case .success(let parsed) = TransferURL.parse(url) else { return url }
    return FileName.fromURL(parsed.url) ?? url
  }
}

extension FleetRow {
  fileprivate var shownState: TransferState {
    guard state == .claimed, let progress else { return state.shown }
    switch progress.state {
    case .running, .queued, .scheduled: return progress.state
    case .waiting: return progress.reason == nil ? .running : .waiting
    // Its host is about to place it.
    case .verifying, .completed: return .verifying
    // The next beat brings them to agreement.
    case .idle, .paused, .failed: return .running
    }
  }
}

extension FleetState {
  /// The state of a row in it, unless its host has reported another.
  fileprivate var shown: TransferState {
    switch self {
    case .queued: .queued
    case .claimed: .running
    case .placing: .verifying
    case .completed: .completed
    case .failed: .failed
    case .paused: .paused
    case .idle: .idle
    }
  }

  /// The states of clients that mean it in a filter.
  fileprivate var meant: Set<TransferState> {
    self == .claimed ? [.running, .waiting] : [shown]
  }

  /// Why a control does not apply to a transfer in this state.
  func whyNot(_ verb: FleetControl.Verb) -> ControlRefusal.Why {
    switch (self, verb) {
    case (.completed, .start), (.completed, .pause), (.completed, .stop): .completed
    case (.idle, .pause): .notStarted
    case (.queued, _), (.claimed, _), (.placing, _), (.failed, _), (.paused, _), (.idle, _),
      (.completed, .remove):
      .busy
    }
  }
}

extension Totals {
  init(_ tally: FleetTally, _ fleet: FleetGlance?) {
    self.init()
    bytesPerSecond = tally.bytesPerSecond
    limitBytesPerSecond = tally.limitBytesPerSecond
    needsUserCount = 0
    for state in FleetState.allCases where tally.count(state) > 0 {
      counts[state.shown, default: 0] += tally.count(state)
    }
    self.fleet = fleet
  }
}

// MARK: - Requests of clients

extension FleetFilter {
  /// Throws if the fleet's queue cannot tell apart what the filter does. What all its transfers
  /// have in common is ignored.
  init(_ filter: RowFilter) throws(ControlError) {
    let words = filter.words
    let isInQueue = filter.queue == nil || filter.queue == .standard
    let refused: [(part: String, isRefused: Bool)] = [
      ("session", filter.session != nil && filter.session != .kettle), ("queue", !isInQueue),
      ("needsUser", filter.needsUser), ("hookFailed", filter.hookFailed),
      ("membership", filter.membership.isOfCollections),
      ("text", words.contains { $0.place != .anywhere || $0.isExcluded }),
    ]
    for one in refused where one.isRefused {
      throw ControlError(.notOffered, "filter.\(one.part)")
    }
    self.init(
      states: Self.states(filter), machine: filter.machine, host: filter.host,
      words: words.map(\.text))
  }

  private static func states(_ filter: RowFilter) -> [FleetState]? {
    guard filter.states != nil || filter.stage != nil else { return nil }
    return FleetState.allCases.filter { state in
      let isWanted = filter.states.map { !state.meant.isDisjoint(with: $0) } ?? true
      return isWanted && (filter.stage.map { $0 == RowFilter.Stage(state.shown, nil) } ?? true)
    }
  }
}

extension RowFilter.Membership {
  fileprivate var isOfCollections: Bool {
    switch self {
    case .any, .none: false
    case .of, .collections: true
    }
  }
}

extension RowFilter {
  /// Whether it accepts some claimed transfers and not others, which the fleet's queue cannot.
  fileprivate var dividesClaims: Bool {
    guard let states else { return false }
    let claimed = FleetState.claimed.meant.intersection(states)
    return !claimed.isEmpty && claimed != FleetState.claimed.meant
  }
}

extension FleetControl {
  init(_ params: ControlTransfers.Params) throws(ControlError) {
    let verb: Verb
    switch params.control {
    case .start: verb = .start
    case .pause: verb = .pause
    case .stop: verb = .stop
    case .remove: verb = .remove
    case .startFresh, .accept, .remember, .verify, .repair, .removeWithFile:
      throw ControlError(.notOffered, params.control.rawValue)
    }
    switch params.selection {
    case .ids(let ids): self.init(verb, ids: ids.map(FleetTransferID.init))
    case .all: self.init(verb, ids: nil)
    case .matching(let filter, let except):
      // A list may show more than was asked for; only a start of it changes nothing.
      if verb != .start, filter.dividesClaims { throw ControlError(.notOffered, "filter.states") }
      self.init(
        verb, ids: nil, filter: try FleetFilter(filter), except: except.map(FleetTransferID.init))
    }
  }
}

extension FleetWindowRequest {
  /// - Parameter near: a window of the same list, which was read before.
  init(_ viewport: Viewport, near: RowWindow?) throws(ControlError) {
    self.init(
      filter: try FleetFilter(viewport.filter), key: Key(viewport.sort),
      isDescending: viewport.sort.isDescending, first: viewport.first, count: viewport.count,
      anchor: viewport.anchor.map(FleetTransferID.init))
    if let near, !near.rows.isEmpty {
      let offset = min(max(0, viewport.first - near.first), near.rows.count - 1)
      hint = Hint(id: FleetTransferID(near.rows[offset].id), index: near.first + offset)
    }
  }
}

extension FleetWindowRequest.Key {
  /// The order by what changes with each report is that of the queue.
  fileprivate init(_ sort: RowSort) {
    self =
      switch sort.key {
      // What runs comes first, in place of groups.
      case .queue: sort.isGrouped ? .state : .queue
      case .title: .title
      case .state: .state
      case .size: .size
      case .host: .host
      case .machine: .machine
      case .finishedAt: .finishedAt
      case .priority: .priority
      case .progress, .speed, .secondsLeft, .connections, .session, .createdAt: .queue
      }
  }
}
#endif
