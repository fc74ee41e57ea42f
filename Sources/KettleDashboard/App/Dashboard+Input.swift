import KettleModel

/// Keys, clicks and the wheel.
extension Dashboard {
  /// Rows or lines per wheel step.
  private static var wheelStep: Int { 3 }

  mutating func press(_ key: Key, at now: Moment) -> [DashboardEffect] {
    let shown = shell
    clearMessage()
    let action = keymap.action(for: key, in: keyContext)
    guard size.holds(ListLayout.minimum) else { return pressOnTinyScreen(key, at: now) }
    if action == "copy-url", let shown, keyContext == .list { return copy(shown, at: now) }
    if let action, let effects = attempt(action, key: key, at: now) { return effects }
    let context = context(at: now, key: key)
    if let text = key.typedText, let requests = changeTop({ $0.insert(text, context) }) {
      return fulfil(requests, from: screens.indices.last, at: now)
    }
    say(Strings.noMeaning(key, keymap.filled(Strings.noMeaning(in: keyContext))), at: now)
    return []
  }

  /// Copies the command that the message line shows instead of a URL, which the next press copies.
  private mutating func copy(_ command: ShellCommand, at now: Moment) -> [DashboardEffect] {
    say(keymap.filled(Strings.commandCopied), at: now)
    return [.terminal(.copy(command.text))]
  }

  /// Removes what the message line shows. News that something else covers is kept
  /// until it is visible.
  private mutating func clearMessage() {
    if showsNews { (news, service.endedRun) = (nil, nil) }
    notice = nil
    shell = nil
  }

  /// On a terminal that is too small, the user sees neither the effect of a key nor the question
  /// that the key would answer.
  private mutating func pressOnTinyScreen(_ key: Key, at now: Moment) -> [DashboardEffect] {
    let action = keymap.action(for: key, in: .list)
    guard let action, let binding = Self.bindings.binding(of: action, in: .list),
      binding.action.worksOnTinyScreen
    else { return [] }
    return fulfil(binding.attempt(on: &self, context(at: now, key: key)), at: now)
  }

  /// Performs an action of the topmost screen or of the dashboard, or shows why it is not
  /// available. Returns nil when the action has no meaning here.
  mutating func attempt(_ action: String, key: Key, at now: Moment) -> [DashboardEffect]? {
    let context = context(at: now, key: key)
    let index = screens.indices.last
    if let requests = changeTop({ $0.attempt(action, context) }) {
      return fulfil(requests, from: index, at: now)
    }
    guard let binding = Self.bindings.binding(of: action, in: keyContext) else { return nil }
    return fulfil(binding.attempt(on: &self, context), from: index, at: now)
  }

  /// Changes the topmost screen, or the list when there is none.
  private mutating func changeTop<Result>(_ change: (inout any Screen) -> Result) -> Result {
    if let last = screens.indices.last { return change(&screens[last].content) }
    var top: any Screen = list
    let result = change(&top)
    if let changed = top as? ListScreen { list = changed }
    return result
  }

  private var top: any Screen { screens.last?.content ?? list }

  /// Returns whether an action has an effect in the current state.
  package func availability(of action: String) -> Availability {
    if action == "copy-url", shell != nil, keyContext == .list { return .possible }
    let context = context(at: .anyTime)
    if let availability = top.availability(of: action, context) { return availability }
    let binding = Self.bindings.binding(of: action, in: keyContext)
    return binding?.availability(self, context)
      ?? .impossible(Strings.noMeaning(in: keyContext))
  }

  /// The keys that currently have an effect.
  package var footerItems: [FooterItem] { footerItems(context(at: .anyTime)) }

  func footerItems(_ context: ScreenContext) -> [FooterItem] {
    let own = Self.bindings.bindings(in: keyContext)
    return top.footerItems(context) + own.compactMap { FooterItem($0, of: self, context) }
  }

  // MARK: - Mouse

  mutating func receive(_ event: MouseEvent, at now: Moment) -> [DashboardEffect] {
    switch event.kind {
    case .wheelUp: return wheel(by: -Self.wheelStep, at: now)
    case .wheelDown: return wheel(by: Self.wheelStep, at: now)
    case .click, .doubleClick:
      clearMessage()
      let target = target(row: event.row, column: event.column, at: now)
      return click(Click(target: target, isDouble: event.kind == .doubleClick), at: now)
    }
  }

  private mutating func click(_ click: Click, at now: Moment) -> [DashboardEffect] {
    switch click.target {
    case .key(let key): return press(key, at: now)
    case .action(let action): return attempt(action, key: .unknown, at: now) ?? []
    case .inside: return []
    case .row, .column, .state, .choice, nil:
      let context = context(at: now)
      let requests = changeTop { $0.click(click, context) }
      return fulfil(requests, from: screens.indices.last, at: now)
    }
  }

  private mutating func wheel(by step: Int, at now: Moment) -> [DashboardEffect] {
    let context = context(at: now)
    let requests = changeTop { $0.scroll(by: step, context) }
    return fulfil(requests, from: screens.indices.last, at: now)
  }

  /// Returns the click target at a position. Drawing records the targets, so that the two cannot
  /// differ. A screen above the list receives the clicks within it.
  package func target(row: Int, column: Int, at now: Moment) -> ClickTarget? {
    let canvas = drawn(at: now, look: Look(charset: charset, colors: .none))
    // Later regions are on top.
    let hit = canvas.regions.last { $0.holds(row: row, column: column) }
    switch hit?.target {
    case .row, .column, .state: return keyContext == .list ? hit?.target : nil
    case .key, .action, .choice, .inside, nil: return hit?.target
    }
  }
}

/// The actions that every screen has.
extension Dashboard {
  static let bindings: BindingTable<Dashboard> = [
    Binding(
      "help", .dashboard, in: [.list, .reader], keys: [.character("?"), .function(1)],
      label: "keys", isRequired: true, help: "Show the keys",
      do: { dashboard, _ in
        dashboard.top is HelpScreen
          ? [.close] : [.open(OpenScreen(HelpScreen(above: dashboard.keyContext)))]
      }),
    Binding(
      "redraw", .dashboard, in: Set(KeyContext.allCases), keys: [.control("l")],
      help: "Redraw the screen", do: { _, _ in [.terminal(.redraw)] }),
    Binding(
      "suspend", .dashboard, in: Set(KeyContext.allCases), keys: [.control("z")],
      help: "Suspend the dashboard; fg in the shell resumes it",
      do: { _, _ in [.terminal(.suspend)] }),
    Binding(
      "start-service", .dashboard, in: [.list], keys: [.character("w")], label: "start service",
      help: "Start the service after it was stopped",
      when: { _, context in context.availabilityOfServiceStart },
      do: { _, _ in [.service(.startService), .say(Strings.startingService)] }),
    Binding(
      "leave", .dashboard, in: [.list], keys: [.character("q")], label: "leave", isRequired: true,
      help: "Leave; the transfers continue in the background", do: { _, _ in [.terminal(.leave)] }),
    Binding(
      "interrupt", .dashboard, in: [.list, .reader], keys: [.control("c")], isRequired: true,
      help: "Leave; the transfers continue in the background", do: { _, _ in [.terminal(.leave)] }),
  ]
}

extension Action {
  /// Help would not be visible there.
  fileprivate var worksOnTinyScreen: Bool { name != "help" }
}

extension Moment {
  /// A placeholder for questions whose answer is the same at any time.
  static let anyTime = Moment(
    monotonic: MonotonicTime(milliseconds: 0), wall: WallTime(millisecondsSince1970: 0))
}
