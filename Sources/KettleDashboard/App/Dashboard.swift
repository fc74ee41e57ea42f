import KettleModel

/// The complete state of the dashboard: the list, the screens above it, and what they share.
///
/// `update` applies a message and returns the effects to perform; `frame` draws the screen.
package struct Dashboard: Hashable, Sendable {
  package internal(set) var size: ScreenSize
  package internal(set) var service = ServiceView()
  package internal(set) var list: ListScreen
  /// The screens above the list, the topmost last.
  package internal(set) var screens: [OpenScreen] = []
  package internal(set) var notice: Notice?
  /// The command for what the last key did; nil once another key was pressed.
  var shell: ShellCommand?
  /// What happened before the dashboard was opened; nil once the user has seen it.
  var news: TransferNews?
  /// The name of the theme that the user chose; nil is the configured one.
  package private(set) var theme: String?
  /// What was typed into the add form before it was closed.
  private var draft: AddForm?
  /// When the dashboard received its first message; nil without a tour.
  private var tourBegan: MonotonicTime?
  package internal(set) var utcOffsetSeconds: Int
  /// nil while unknown, and when the files are on another machine.
  package internal(set) var directories: UserDirectories?
  /// The character set of the terminal: some symbols are wider without Unicode.
  package let charset: Charset
  package let settings: DashboardSettings

  package init(
    size: ScreenSize, charset: Charset = .utf8, utcOffsetSeconds: Int = 0,
    settings: DashboardSettings = DashboardSettings()
  ) {
    self.size = size
    self.charset = charset
    self.settings = settings
    self.utcOffsetSeconds = utcOffsetSeconds
    list = ListScreen(settings.choices)
    theme = settings.choices.theme
  }

  package var keymap: Keymap { settings.keymap }

  package var keyContext: KeyContext { screens.last?.content.keyContext ?? list.keyContext }

  /// What the next run starts with.
  package var choices: DashboardChoices {
    var choices = list.choices
    choices.theme = theme
    return choices
  }

  /// The look with the theme that the user tries, or else chose. A theme that is gone counts as
  /// not chosen.
  func themed(_ look: Look) -> Look {
    let tried = screens.last?.content.triedTheme
    let name = tried.map(\.name) ?? theme
    let chosen = settings.themes.first { $0.name == name }
    return chosen.map { look.with($0) } ?? look
  }

  /// nil when no transfer is under way or the service is not connected.
  package var gauge: BatchGauge? {
    service.link.isConnected ? BatchGauge(service.totals.batch) : nil
  }

  /// Returns what a screen may know.
  ///
  /// - Parameter isOnTop: Whether the screen receives the keys.
  func context(at now: Moment, key: Key = .unknown, isOnTop: Bool = true) -> ScreenContext {
    ScreenContext(
      size: size, service: service, notice: notice, settings: settings,
      clock: ClockText(utcOffsetSeconds: utcOffsetSeconds), directories: directories, draft: draft,
      choices: choices, now: now, key: key, isOnTop: isOnTop)
  }

  // MARK: - Messages

  /// Applies a message and returns the effects to perform.
  package mutating func update(_ message: DashboardMessage, at now: Moment) -> [DashboardEffect] {
    if settings.showsTour { tourBegan = tourBegan ?? now.monotonic }
    if let notice, notice.until <= now.monotonic { self.notice = nil }
    if let shell, shell.until <= now.monotonic { self.shell = nil }
    let heightBefore = list.layout(context(at: now)).bodyHeight
    let choicesBefore = choices
    var effects = apply(message, at: now)
    let context = context(at: now)
    // The list has gained or lost a line.
    if list.layout(context).bodyHeight != heightBefore {
      effects += fulfil(list.scrollToCursor(context), at: now)
    }
    let listContext = self.context(at: now, isOnTop: screens.isEmpty)
    effects += fulfil(list.updatePanes(listContext), at: now)
    return choices == choicesBefore ? effects : [.service(.remember(choices))] + effects
  }

  private mutating func apply(_ message: DashboardMessage, at now: Moment) -> [DashboardEffect] {
    switch message {
    case .keyPressed(let key): return press(key, at: now)
    case .mouse(let event): return receive(event, at: now)
    case .pasteRefused(let countMax):
      say(Strings.pasteRefused(countMax), .problem, at: now)
      return []
    case .resized(let newSize):
      size = newSize
      return forward(message, at: now)
    case .directoriesKnown(let known):
      directories = known
      return []
    case .utcOffsetChanged(let seconds):
      utcOffsetSeconds = min(max(seconds, -86_400), 86_400)
      return []
    case .newsArrived(let arrived):
      news = arrived.isEmpty ? nil : arrived
      return []
    case .rowsArrived, .found, .detailsArrived, .membersArrived, .hostsArrived, .machinesArrived,
      .finishedSummed,
      .duplicatesFound,
      .linkChanged,
      .serviceReported, .commandFinished, .ticked:
      return receive(message, at: now)
    }
  }

  /// Sends a message to the list and to every screen above it.
  mutating func forward(_ message: DashboardMessage, at now: Moment) -> [DashboardEffect] {
    var effects = fulfil(list.receive(message, context(at: now)), at: now)
    for index in screens.indices.reversed() {
      let requests = screens[index].content.receive(message, context(at: now))
      effects += fulfil(requests, from: index, at: now)
    }
    return effects
  }

  /// Does what a screen requested, and returns the effects among it.
  ///
  /// - Parameter index: The position of the screen; nil for the list.
  mutating func fulfil(
    _ requests: [ScreenRequest], from index: Int? = nil, at now: Moment
  ) -> [DashboardEffect] {
    var effects: [DashboardEffect] = []
    for request in requests {
      switch request {
      case .service(let effect):
        effects.append(.service(effect))
        let command = ShellCommand(for: effect, program: settings.shellProgram, at: now.monotonic)
        if let command { shell = command }
      case .terminal(let effect): effects.append(.terminal(effect))
      case .notice(let text, let kind): say(text, kind, at: now)
      case .open(let screen): screens.append(screen)
      case .close: if let index, screens.indices.contains(index) { screens.remove(at: index) }
      case .keepDraft(let form): draft = form
      case .useTheme(let name): theme = name
      case .perform(let action): effects += attempt(action, key: .unknown, at: now) ?? []
      case .list(let request):
        effects += fulfil(list.fulfil(request, context(at: now)), at: now)
      }
    }
    return effects
  }

  /// Shows a sentence for a time that is long enough to read it; a failure stays longer. A reason
  /// may also be a part of a longer text, so it begins with a capital letter only here.
  mutating func say(_ text: String, _ kind: Notice.Kind = .plain, at now: Moment) {
    notice = Notice(text: Strings.sentence(text), kind: kind, from: now.monotonic)
  }

  // MARK: - Ticks

  func tourMilliseconds(at now: Moment) -> Int64 {
    tourBegan.map { now.monotonic.milliseconds(since: $0) } ?? 0
  }

  /// The time until `ticked` is due next. nil when nothing on the screen changes with time alone,
  /// so that an idle dashboard costs nothing.
  package func millisecondsToNextTick(at now: Moment) -> Int64? {
    var times = [notice?.until, shell?.until].map { $0?.milliseconds(since: now.monotonic) }
    switch service.link {
    case .lost, .silent: times.append(1000)
    case .connecting, .connected, .stopped: break
    }
    if service.speeds.isMoving { times.append(1000) }
    if settings.showsTour {
      times.append(Tour.millisecondsToNext(afterMilliseconds: tourMilliseconds(at: now)))
    }
    let listContext = context(at: now, isOnTop: screens.isEmpty)
    times.append(list.millisecondsToChange(listContext))
    times += screens.map { $0.content.millisecondsToChange(context(at: now)) }
    return times.compactMap(\.self).min().map { max($0, 20) }
  }
}

