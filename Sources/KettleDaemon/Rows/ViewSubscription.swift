import KettleModel

/// A view that clients display: its order, and the changes noted while one is being made.
struct ViewSubscription: Sendable {
  enum Making: Sendable {
    case none
    /// It is waiting for its turn.
    case wanted
    /// Changes are noted, because the order will reflect an earlier moment.
    case underWay([RowIndex.Change])
    /// The order will reflect a time when other rows matched the filter.
    case outdated
  }

  /// The consequence of a change.
  enum Need: Sendable, Hashable {
    case nothing
    /// A new order must be made.
    case wanted
    /// The order is dropped because it is unused.
    case forgotten
  }

  let view: RowView
  let keys: RowKeys
  var lookerCount = 0
  private(set) var index: RowIndex?
  private(set) var making = Making.none
  /// Whether rows were requested since the order was made.
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

  /// A row that is loaded while the store is read may have an older version there.
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

  /// An unused order is not remade: that would continue for as long as the list changes.
  private mutating func freeze() -> Need {
    guard case .none = making else { return .nothing }
    guard isUsed else {
      index = nil
      return .forgotten
    }
    making = .wanted
    return .wanted
  }

  /// The filter now matches different rows, dormant ones included.
  mutating func clear() {
    index = nil
    switch making {
    case .none, .wanted: break
    case .underWay, .outdated: making = .outdated
    }
  }

  // MARK: Rest

  /// Called when no client displays the view any more.
  mutating func rest() { isUsed = false }

  /// The number of rows of an order that no client uses; nil if there is no order or another is
  /// being made.
  var restingRowCount: Int? {
    guard case .none = making else { return nil }
    return index?.count
  }

  mutating func forget() { index = nil }

  // MARK: Making an order

  /// Called when rows are requested.
  mutating func use() -> Need {
    isUsed = true
    guard index == nil, case .none = making else { return .nothing }
    making = .wanted
    return .wanted
  }

  mutating func beginMaking() { making = .underWay([]) }

  /// Returns the changes noted so far and clears them.
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

  /// Called when the order could not be made.
  mutating func giveUpMaking() {
    switch making {
    // That is a different order, for a client that came later.
    case .none, .wanted: break
    case .underWay, .outdated: making = .none
    }
  }

  var noteCount: Int {
    guard case .underWay(let changes) = making else { return 0 }
    return changes.count
  }
}
