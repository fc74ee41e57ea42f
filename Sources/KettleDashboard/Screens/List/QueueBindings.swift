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
        return list.selected.selection.map { [.effect(.move($0, move))] } ?? []
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
        return [.effect(.prioritize(selection, next))]
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
