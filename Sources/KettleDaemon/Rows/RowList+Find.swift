import KettleControl
import KettleEngine
import KettleModel

/// Searches in the list.
extension RowList {
  /// The number of rows read per step; a search can be cancelled between steps.
  private static let stepCount = 256

  /// Returns the next row that contains the words in list order, or the previous one; nil if none
  /// does.
  func find(_ search: RowSearch) async throws(ControlError) -> FoundRow? {
    guard !RowFilter.words(of: search.text).isEmpty else { return nil }
    let view = RowView(filter: search.filter, sort: search.sort)
    let order = try await currentOrder(of: view)
    guard order.count > 0 else { return nil }
    let start = try await row(search.start).flatMap(RowKeys(view).key)
    let walk = RowWalk(
      count: order.count,
      start: start.map(order.count) ?? min(max(search.startIndex, 0), order.count - 1),
      isBackwards: search.isBackwards, includesStart: search.includesStart)
    let test = RowTest(RowFilter(text: search.text))
    for step in walk.steps(of: Self.stepCount) {
      if Task.isCancelled { return nil }
      let ids = order.window(first: step.indices.lowerBound, count: step.indices.count)
      let passing = Set(try await rows(ids).lazy.filter(test.passes).map(\.id))
      let hits = zip(step.indices, ids).filter { passing.contains($0.1) }
      if let hit = search.isBackwards ? hits.last : hits.first {
        return FoundRow(id: hit.1, index: hit.0, hasWrapped: step.hasWrapped)
      }
    }
    return nil
  }

  /// Returns the existing rows, in any order.
  private func rows(_ ids: [TransferID]) async throws(ControlError) -> [TransferSnapshot] {
    let (awake, maker) = update { table in (ids.compactMap(table.row), table.maker) }
    guard awake.count < ids.count else { return awake }
    let known = Set(awake.map(\.id))
    let dormant = ids.filter { !known.contains($0) }.sorted()
    return awake + (try await read { try $0.records(dormant).map(maker.row) })
  }

  private func row(_ id: TransferID?) async throws(ControlError) -> TransferSnapshot? {
    guard let id else { return nil }
    return try await rows([id]).first
  }

  /// Returns the current order of a view.
  private func currentOrder(of view: RowView) async throws(ControlError) -> OrderWithOverlay {
    switchSubscription(from: nil, to: view)
    defer { switchSubscription(from: view, to: nil) }
    while true {
      if let index = update({ $0.use(view) }) ?? nil { return index.order }
      guard try await waitForOrder(of: view) else { throw ControlError(.stopping, "") }
    }
  }

  /// Returns the ids in ascending order, which is the order in which they were added.
  func matching(
    _ filter: RowFilter, except: Set<TransferID>
  ) async throws(ControlError) -> [TransferID] {
    let order = try await currentOrder(of: RowView(filter: filter, sort: RowSort()))
    return order.window(first: 0, count: order.count).filter { !except.contains($0) }.sorted()
  }

  /// Returns the first transfer with each of these URLs.
  func find(_ urls: Set<String>) async throws(ControlError) -> [FindURLs.Found] {
    let maker = update { $0.maker }
    let stored = try await read { try $0.find(urls: urls).map(maker.row) }
    let rows = update { $0.rows(with: urls, stored: stored) }
    var found: [String: FindURLs.Found] = [:]
    for row in rows {
      if let other = found[row.url], other.id < row.id { continue }
      found[row.url] = FindURLs.Found(url: row.url, id: row.id, state: row.state)
    }
    return found.values.sorted { $0.id < $1.id }
  }
}
