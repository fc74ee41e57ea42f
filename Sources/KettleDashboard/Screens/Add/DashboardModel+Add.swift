import KettleModel

/// The add form.
extension DashboardModel {
  mutating func openAddDialog(_ key: Key, at now: Moment) {
    var dialog = AddDialog()
    if case .paste(let text) = key,
      !dialog.insert(text.withoutEndingBreaks, at: now.monotonic)
    {
      showNotice(Strings.tooManyLines, .problem, at: now)
    }
    screens.append(.add(dialog))
  }

  mutating func insert(_ text: String, into dialog: AddDialog, at now: Moment) {
    var dialog = dialog
    guard dialog.phase != .adding else { return showNotice(Strings.beingAdded, at: now) }
    if !dialog.insert(text, at: now.monotonic) {
      showNotice(Strings.rejectedInput(by: dialog.focus), .problem, at: now)
    }
    replaceTop(with: .add(dialog))
  }

  func addContext(at now: Moment) -> AddFormContext {
    AddFormContext(directories: directories, now: now.wall, utcOffsetSeconds: utcOffsetSeconds)
  }

  /// Adds all lines or none: a list of which half was added is hard to continue with.
  mutating func addNow(at now: Moment) -> [DashboardEffect] {
    guard case .add(var dialog) = screens.last else { return [] }
    defer { replaceTop(with: .add(dialog)) }
    guard dialog.phase != .adding else {
      showNotice(Strings.beingAdded, at: now)
      return []
    }
    if let (row, problem) = dialog.urls.firstProblem {
      dialog.focus = .urls
      dialog.urls.move(to: row, column: .max)
      showNotice(Strings.sentence(problem, on: dialog.urls.current.text), .problem, at: now)
      return []
    }
    let context = addContext(at: now)
    if let (field, problem) = dialog.firstFieldProblem(context) {
      dialog.focus = field
      showNotice(Strings.sentence(problem), .problem, at: now)
      return []
    }
    guard dialog.urls.goodCount > 0 else {
      dialog.focus = .urls
      showNotice(Strings.nothingToAdd, .problem, at: now)
      return []
    }
    if dialog.phase == .editing, let warning = Strings.warning(about: dialog) {
      dialog.phase = .warned
      showNotice(warning, .problem, at: now)
      return []
    }
    switch dialog.specs(context) {
    case .success(let specs):
      dialog.phase = .adding
      return [.add(specs)]
    case .failure(let problem):
      dialog.focus = .urls
      dialog.urls.move(to: problem.row, column: .max)
      showNotice(Strings.sentence(.directoryUnknown(problem.directory)), .problem, at: now)
      return []
    }
  }

  /// The service has accepted the transfers: closes the form.
  mutating func additionSucceeded() {
    screens.removeAll { screen in
      if case .add(let dialog) = screen { dialog.phase == .adding } else { false }
    }
  }

  /// Keeps the form as it was, so that the user can correct it. Some transfers may have been added
  /// nevertheless, so the search for duplicates is repeated.
  mutating func additionFailed(at now: Moment) {
    changeAddDialog { dialog in
      guard dialog.phase == .adding else { return }
      dialog.phase = .editing
      dialog.duplicates.textChanged(at: now.monotonic)
    }
  }

  mutating func receiveDuplicates(_ found: [String: DuplicateSearch.Found]) {
    changeAddDialog { $0.duplicates.found = found }
  }

  mutating func searchDuplicatesIfDue(at now: Moment) -> [DashboardEffect] {
    guard link.isConnected else { return [] }
    var urls: [String] = []
    changeAddDialog { dialog in
      if dialog.duplicates.isDue(at: now.monotonic) { urls = dialog.urls.distinctURLs.sorted() }
    }
    return urls.isEmpty ? [] : [.findDuplicates(urls)]
  }

  var openAddDialog: AddDialog? {
    for case .add(let dialog) in screens { return dialog }
    return nil
  }

  private mutating func changeAddDialog(_ change: (inout AddDialog) -> Void) {
    for index in screens.indices {
      guard case .add(var dialog) = screens[index] else { continue }
      change(&dialog)
      screens[index] = .add(dialog)
    }
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
