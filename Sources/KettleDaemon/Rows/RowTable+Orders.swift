import KettleControl
import KettleEngine
import KettleModel

/// The making of orders. They are made without holding the table.
extension RowTable {
  /// The source of an order.
  enum OrderSource: Sendable {
    /// The store, plus these awake transfers, which it may have in an older version.
    case store(awake: [TransferID], RowMaker)
    /// The existing order.
    case order(OrderWithOverlay)
  }

  /// Returns nil when no client displays the view any more. Changes from now on are recorded.
  mutating func beginOrder(of view: RowView) -> OrderSource? {
    let current: RowIndex?? =
      withSubscription(to: view) { subscription in
        guard case .requested = subscription.making else { return nil }
        subscription.beginOrder()
        return .some(subscription.index)
      } ?? nil
    guard let current else { return nil }
    return current.map { .order($0.order) } ?? .store(awake: Array(rows.keys), maker)
  }

  /// Returns the sort keys of the given rows that are in memory.
  func keys(of ids: some Sequence<TransferID>, in view: RowView) -> [RowIndex.Change] {
    guard let keys = subscription(to: view)?.keys else { return [] }
    return ids.compactMap { id in
      rows[id].map { RowIndex.Change(id: id, before: .new, after: keys.key(of: $0)) }
    }
  }

  /// Returns the changes recorded since the last call; nil if the order is no longer wanted, or is
  /// outdated.
  mutating func takeRecordedChanges(of view: RowView) -> [RowIndex.Change]? {
    withSubscription(to: view) { $0.takeRecordedChanges() } ?? nil
  }

  /// Installs an order if at most `changeCountMax` changes were recorded since. Returns whether it
  /// was installed.
  mutating func install(_ index: RowIndex, as view: RowView, changeCountMax: Int) -> Bool {
    withSubscription(to: view) { subscription in
      guard subscription.recordedChangeCount <= changeCountMax,
        let changes = subscription.takeRecordedChanges()
      else { return false }
      var index = index
      for change in changes { index.apply(change) }
      subscription.install(index)
      return true
    } ?? false
  }

  /// Called when an order could not be made.
  mutating func abandonOrder(of view: RowView) {
    _ = withSubscription(to: view) { $0.abandonOrder() }
  }
}

/// The tasks that wait for the order of a view.
struct OrderWaiters: Sendable {
  enum Outcome: Sendable {
    case made
    /// No client displays the view any more, or the waiting task was cancelled.
    case abandoned
    case failed(ControlError)
  }

  typealias Waiter = CheckedContinuation<Outcome, Never>

  private var waiters: [RowView: [UInt64: Waiter]] = [:]
  private var lastTicket: UInt64 = 0

  /// Returns a number that identifies a waiter.
  mutating func makeTicket() -> UInt64 {
    lastTicket += 1
    return lastTicket
  }

  mutating func add(_ waiter: Waiter, ticket: UInt64, for view: RowView) {
    waiters[view, default: [:]][ticket] = waiter
  }

  mutating func removeAll(of view: RowView) -> [Waiter] {
    waiters.removeValue(forKey: view).map { Array($0.values) } ?? []
  }

  /// Returns nil if the task does not wait any more.
  mutating func remove(ticket: UInt64, of view: RowView) -> Waiter? {
    let waiter = waiters[view]?.removeValue(forKey: ticket)
    if waiters[view]?.isEmpty == true { waiters[view] = nil }
    return waiter
  }
}

/// The rows of a view at one moment: an id and a sort key for each, and nothing else.
struct OrderSnapshot: Sendable {
  let ids: [TransferID]
  /// Without their ids.
  private let sections: [StoredOrder.Section]
  /// The index of the first row of each section.
  private let starts: [Int]
  /// Transfers added later have a greater id.
  let greatestID: TransferID?

  init(_ stored: StoredOrder) {
    var start = 0
    starts = stored.sections.map { section in
      defer { start += section.ids.count }
      return start
    }
    ids = stored.ids
    sections = stored.sections.map {
      StoredOrder.Section($0.section, isDescending: $0.isDescending, keys: $0.keys)
    }
    greatestID = ids.max()
  }

  var count: Int { ids.count }

  func key(at index: Int) -> RowKey {
    let number = section(at: index)
    let section = sections[number]
    return RowKey(
      section: section.section, value: value(at: index - starts[number], section.keys),
      id: ids[index], isDescending: section.isDescending)
  }

  /// Returns the number of the section that has the row.
  private func section(at index: Int) -> Int {
    var (low, high) = (0, starts.count - 1)
    while low < high {
      let middle = low + (high - low + 1) / 2
      // A section without rows starts where the next one does.
      if starts[middle] <= index { low = middle } else { high = middle - 1 }
    }
    return low
  }

  private func value(at index: Int, _ keys: StoredOrder.Keys) -> RowKey.Value {
    switch keys {
    case .numbers(let numbers): index < numbers.count ? .number(numbers[index]) : .unknown
    case .reals(let reals): index < reals.count ? .real(reals[index]) : .unknown
    case .texts(let texts): index < texts.count ? .text(texts[index]) : .unknown
    }
  }

  /// Returns the index of a row; nil if it is not there.
  func index(of key: RowKey) -> Int? {
    let index = count(before: key)
    return index < count && ids[index] == key.id ? index : nil
  }

  /// The same by id alone, in time proportional to the number of rows.
  func index(of id: TransferID) -> Int? {
    guard let greatestID, id <= greatestID else { return nil }
    return ids.firstIndex(of: id)
  }

  /// Returns the number of rows before the key.
  func count(before key: RowKey) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if self.key(at: middle) < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
