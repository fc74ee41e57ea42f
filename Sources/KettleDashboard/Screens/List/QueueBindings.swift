import KettleModel

/// The keys that move the selected transfers within the queue.
enum QueueBindings {
  static let all: [Binding<ListScreen>] = [
    move("queue-up", .up, keys: [.character("K")], help: "Up in the queue"),
    move("queue-down", .down, keys: [.character("J")], help: "Down in the queue"),
    move("queue-top", .toTop, keys: [.alt("k")], label: "first", help: "To the top of the queue"),
    move("queue-bottom", .toBottom, keys: [.alt("j")], help: "To the bottom of the queue"),
    priority("priority-up", .sooner, keys: [.character("+")], help: "Raise the priority"),
    priority("priority-down", .later, keys: [.character("-")], help: "Lower the priority"),
  ]

  private static func move(
    _ name: String, _ move: QueueMove, keys: [Key], label: String? = nil, help: String
  ) -> Binding<ListScreen> {
    Binding(
      name, .finding, in: [.list], keys: keys, label: label, rank: 7, help: help,
      labelNow: { list, _ in list.cursorRow?.state == .queued ? label : nil },
      when: { list, context in
        context.whenConnected(
          Availability(unless: whyNotInQueue(list) ?? whyNot(move, list.view)))
      },
      do: { list, _ in
        // In a queue that is shown in reverse, the row above comes later.
        let move = list.view.sort.isDescending ? move.opposite : move
        let selected = list.selected
        let awaited = selected.areMarked ? nil : selected.rows.first?.id
        return (awaited.map { [.list(.announcePlace(of: $0))] } ?? [])
          + (selected.selection.map { [.service(.move($0, move))] } ?? [])
      })
  }

  private static func priority(
    _ name: String, _ step: SelectedRows.PriorityStep, keys: [Key], help: String
  ) -> Binding<ListScreen> {
    Binding(
      name, .finding, in: [.list], keys: keys, help: help,
      when: { list, context in
        context.whenConnected(
          whyNotInQueue(list).map { .impossible($0) } ?? list.selected.availability(of: step))
      },
      do: { list, _ in
        let selected = list.selected
        guard let selection = selected.selection, let next = selected.nextPriority(step) else {
          return []
        }
        return [.service(.prioritize(selection, next))]
      })
  }

  private static func whyNotInQueue(_ list: ListScreen) -> String? {
    if list.view.kind == .history { return Strings.historyHasNoQueue }
    let selected = list.selected
    return selected.selection == nil ? selected.whyNone : nil
  }

  private static func whyNot(_ move: QueueMove, _ view: ListView) -> String? {
    if view.isFiltered, move == .up || move == .down { return Strings.neighboursAreHidden }
    return view.sort.key == .queue ? nil : Strings.notInQueueOrder(view.sort)
  }
}

extension QueueMove {
  fileprivate var opposite: QueueMove {
    switch self {
    case .up: .down
    case .down: .up
    case .toTop: .toBottom
    case .toBottom: .toTop
    }
  }
}

/// The keys that fold the groups of the list, and that lead into collections and out of them.
enum GroupBindings {
  static let all: [Binding<ListScreen>] = [
    Binding(
      "fold", .moving, in: [.list], keys: [.left],
      help: "Fold the group: only its heading stays; again, leave the files of a collection",
      when: { list, _ in
        list.view.openCollection != nil
          ? .possible : Availability(unless: list.whyNotFold(isFolded: false))
      },
      do: { list, context in
        list.view.openCollection == nil ? list.toggleFold(context) : list.foldOrLeave(context)
      }),
    Binding(
      "unfold", .moving, in: [.list], keys: [.right],
      help: "Show the rows of a folded group, or the files of a collection",
      when: { list, context in
        guard let row = list.cursorRow, row.collection != nil else {
          return Availability(unless: list.whyNotFold(isFolded: true))
        }
        let isOpen = list.view.openCollection == row.id
        return context.whenConnected(
          Availability(unless: isOpen ? Strings.filesAreShown : nil))
      },
      do: { list, context in
        guard let row = list.cursorRow, row.collection != nil else {
          return list.toggleFold(context)
        }
        return list.enterCollection(row.id, context)
      }),
  ]
}

/// The heading of a group: its name, the number of its rows, and a line to the right edge.
struct GroupHeading {
  let listed: ListedGroup
  /// The order within the group.
  let sort: RowSort
  /// Its rows, if all of them are known.
  let rows: ArraySlice<TransferSnapshot>?
  let clock: ClockText
  let now: WallTime

  func draw(on canvas: inout Canvas, row: Int, nameColumn: Int) {
    let glyphs = canvas.look.glyphs
    let width = canvas.size.columns
    let fold = listed.isFolded ? glyphs.folded : glyphs.unfolded
    canvas.write(fold, row: row, column: TableColumns.symbolColumn, width: 1, role)
    let text = Strings.heading(
      of: listed, rows: rows, isToday: { clock.isSameDay($0, now) },
      time: { clock.long($0, now: now) })
    var start =
      nameColumn + 1
      + canvas.write(
        text, row: row, column: nameColumn, width: max(0, width - nameColumn - 2), role)
    let notes = [sum, isNewestFirst ? Strings.newestFirst : nil].compactMap(\.self)
      .joined(separator: ", ")
    if !notes.isEmpty, start + notes.count + 1 < width - 2 {
      start += 1 + canvas.write(notes, row: row, column: start, width: notes.count, .quiet)
    }
    guard start < width - 2 else { return }
    canvas.fill(
      row: row, column: start, width: width - 2 - start, .box, with: glyphs.dash)
  }

  /// What its rows have together.
  private var sum: String? {
    guard let rows else { return nil }
    switch listed.group {
    case .work(.running):
      let open = rows.reduce(0) { $0 + min(max(0, $1.connections), 1 << 20) }
      return open > 0 ? Strings.openConnections(open) : nil
    case .work(.done):
      let bytes = rows.reduce(Int64(0)) { sum, row in
        let (next, isTooLarge) = sum.addingReportingOverflow(max(0, row.bytesReceived))
        return isTooLarge ? .max : next
      }
      return bytes > 0 ? ByteText.size(bytes) : nil
    case .directory:
      let count = rows.count { $0.state == .completed }
      return count > 0 ? Strings.doneCount(count, of: rows.count) : nil
    case .work(.next), .work(.needsUser), .work(.failed), .queue, .noQueue: return nil
    }
  }

  private var isNewestFirst: Bool {
    listed.group == .done && sort.key == .queue && !sort.isDescending
  }

  private var role: Role {
    switch listed.group {
    case .work(.running): .heat2
    case .work(.next), .queue, .noQueue, .directory: .heading
    case .work(.done): .good
    case .work(.failed): .problem
    case .work(.needsUser): .attentionTitle
    }
  }
}
