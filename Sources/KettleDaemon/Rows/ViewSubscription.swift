import KettleModel

/// A view that clients subscribe to: its order, and the changes recorded while one is being made.
struct ViewSubscription: Sendable {
  /// The making of an order.
  enum Making: Sendable {
    case none
    /// It is waiting for its turn.
    case requested
    /// Changes are recorded, because the order will reflect an earlier moment.
    case underWay([RowIndex.Change])
    /// The order will reflect a time when other rows matched the filter.
    case outdated
  }

  /// The consequence of a change.
  enum Consequence: Sendable, Hashable {
    case none
    /// A new order must be made.
    case orderRequested
    /// The order is dropped because it is unused.
    case orderDropped
  }

  private struct Order: Sendable {
    /// Whether rows were requested since the order was made.
    enum Use: Sendable {
      case unused
      case used
    }

    var index: RowIndex
    var use: Use
  }

  let view: RowView
  let keys: RowKeys
  var subscriberCount = 0
  private var order: Order?
  private(set) var making = Making.none
  private let driftMax: Int

  init(_ view: RowView, driftMax: Int) {
    self.view = view
    self.driftMax = driftMax
    keys = RowKeys(view)
  }

  /// nil while there is no order.
  var index: RowIndex? { order?.index }

  // MARK: Changes

  mutating func update(
    _ id: TransferID, from old: TransferSnapshot?, to new: TransferSnapshot?
  ) -> Consequence {
    switch (order, making) {
    case (nil, .none), (nil, .requested), (nil, .outdated): return .none
    case (.some, _), (nil, .underWay): break
    }
    let before = old.map { RowIndex.Change.Before.at(keys.key(of: $0)) } ?? .new
    let change = RowIndex.Change(id: id, before: before, after: new.flatMap(keys.key))
    record(change)
    order?.index.apply(change)
    return order?.index.hasDrifted(driftMax) == true ? replaceDriftedOrder() : .none
  }

  /// A row that is loaded while the store is read may have an older version there.
  mutating func recordLoaded(_ row: TransferSnapshot) {
    guard case .underWay = making else { return }
    let key = keys.key(of: row)
    record(RowIndex.Change(id: row.id, before: .at(key), after: key))
  }

  private mutating func record(_ change: RowIndex.Change) {
    guard case .underWay(var changes) = making else { return }
    making = .none
    changes.append(change)
    making = .underWay(changes)
  }

  /// An unused order is not remade: that would continue for as long as the list changes.
  private mutating func replaceDriftedOrder() -> Consequence {
    guard case .none = making else { return .none }
    switch order?.use {
    case .used:
      making = .requested
      return .orderRequested
    case .unused, nil:
      order = nil
      return .orderDropped
    }
  }

  /// The filter now matches different rows, including rows that only the store has.
  mutating func invalidateOrder() {
    order = nil
    switch making {
    case .none, .requested: break
    case .underWay, .outdated: making = .outdated
    }
  }

  // MARK: Without subscribers

  /// Called when the last client has unsubscribed.
  mutating func markUnused() { order?.use = .unused }

  /// The number of rows of the order; nil if there is no order or another is being made.
  var idleRowCount: Int? {
    guard case .none = making else { return nil }
    return order?.index.count
  }

  mutating func dropOrder() { order = nil }

  // MARK: Making an order

  /// Called when rows are requested.
  mutating func use() -> Consequence {
    order?.use = .used
    guard order == nil, case .none = making else { return .none }
    making = .requested
    return .orderRequested
  }

  mutating func beginOrder() { making = .underWay([]) }

  /// Returns the changes recorded so far and clears them.
  mutating func takeRecordedChanges() -> [RowIndex.Change]? {
    guard case .underWay(let changes) = making else { return nil }
    making = .underWay([])
    return changes
  }

  mutating func install(_ index: RowIndex) {
    making = .none
    order = Order(index: index, use: .unused)
  }

  /// Called when the order could not be made.
  mutating func abandonOrder() {
    switch making {
    // That is a different order, for a client that came later.
    case .none, .requested: break
    case .underWay, .outdated: making = .none
    }
  }

  var recordedChangeCount: Int {
    guard case .underWay(let changes) = making else { return 0 }
    return changes.count
  }
}
