import KettleDashboard
import KettleModel

/// A long list, and a service that sends the requested rows.
struct LongList {
  var rows: [TransferSnapshot]
  /// The user's queues.
  var queues: [QueueSnapshot] = []
  /// Whether the service groups the rows when asked to.
  var isGrouped = false

  init(_ count: Int64, _ change: (Int64, inout TransferSnapshot) -> Void = { _, _ in }) {
    rows = (0..<count).map { number in
      Sample.row(number, titled: "file \(number)", state: .queued) { change(number, &$0) }
    }
  }

  /// Returns the rows of a viewport that match its filter.
  func window(_ viewport: Viewport) -> ListWindow {
    var viewport = viewport
    viewport.sort.queues = queues.map(\.name)
    var shown = rows.filter(RowTest(viewport.filter).passes)
    var groups: [ListedGroup]?
    let matchingCount = shown.count
    if isGrouped, viewport.sort.isGrouped {
      let folded = Set(viewport.folded ?? [])
      shown.sort { viewport.sort.key(of: $0) < viewport.sort.key(of: $1) }
      let group = { (row: TransferSnapshot) in Self.group(of: row, in: viewport.sort) }
      let sizes = Dictionary(grouping: shown, by: group)
      let listed = viewport.sort.groups
      groups = (listed.isEmpty ? Self.distinct(shown.map(group)) : listed).compactMap { group in
        sizes[group].map {
          var listed = ListedGroup(group, count: $0.count, isFolded: folded.contains(group))
          listed.queue = queues.first { .queue($0.name) == group }
          return listed
        }
      }
      shown.removeAll { folded.contains(group($0)) }
    }
    return ListWindow(
      first: viewport.first, matchingCount: matchingCount,
      rows: Array(shown.dropFirst(viewport.first).prefix(viewport.count)),
      anchorIndex: viewport.anchor.flatMap { id in shown.firstIndex { $0.id == id } },
      tag: viewport.tag, groups: groups)
  }

  private static func group(of row: TransferSnapshot, in sort: RowSort) -> ListGroup {
    switch sort.grouping {
    case .queues: row.queueOfUser.map { .queue($0) } ?? .noQueue
    case .directories:
      .directory(row.member?.path.directories.joined(separator: "/") ?? "")
    case .work, nil: .work(RowGroup(row.state, row.reason))
    }
  }

  /// - Parameter groups: equal ones beside each other.
  private static func distinct(_ groups: [ListGroup]) -> [ListGroup] {
    groups.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  func find(_ search: RowSearch) -> FoundRow? {
    guard !rows.isEmpty else { return nil }
    let test = RowTest(search.wanted)
    let start = search.start.flatMap { id in rows.firstIndex { $0.id == id } } ?? search.startIndex
    for offset in (search.includesStart ? 0 : 1)...rows.count {
      let place = start + (search.isBackwards ? -offset : offset)
      let index = (place % rows.count + rows.count) % rows.count
      if test.passes(rows[index]) {
        return FoundRow(id: rows[index].id, index: index, hasWrapped: index != place)
      }
    }
    return nil
  }

  /// Answers requests until there are no more. Returns the other effects.
  @discardableResult
  func answer(_ effects: [DashboardEffect], _ model: inout Dashboard) -> [DashboardEffect] {
    var asked = effects
    var others: [DashboardEffect] = []
    var turns = 0
    while !asked.isEmpty, turns < 100 {
      turns += 1
      let effect = asked.removeFirst()
      switch effect {
      case .service(.subscribe), .service(.find): asked += answerOne(effect, &model)
      default: others.append(effect)
      }
    }
    return others
  }

  /// Answers one effect if it is a request to the service. Returns the resulting effects.
  func answerOne(_ effect: DashboardEffect, _ model: inout Dashboard) -> [DashboardEffect] {
    switch effect {
    case .service(.subscribe(let viewport)):
      model.update(.rowsArrived(window(viewport), Sample.totals(of: rows)), at: Sample.now)
    case .service(.find(let search)):
      model.update(.found(search, find(search)), at: Sample.now)
    default: []
    }
  }

  /// Returns a dashboard that shows the list.
  func model(columns: Int = 80, rows: Int = 24) -> Dashboard {
    var model = Dashboard(size: ScreenSize(columns: columns, rows: rows))
    answer(model.update(.linkChanged(.connected), at: Sample.now), &model)
    return model
  }

  /// Presses keys and answers their requests.
  @discardableResult
  func press(_ keys: Key..., in model: inout Dashboard) -> [DashboardEffect] {
    keys.flatMap { answer(model.update(.keyPressed($0), at: Sample.now), &model) }
  }

  @discardableResult
  func type(_ text: String, in model: inout Dashboard) -> [DashboardEffect] {
    text.flatMap {
      answer(model.update(.keyPressed(.character($0)), at: Sample.now), &model)
    }
  }
}
