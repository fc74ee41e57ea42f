import KettleModel

/// A view that somebody looks at: its order, and what is noted while one is being made.
struct RowLook: Sendable {
  enum Making: Sendable {
    case none
    /// It waits for its turn.
    case wanted
    /// Whatever changes is noted, because the order will be that of another moment.
    case underWay([RowIndex.Change])
    /// It will be that of a time when other rows passed.
    case outdated
  }

  /// What comes of a change.
  enum Need: Sendable, Hashable {
    case nothing
    /// A new order is to be made.
    case wanted
    /// The order is given up, because nobody uses it.
    case forgotten
  }

  let view: RowView
  let keys: RowKeys
  var lookerCount = 0
  private(set) var index: RowIndex?
  private(set) var making = Making.none
  /// Whether somebody has asked for rows since the order was made.
  private var isUsed = false
  private let driftMax: Int

  init(_ view: RowView, driftMax: Int) {
    self.view = view
    self.driftMax = driftMax
    keys = RowKeys(view)
  }

  // MARK: Changes

  mutating func follow(
    _ id: TransferID, from old: TransferSnapshot?, to new: TransferSnapshot?
  ) -> Need {
    switch (index, making) {
    case (nil, .none), (nil, .wanted), (nil, .outdated): return .nothing
    case (.some, _), (nil, .underWay): break
    }
    let before = old.map { RowIndex.Change.Before.at(keys.key(of: $0)) } ?? .new
    let change = RowIndex.Change(id: id, before: before, after: new.flatMap(keys.key))
    note(change)
    index?.follow(change)
    return index?.hasDrifted(driftMax) == true ? freeze() : .nothing
  }

  /// A row that wakes up while the store answers may be another there before it is told of.
  mutating func note(_ woken: TransferSnapshot) {
    guard case .underWay = making else { return }
    let key = keys.key(of: woken)
    note(RowIndex.Change(id: woken.id, before: .at(key), after: key))
  }

  private mutating func note(_ change: RowIndex.Change) {
    guard case .underWay(var changes) = making else { return }
    making = .none
    changes.append(change)
    making = .underWay(changes)
  }

  /// An order that nobody uses is not made anew: it would go on for as long as the list changes.
  private mutating func freeze() -> Need {
    guard case .none = making else { return .nothing }
    guard isUsed else {
      index = nil
      return .forgotten
    }
    making = .wanted
    return .wanted
  }

  /// Other rows pass than before, dormant ones among them.
  mutating func clear() {
    index = nil
    switch making {
    case .none, .wanted: break
    case .underWay, .outdated: making = .outdated
    }
  }

  // MARK: Rest

  /// Nobody looks any more.
  mutating func rest() { isUsed = false }

  /// How many rows the order has that is kept for nobody; nil when there is none, or another is
  /// being made.
  var restingRowCount: Int? {
    guard case .none = making else { return nil }
    return index?.count
  }

  mutating func forget() { index = nil }

  // MARK: Making an order

  /// Somebody wants rows.
  mutating func use() -> Need {
    isUsed = true
    guard index == nil, case .none = making else { return .nothing }
    making = .wanted
    return .wanted
  }

  mutating func beginMaking() { making = .underWay([]) }

  /// What was noted until now.
  mutating func takeNotes() -> [RowIndex.Change]? {
    guard case .underWay(let changes) = making else { return nil }
    making = .underWay([])
    return changes
  }

  mutating func endMaking(_ made: RowIndex) {
    making = .none
    index = made
    isUsed = false
  }

  /// It could not be made.
  mutating func giveUpMaking() {
    switch making {
    // That is another one, for somebody who came since.
    case .none, .wanted: break
    case .underWay, .outdated: making = .none
    }
  }

  var noteCount: Int {
    guard case .underWay(let changes) = making else { return 0 }
    return changes.count
  }
}
