import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler

/// The windows that clients display.
extension RowList {
  /// A row that changes during a query of the store has to be queried again.
  private static let attemptCountMax = 8

  /// Returns the rows of a displayed viewport; nil if its view is no longer displayed.
  func window(_ viewport: Viewport, for id: RowWindowID) async throws(ControlError) -> RowWindow? {
    for _ in 0..<Self.attemptCountMax {
      switch update({ $0.window(viewport, for: id) }) {
      case .ready(let window): return window
      case .abandoned: return nil
      case .missing(let ids):
        let maker = update { $0.beginQuery(for: id) }
        let rows = try await read { try $0.records(ids).map(maker.row) }
        update { $0.endQuery(of: ids, found: rows, for: id) }
      case .unordered:
        if let window = try await firstScreen(viewport, for: id) { return window }
        guard try await waitForOrder(of: RowView(viewport)) else { return nil }
      }
    }
    // Unavailable rows are left out until the next refresh.
    guard case .ready(let window) = update({ $0.window(viewport, for: id, isComplete: false) })
    else { return nil }
    return window
  }

  /// The same for a single request.
  func window(_ viewport: Viewport) async throws(ControlError) -> RowWindow {
    let view = RowView(viewport)
    switchSubscription(from: nil, to: view)
    let id = update { $0.openWindow() }
    defer {
      update { $0.closeWindow(id) }
      switchSubscription(from: view, to: nil)
    }
    guard let window = try await window(viewport, for: id) else {
      throw ControlError(.stopping, "")
    }
    return window
  }

  // MARK: The first screen

  /// Up to this many rows are read one by one before the whole order is ready.
  private static let firstScreenCountMax = 256

  /// The beginning of the list needs no order: the store is read row by row.
  private func firstScreen(
    _ viewport: Viewport, for id: RowWindowID
  ) async throws(ControlError) -> RowWindow? {
    let last = max(0, viewport.first).addingReportingOverflow(max(0, viewport.count))
    guard !last.overflow, last.partialValue <= Self.firstScreenCountMax else { return nil }
    let request: BeginningRequest? = update { table in
      guard
        RowView(viewport).isPlain(
          hasCleared: table.hasCleared, hasMembers: table.hasMembers)
      else { return nil }
      return BeginningRequest(
        count: last.partialValue, isGrouped: viewport.sort.isGrouped,
        maker: table.beginQuery(for: id), awake: Set(table.rows.keys),
        evictionCount: table.evictionCount)
    }
    guard let request else { return nil }
    let beginning = try await read { try request.perform(in: $0) }
    return update { table in
      table.endQuery(of: beginning.rows.map(\.id), found: beginning.rows, for: id)
      return table.firstScreen(
        viewport, from: beginning, for: id, evictionCount: request.evictionCount)
    }
  }
}

/// A request for the first dormant rows of the list.
private struct BeginningRequest: Sendable {
  var count: Int
  var isGrouped: Bool
  var maker: RowMaker
  var awake: Set<TransferID>
  /// The value when the request was made.
  var evictionCount: Int

  /// Rows in memory are interleaved with dormant ones, and there may be many.
  private static let readCountMax = 1024

  func perform(in archive: any TransferArchive) throws -> RowTable.Beginning {
    isGrouped ? try queued(in: archive) : try listed(in: archive)
  }

  /// The groups before the queued transfers have awake rows only.
  private func queued(in archive: any TransferArchive) throws -> RowTable.Beginning {
    let entries = try archive.queue(countMax: Self.readCountMax)
    let ids = entries.lazy.map(\.id).filter { !awake.contains($0) }.prefix(count)
    let records = try archive.records(ids.sorted())
    return RowTable.Beginning(rows: records.map(maker.row))
  }

  private func listed(in archive: any TransferArchive) throws -> RowTable.Beginning {
    var beginning = RowTable.Beginning()
    var last = QueuePosition(position: .min, id: TransferID(rawValue: .min))
    for _ in 0..<Self.readCountMax where beginning.rows.count < count {
      guard let record = try archive.neighbours(of: [last], .after, where: { _, _ in true }).first
      else {
        beginning.isAll = true
        break
      }
      last = QueuePosition(record)
      if !awake.contains(record.id) { beginning.rows.append(maker.row(of: record)) }
    }
    return beginning
  }
}

/// The path of a search through a list: from its start to the end, then around to the start.
struct RowWalk: Sendable {
  struct Step: Sendable, Hashable {
    var indices: Range<Int>
    /// Whether the search has wrapped around.
    var hasWrapped: Bool
  }

  private let before: Range<Int>
  private let after: Range<Int>
  private let isBackwards: Bool

  /// - Parameter includesStart: whether the start itself can be found, as the first row or the
  ///   last.
  init(count: Int, start: Int, isBackwards: Bool, includesStart: Bool) {
    let start = min(max(start, 0), max(count - 1, 0))
    self.isBackwards = isBackwards
    let cut = min(isBackwards == includesStart ? start + 1 : start, count)
    before = 0..<cut
    after = cut..<count
  }

  /// Returns ranges of rows in search order.
  func steps(of size: Int) -> some Sequence<Step> {
    let parts = isBackwards ? [before, after] : [after, before]
    return parts.enumerated().lazy.flatMap { turn, part in
      Self.pieces(of: part, size, isBackwards: isBackwards).map {
        Step(indices: $0, hasWrapped: turn == 1)
      }
    }
  }

  private static func pieces(
    of part: Range<Int>, _ size: Int, isBackwards: Bool
  ) -> [Range<Int>] {
    let forward = stride(from: part.lowerBound, to: part.upperBound, by: size).map {
      $0..<min($0 + size, part.upperBound)
    }
    return isBackwards ? forward.reversed() : forward
  }
}

/// The filter and the sort order of the rows that a client displays.
struct RowView: Sendable, Hashable {
  var filter: RowFilter
  var sort: RowSort

  init(filter: RowFilter, sort: RowSort) {
    self.filter = filter
    self.sort = sort
  }

  init(_ viewport: Viewport) { self.init(filter: viewport.filter, sort: viewport.sort) }

  /// Whether it is the whole list in its own order, flat or grouped by state. The list without
  /// cleared transfers counts too while none is cleared, and that without members of collections
  /// while there is none.
  func isPlain(hasCleared: Bool, hasMembers: Bool) -> Bool {
    guard sort.key == .queue, !sort.isDescending, !sort.isGrouped || sort.grouping == .work else {
      return false
    }
    var filter = filter
    if filter.membership == .none, !hasMembers { filter.membership = .any }
    return filter == RowFilter() || (!hasCleared && filter == RowFilter(scope: .uncleared))
  }

  /// Whether clearing completed transfers changes its rows.
  var dependsOnClearing: Bool {
    switch filter.scope {
    case .all: false
    case .uncleared:
      (filter.states ?? filter.stage?.states)?.contains(.completed) != false
    }
  }
}

/// The filter and the sort key of a view.
struct RowKeys: Sendable {
  private let test: RowTest
  private let sort: RowSort

  init(_ view: RowView) {
    test = RowTest(view.filter)
    sort = view.sort
  }

  /// Returns nil if the row does not match the filter.
  func key(of row: TransferSnapshot) -> RowKey? { test.passes(row) ? sort.key(of: row) : nil }
}
