import KettleModel

@testable import KettleDaemon

/// Filters and sorts all rows, with an independent implementation of the rules.
enum NaiveOrder {
  static func rows(
    _ rows: [TransferID: TransferSnapshot], _ view: Viewport
  ) -> [TransferSnapshot] {
    let passing = rows.values.filter { passes($0, view.filter) }
    return passing.sorted { left, right in
      let groups =
        view.sort.isGrouped
        ? (
          queue(left, view.sort) + place(left, view.sort),
          queue(right, view.sort) + place(right, view.sort)
        ) : ([], [])
      if view.sort.grouping == .directories {
        let directories = (directory(left), directory(right))
        if directories.0 != directories.1 {
          return directories.0.lexicographicallyPrecedes(directories.1)
        }
      }
      if groups.0 != groups.1 { return groups.0.lexicographicallyPrecedes(groups.1) }
      var sort = view.sort
      if sort.isGrouped, sort.key == .queue, left.state == .completed {
        sort = RowSort(key: .finishedAt, isDescending: !sort.isDescending)
      }
      let order = compare(left, right, by: sort)
      return order == 0 ? left.id < right.id : order < 0
    }
  }

  /// Returns the groups of rows that are in order, with their sizes.
  static func groups(
    _ rows: [TransferSnapshot], _ sort: RowSort, directoryCountMax: Int
  ) -> [(ListGroup, Int)] {
    let depth = (0...9).last { depth in
      Set(rows.map { directory($0).prefix(depth) }).count <= directoryCountMax
    }
    var groups: [(ListGroup, Int)] = []
    for row in rows {
      let group: ListGroup
      if let place = queue(row, sort).first {
        let index = Int(place)
        group = index < sort.queues.count ? .queue(sort.queues[index]) : .noQueue
      } else if sort.grouping == .directories {
        group = .directory(directory(row).prefix(depth ?? 0).joined(separator: "/"))
      } else {
        group = .work(RowGroup.allCases[self.group(row)])
      }
      if groups.last?.0 != group { groups.append((group, 0)) }
      groups[groups.count - 1].1 += 1
    }
    return groups
  }

  /// The place of the queue; empty if the groups are by state.
  private static func queue(_ row: TransferSnapshot, _ sort: RowSort) -> [Double] {
    guard sort.grouping == .queues else { return [] }
    let name = row.queue ?? .standard
    return [Double(sort.queues.firstIndex(of: name) ?? sort.queues.count)]
  }

  private static func directory(_ row: TransferSnapshot) -> [String] {
    Array(row.member?.path.directories ?? [])
  }

  private static func group(_ row: TransferSnapshot) -> Int {
    if row.state == .waiting, row.reason?.concernsUser == true { return 0 }
    if [.running, .verifying].contains(row.state) { return 1 }
    if row.state == .failed { return 3 }
    return row.state == .completed ? 4 : 2
  }

  /// The group, and in the order of the queue what precedes the position.
  private static func place(_ row: TransferSnapshot, _ sort: RowSort) -> [Double] {
    let group = group(row)
    guard group == 2, sort.key == .queue, !sort.isDescending else { return [Double(group)] }
    let states: [TransferState] = [.waiting, .queued, .scheduled, .paused, .idle]
    let state = Double(states.firstIndex(of: row.state) ?? -1)
    return [Double(group), state] + (row.state == .queued ? [-row.priority.value] : [])
  }

  private static func passes(_ row: TransferSnapshot, _ filter: RowFilter) -> Bool {
    let text = (row.title + "\n" + row.url).lowercased()
    let words = (filter.text ?? "").lowercased().split(separator: " ")
    return filter.states?.contains(row.state) != false
      && (!filter.needsUser || row.state == .waiting && row.reason?.needsUser == true)
      && (filter.queue == nil || filter.queue == row.queue ?? .standard)
      && (filter.session == nil || filter.session == row.session)
      && (filter.host == nil || row.url.contains("a.example"))
      && words.allSatisfy { text.contains($0) }
      && (filter.scope == .all || row.isCleared != true)
  }

  private static func compare(
    _ left: TransferSnapshot, _ right: TransferSnapshot, by sort: RowSort
  ) -> Int {
    func order<Value: Comparable>(_ value: (TransferSnapshot) -> Value) -> Int {
      let (left, right) = (value(left), value(right))
      let order = left == right ? 0 : left < right ? -1 : 1
      return sort.isDescending ? -order : order
    }
    func known<Value: Comparable>(_ value: (TransferSnapshot) -> Value?) -> Int {
      guard let one = value(left), let other = value(right) else {
        return (value(left) == nil ? 1 : 0) - (value(right) == nil ? 1 : 0)
      }
      let order = one == other ? 0 : one < other ? -1 : 1
      return sort.isDescending ? -order : order
    }
    let states: [TransferState] = [
      .running, .verifying, .waiting, .queued, .scheduled, .paused, .failed, .idle, .completed,
    ]
    switch sort.key {
    case .queue: return order { $0.queuePosition ?? 0 }
    case .title: return order { $0.shownTitle.lowercased() }
    case .state: return order { states.firstIndex(of: $0.state) ?? -1 }
    case .size: return order { $0.bytesExpected ?? -1 }
    case .progress:
      return order { row -> Double in
        guard let size = row.bytesExpected, size > 0 else {
          return row.state == .completed ? 1 : 0
        }
        return Double(row.bytesReceived) / Double(size)
      }
    case .speed: return order(\.bytesPerSecond)
    case .secondsLeft: return known(\.secondsLeft)
    case .connections: return order(\.connections)
    case .priority: return order(\.priority)
    case .host: return order { String($0.host) }
    case .session: return order(\.session.rawValue)
    case .machine: return order { $0.machine ?? "" }
    case .createdAt: return order(\.createdAt)
    case .finishedAt: return known(\.finishedAt)
    }
  }
}
