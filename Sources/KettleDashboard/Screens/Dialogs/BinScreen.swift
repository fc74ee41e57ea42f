import KettleModel

/// The actions that can be undone, the latest first.
struct BinScreen: MenuScreen {
  /// nil until the service has sent them.
  private(set) var actions: [BinSnapshot]?
  var choice = 0

  var choiceCount: Int { actions?.count ?? 0 }

  static let bindings = BindingTable(movingBindings + ownBindings)

  private static let ownBindings: [Binding<BinScreen>] = [
    Binding(
      .menuChoose, label: { bin, _ in bin.chosen == nil ? nil : "undo" },
      when: { bin, context in
        context.whenConnected(Availability(unless: bin.chosen == nil ? Strings.binIsEmpty : nil))
      },
      do: { bin, _ in bin.chosen.map { [.close, .service(.bin(.undo($0.number)))] } ?? [] }),
    Binding(
      "empty-bin", .question, in: [.menu], keys: [.character("D")], label: "empty the bin",
      help: "In the bin: delete everything in it (asks first)",
      when: { bin, context in
        context.whenConnected(Availability(unless: bin.chosen == nil ? Strings.binIsEmpty : nil))
      },
      do: { bin, _ in [.close, .open(OpenScreen(Question.emptyBin(byteCount: bin.byteCount)))] }),
    Binding(.menuCancel) { _, _ in [.close] },
  ]

  private var chosen: BinSnapshot? {
    guard let actions, actions.indices.contains(choice) else { return nil }
    return actions[choice]
  }

  private var byteCount: Int64 {
    (actions ?? []).reduce(0) { $0.addingReportingOverflow($1.byteCount).partialValue }
  }

  mutating func receive(
    _ message: DashboardMessage, _ context: ScreenContext
  ) -> [ScreenRequest] {
    if case .commandFinished(.binListed(let listed)) = message {
      actions = listed
      choice = min(choice, max(0, listed.count - 1))
    }
    return []
  }

  /// A click beside the list closes it.
  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] {
    switch click.target {
    case .choice(let index):
      choice = index
      return click.isDouble ? attempt("choose", context) ?? [] : []
    case nil: return [.close]
    case .row, .column, .state, .key, .action, .inside: return []
    }
  }

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let actions = actions ?? []
    let box = DialogBox(size: canvas.size, width: 76, height: max(1, actions.count) + 2)
    box.draw(title: Strings.binTitle, on: &canvas)
    guard !actions.isEmpty else {
      let text = self.actions == nil ? Strings.loading : Strings.binIsEmpty
      return box.write(text, line: 0, on: &canvas)
    }
    let height = max(1, box.height - 2)
    let first = max(0, choice - height + 1)
    for (line, action) in actions.dropFirst(first).prefix(height).enumerated() {
      canvas.write(
        Strings.binLine(action, context.clock, now: context.now.wall), row: box.row + line,
        column: box.column + 2, width: box.width - 2, .dialog)
      drawChoice(first + line, line: line, in: box, on: &canvas)
    }
    box.write(Strings.binNote, line: box.height - 1, on: &canvas, .dialogQuiet)
  }
}

extension Action {
  static let menuUp = Action(
    "menu-up", .finding, in: [.menu], keys: [.up, .character("k")], help: "One line up")
  static let menuDown = Action(
    "menu-down", .finding, in: [.menu], keys: [.down, .character("j")], help: "One line down")
  static let menuChoose = Action(
    "choose", .finding, in: [.menu], keys: [.enter], label: "select", isRequired: true,
    help: "Sort by this column; selecting the current one reverses the order. In the bin: undo it. "
      + "In the view: show or hide the column, use the theme")
  static let menuCancel = Action(
    "menu-cancel", .finding, in: [.menu],
    keys: [.escape, .character("q"), .character("o"), .control("c")], label: "cancel", rank: 1,
    isRequired: true, help: "Cancel and change nothing")
}

/// The texts about what can be undone.
extension Strings {
  static let binTitle = "Undo"
  static let binIsEmpty = "Nothing to undo"
  static let binEmptied = "the bin is empty; nothing can be undone"
  static let binNote = "Enter undoes the action. Its bytes are deleted at the time shown."

  /// When it was, what it did, and until when it can be undone.
  static func binLine(_ action: BinSnapshot, _ clock: ClockText, now: WallTime) -> String {
    "\(clock.long(action.at, now: now))  \(what(action))  until "
      + clock.long(action.expiresAt, now: now)
  }

  /// What an action did, to which transfers, and how many bytes it put into the bin.
  package static func what(_ action: BinSnapshot) -> String {
    let did =
      switch action.kind {
      case .stop: "stopped"
      case .remove: "removed"
      case .removeWithFile: "removed with its file"
      case .reset: "reset"
      case .clear: "cleared from view"
      case .start: "started"
      case .pause: "paused"
      case .limit: "limited"
      case .limitAll: "limited all downloads"
      case .prioritize: "changed the priority of"
      case .move: "moved"
      }
    guard let title = action.title else { return did }
    let (others, _) = action.transferCount.subtractingReportingOverflow(1)
    let more = others > 0 ? " and \(others) more" : ""
    return "\(did) \"\(title.sanitizedForDisplay(limit: 300))\"\(more)"
      + (action.byteCount > 0 ? ", \(ByteText.size(action.byteCount))" : "")
  }
}
