import KettleModel

/// The form that adds transfers.
package struct AddScreen: EditingScreen {
  package enum Phase: Hashable, Sendable {
    case editing
    /// Enter was pressed, and the form contains a URL that is already in the list or appears twice.
    /// The next Enter confirms.
    case warned
    /// The request was sent; the form stays until the service replies, so that nothing is lost.
    case adding
  }

  package private(set) var form = AddForm()
  package private(set) var phase = Phase.editing
  package private(set) var duplicates = DuplicateSearch()
  /// What was typed into an earlier form, which this one does not continue.
  private var otherDraft: AddForm?

  /// Opens the form with the text that was pasted, otherwise with what was typed before it was
  /// closed.
  static func opened(_ context: ScreenContext) -> [ScreenRequest] {
    var screen = AddScreen()
    var requests: [ScreenRequest] = []
    if case .paste(let text) = context.key {
      screen.otherDraft = context.draft
      requests = screen.insert(text.withoutEndingBreaks, context) ?? []
    } else if let draft = context.draft {
      screen.form = draft
      screen.duplicates.textChanged(at: context.now.monotonic)
    }
    return [.open(OpenScreen(screen))] + requests
  }

  // MARK: - Keys

  static let bindings = BindingTable(
    [adding, cancelBinding, startingLine] + fieldBindings() + lineBindings + movements)

  private static let adding = Binding<AddScreen>(
    "add-now", .add, in: [.add], keys: [.enter], label: "add", isRequired: true,
    help: "Add each line that is a URL or a curl command; the others stay",
    when: { _, context in context.whenConnected(.possible) },
    do: { screen, context in screen.addNow(context) })

  private static let startingLine = Binding<AddScreen>(
    "next-line", .add, in: [.add], keys: [.control("j")], label: "next line", rank: 2,
    help: "Start a new line of URLs, or another header",
    do: { screen, context in screen.edit(.nextLine, context) })

  private static let movements = [
    moving("dialog-up", .up, keys: [.up], help: "One line or field up"),
    moving("dialog-down", .down, keys: [.down], help: "One line or field down"),
    moving("dialog-page-up", .pageUp, keys: [.pageUp], help: "Ten lines up, or back to the URLs"),
    moving(
      "dialog-page-down", .pageDown, keys: [.pageDown],
      help: "Ten lines down, or to the last field"),
  ]

  private static func moving(
    _ name: String, _ movement: Movement, keys: [Key], help: String
  ) -> Binding<AddScreen> {
    Binding(
      name, .add, in: [.add], keys: keys, help: help,
      do: { screen, _ in
        screen.form.move(movement)
        return []
      })
  }

  var keyContext: KeyContext { .add }
  var extent: ScreenExtent { .form }

  mutating func edit(_ edit: Edit, _ context: ScreenContext) -> [ScreenRequest] {
    guard phase != .adding else { return [.say(Strings.beingAdded)] }
    if form.apply(edit) { contentChanged(context) }
    return []
  }

  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? {
    guard phase != .adding else { return [.say(Strings.beingAdded)] }
    guard form.insert(text) else {
      return [.say(Strings.rejectedInput(by: form.focus), .problem)]
    }
    contentChanged(context)
    return []
  }

  private mutating func contentChanged(_ context: ScreenContext) {
    phase = .editing
    if form.focus == .urls { duplicates.textChanged(at: context.now.monotonic) }
  }

  mutating func scroll(by step: Int, _ context: ScreenContext) -> [ScreenRequest] {
    form.urls.move(to: form.urls.row + step, column: form.urls.column)
    return []
  }

  /// Closes the form and keeps its content for the next time.
  mutating func cancel(_ context: ScreenContext) -> [ScreenRequest] {
    if phase == .adding || form.isEmpty { return [.keepDraft(otherDraft), .close] }
    let text = context.keymap.filled(Strings.draftKept)
    return [.keepDraft(form), .close, .say(text)]
  }

  /// Adds the valid lines; the invalid ones stay until they are corrected.
  private mutating func addNow(_ context: ScreenContext) -> [ScreenRequest] {
    guard phase != .adding else { return [.say(Strings.beingAdded)] }
    if form.urls.goodCount == 0, let (row, problem) = form.urls.firstProblem {
      moveToURL(at: row)
      return [.say(Strings.sentence(problem, on: form.urls.current.text), .problem)]
    }
    let formContext = AddFormContext(context)
    if let (field, problem) = form.firstFieldProblem(formContext) {
      form.focus = field
      return [.say(Strings.sentence(problem), .problem)]
    }
    guard form.urls.goodCount > 0 else {
      form.focus = .urls
      return [.say(Strings.nothingToAdd, .problem)]
    }
    if phase == .editing, let warning = Strings.warning(about: self) {
      phase = .warned
      return [.say(warning, .problem)]
    }
    switch form.specs(formContext) {
    case .success(let specs):
      phase = .adding
      let queue = form.newQueue.map { ScreenRequest.service(.configure($0.setting)) }
      return (queue.map { [$0] } ?? []) + [.service(.add(specs))]
    case .failure(let problem):
      moveToURL(at: problem.row)
      return [.say(Strings.sentence(.directoryUnknown(problem.directory)), .problem)]
    }
  }

  private mutating func moveToURL(at row: Int) {
    form.focus = .urls
    form.urls.move(to: row, column: .max)
  }

  // MARK: - Messages

  mutating func receive(
    _ message: DashboardMessage, _ context: ScreenContext
  ) -> [ScreenRequest] {
    switch message {
    case .commandFinished(.added(let count, _)): return phase == .adding ? added(count) : []
    case .commandFinished(.addFailed):
      // Some transfers may have been added nevertheless, so the search for duplicates is repeated.
      guard phase == .adding else { return [] }
      phase = .editing
      duplicates.textChanged(at: context.now.monotonic)
    case .duplicatesFound(let found): duplicates.found = found
    case .ticked:
      guard context.isConnected, duplicates.isDue(at: context.now.monotonic) else { return [] }
      let urls = form.urls.distinctURLs.sorted()
      return urls.isEmpty ? [] : [.service(.findDuplicates(urls))]
    case .commandFinished, .detailsArrived, .membersArrived, .hostsArrived, .machinesArrived,
      .finishedSummed,
      .rowsArrived,
      .linkChanged, .found,
      .serviceReported, .newsArrived, .keyPressed, .mouse, .pasteRefused, .resized,
      .directoriesKnown, .utcOffsetChanged:
      break
    }
    return []
  }

  private mutating func added(_ count: Int) -> [ScreenRequest] {
    guard form.urls.problemCount > 0 else { return [.keepDraft(otherDraft), .close] }
    phase = .editing
    form.urls.keepProblems()
    return [.say(Strings.added(count, invalidCount: form.urls.problemCount), .problem)]
  }

  func millisecondsToChange(_ context: ScreenContext) -> Int64? {
    context.isConnected ? duplicates.millisecondsLeft(at: context.now.monotonic) : nil
  }

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    AddView(screen: self, context: context).draw(on: &canvas)
  }
}

extension AddFormContext {
  init(_ context: ScreenContext) {
    self.init(
      directories: context.directories, now: context.now.wall,
      utcOffsetSeconds: context.clock.utcOffsetSeconds)
  }
}

extension String {
  /// Text copied from a list often ends with a line break, which does not mean another line.
  fileprivate var withoutEndingBreaks: String {
    var text = self[...]
    while let last = text.last, last.isNewline { text = text.dropLast() }
    return String(text)
  }
}