/// What the service sends, and the results of effects.
extension Dashboard {
  mutating func receive(_ message: DashboardMessage, at now: Moment) -> [DashboardEffect] {
    var effects: [DashboardEffect] = []
    switch message {
    case .rowsArrived(_, let totals): effects = service.receive(totals, at: now.monotonic)
    case .linkChanged(let report): linkChanged(report, at: now)
    case .serviceReported(let notices):
      service.notices = notices
      if !notices.isEmpty { showProblems(at: now) }
    case .commandFinished(let outcome): commandFinished(outcome, at: now)
    case .ticked: service.tick(at: now.monotonic)
    case .found, .detailsArrived, .membersArrived, .hostsArrived, .machinesArrived, .finishedSummed,
      .duplicatesFound,
      .newsArrived,
      .keyPressed,
      .mouse, .pasteRefused, .resized, .directoriesKnown, .utcOffsetChanged:
      break
    }
    return effects + forward(message, at: now)
  }

  private mutating func linkChanged(_ report: LinkReport, at now: Moment) {
    switch report {
    case .connecting:
      if service.link.isConnected || !service.hasTotals { service.link = .connecting }
    case .connected:
      switch service.link {
      case .lost, .silent, .stopped: say(Strings.serviceIsBack, at: now)
      case .connecting: showProblems(at: now)
      case .connected: break
      }
      service.link = .connected
    case .lost: service.connectionLost(at: now.monotonic)
    case .silent: service.fellSilent(at: now.monotonic)
    case .stopped: service.stopped(at: now.wall)
    }
  }

  /// Shows the reports of the service and then the configuration problems. The message stays until
  /// a key is pressed, because the user may not look at once.
  private mutating func showProblems(at now: Moment) {
    let text = Strings.problems(
      service.notices + settings.problems, helpKey: keymap.key(of: "help")?.name,
      width: size.columns - 2)
    guard let text else { return }
    notice = Notice(text: text, kind: .problem, from: now.monotonic, for: 3_600_000)
  }

  private mutating func commandFinished(_ outcome: CommandOutcome, at now: Moment) {
    if case .reset(let deletedCount, let keptPaths) = outcome, !keptPaths.isEmpty {
      let report = ReportScreen(deletedCount: deletedCount, keptPaths: keptPaths)
      return screens.append(OpenScreen(report))
    }
    if let (text, kind) = said(of: outcome, at: now) { say(text, kind, at: now) }
  }
}
