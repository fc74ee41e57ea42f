import KettleControl
import KettleModel

/// Merges the windows of several machines into one of the list that they have together.
///
/// Each machine is asked for its rows from the first one to the end of the window: more of them
/// cannot be in it.
struct WindowMerge: Hashable, Sendable {
  /// The rows of one machine that the list has at most.
  static let rowCountMax = 2000

  var viewport: Viewport
  /// The names of all machines.
  var names: [String]
  /// Whether the machines are asked for as many rows as the list can have.
  var isWide = false

  /// - Parameter anchorMissing: whether the anchor may be behind the rows that were asked for.
  struct Merged: Hashable, Sendable {
    var window: RowWindow
    /// Whether the place of the anchor is only known with `isWide`.
    var needsMore = false
  }

  /// Returns what a machine is asked.
  func request(to index: Int, tag: Int? = nil) -> Viewport {
    let filter = viewport.filter.part(ofMachine: index, named: names[index])
    var request = viewport
    request.filter = filter ?? RowFilter()
    if request.sort.key == .machine { request.sort.key = .queue }
    request.first = 0
    let (end, overflow) = viewport.first.addingReportingOverflow(viewport.count)
    let count = isWide || overflow ? Self.rowCountMax : min(max(0, end), Self.rowCountMax)
    request.count = filter == nil ? 0 : count
    request.anchor = viewport.anchor.flatMap { anchor in
      MachineIDs.index(of: anchor) == index ? MachineIDs.own(anchor) : nil
    }
    request.tag = tag
    return request
  }

  /// - Parameter windows: those of the machines that have answered, by their places.
  func merged(_ windows: [Int: RowWindow]) -> Merged {
    let parts = windows.sorted { $0.key < $1.key }.compactMap { part(of: $0.value, at: $0.key) }
    let groups = groups(of: parts)
    let rows = rows(of: parts, in: groups.map(\.group))
    let first = min(max(0, viewport.first), rows.count)
    let end = first + min(max(0, viewport.count), rows.count - first)
    let counts = groups.isEmpty ? parts.map(\.rowCount) : groups.map(\.count)
    var window = RowWindow(
      first: viewport.first, matchingCount: counts.reduce(0, +), rows: Array(rows[first..<end]),
      totals: .sum(of: windows.sorted { $0.key < $1.key }.map(\.value.totals)),
      anchorIndex: viewport.anchor.flatMap { id in rows.firstIndex { $0.id == id } },
      tag: viewport.tag)
    if viewport.sort.isGrouped { window.groups = groups }
    let isBehind = window.anchorIndex.map { $0 >= end } ?? true
    let hasAnchor = windows.values.contains { $0.anchorIndex != nil }
    return Merged(window: window, needsMore: !isWide && hasAnchor && isBehind)
  }

  // MARK: The rows of one machine

  private struct Part {
    var rows: [TransferSnapshot]
    var groups: [ListedGroup]
    /// How many rows it contributes to a list without groups.
    var rowCount: Int
  }

  private func part(of window: RowWindow, at index: Int) -> Part? {
    guard viewport.filter.part(ofMachine: index, named: names[index]) != nil else { return nil }
    let ids = MachineIDs(index: index)
    var left = Self.rowCountMax
    let groups = (window.groups ?? []).map { group in
      var group = group
      group.count = min(max(0, group.count), group.isFolded ? .max >> 8 : left)
      if !group.isFolded { left -= group.count }
      return group
    }
    return Part(
      rows: window.rows.prefix(Self.rowCountMax)
        .compactMap { ids.shared($0, machine: names[index]) },
      groups: groups, rowCount: min(max(0, window.matchingCount), Self.rowCountMax))
  }

  // MARK: Groups

  /// Returns the groups of all machines that have rows, with the sums of these.
  private func groups(of parts: [Part]) -> [ListedGroup] {
    var groups: [ListedGroup] = []
    for group in parts.flatMap(\.groups) where group.count > 0 {
      if let index = groups.firstIndex(where: { $0.group == group.group }) {
        groups[index].add(group)
      } else {
        groups.append(group)
      }
    }
    // As every service sorts them. Directories are those of one collection, on one machine.
    return groups.enumerated().sorted { left, right in
      let (group, other) = (left.element.group, right.element.group)
      return group.precedes(other) || (!other.precedes(group) && left.offset < right.offset)
    }.map(\.element)
  }

  // MARK: Rows

  /// The rows of one machine that are not in the merged list yet.
  private struct Rest {
    var rows: ArraySlice<TransferSnapshot>
    /// The place of the group of each row.
    var places: ArraySlice<Int>
    /// Of the first row.
    var key: RowKey?

    /// Whether its first row is before that of the other.
    func isBefore(_ other: Rest) -> Bool {
      guard let key else { return false }
      guard let otherKey = other.key else { return true }
      let (place, otherPlace) = (places.first ?? 0, other.places.first ?? 0)
      return place == otherPlace ? key < otherKey : place < otherPlace
    }
  }

  /// Each machine's rows keep their order: its service has decided it.
  private func rows(of parts: [Part], in groups: [ListGroup]) -> [TransferSnapshot] {
    var rests = parts.map { part in
      Rest(
        rows: part.rows[...], places: places(of: part, in: groups)[...],
        key: part.rows.first.map(viewport.sort.key))
    }
    var rows: [TransferSnapshot] = []
    while let next = rests.indices.min(by: { rests[$0].isBefore(rests[$1]) }),
      let row = rests[next].rows.popFirst()
    {
      rows.append(row)
      rests[next].places = rests[next].places.dropFirst()
      rests[next].key = rests[next].rows.first.map(viewport.sort.key)
    }
    return rows
  }

  private func places(of part: Part, in groups: [ListGroup]) -> [Int] {
    var places: [Int] = []
    for group in part.groups where !group.isFolded {
      let count = min(group.count, part.rows.count - places.count)
      places += repeatElement(groups.firstIndex(of: group.group) ?? 0, count: count)
    }
    return places + repeatElement(groups.count, count: part.rows.count - places.count)
  }
}

extension ListedGroup {
  fileprivate mutating func add(_ other: ListedGroup) {
    count += other.count
    isFolded = isFolded || other.isFolded
    guard var sum = queue, let part = other.queue else { return queue = queue ?? other.queue }
    sum.runningCount.add(part.runningCount)
    sum.queuedCount = .sum(of: [sum.queuedCount, part.queuedCount])
    queue = sum
  }
}

extension ListGroup {
  /// Whether it is before another one in every list that has both.
  fileprivate func precedes(_ other: ListGroup) -> Bool {
    switch (self, other) {
    case (.work(let group), .work(let other)): group.rank < other.rank
    case (.queue(let name), .queue(let other)): name < other
    case (.queue, .noQueue): true
    case (.work, _), (.queue, _), (.noQueue, _), (.directory, _): false
    }
  }
}
