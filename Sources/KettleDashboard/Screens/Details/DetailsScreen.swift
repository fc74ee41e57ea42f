import KettleModel

/// Everything about one transfer, one section at a time. It loads, refreshes once a second, and
/// follows the rows in between.
struct DetailsScreen: ReaderScreen {
  enum Content: Hashable, Sendable {
    case loading
    case shown(TransferDetails)
    case unavailable(sentence: String)
  }

  let id: TransferID
  private var content = Content.loading
  private(set) var section: DetailsSection? = .overview
  var scrolled = 0
  var search = ReaderSearch()
  /// Whether the events scroll to each new one; false while the user reads older ones.
  private var followsEnd = true
  private var requestedAt: MonotonicTime

  private static let intervalMilliseconds: Int64 = 1000

  init(id: TransferID, requestedAt: MonotonicTime) {
    self.id = id
    self.requestedAt = requestedAt
  }

  static let bindings = BindingTable(rowBindings + readerBindings)

  /// The keys of the list that apply to a row, except those that every text screen has.
  private static let rowBindings: [Binding<DetailsScreen>] = {
    let general: Set = ["add", "undo", "bin"]
    let ofRows = RowBindings.all.filter { binding in
      let action = binding.action
      return action.group == .transfer
        ? action.name != "details" && !action.contexts.contains(.reader)
        : general.contains(action.name)
    }
    return (ofRows + QueueBindings.all).map { $0.lifted(in: [.reader], to: { $0.asList }) }
  }()

  private var asList: ListScreen { ListScreen(ofOnly: row) }

  /// nil until the details have been loaded.
  private var row: TransferSnapshot? {
    switch content {
    case .shown(let details): details.snapshot
    case .loading, .unavailable: nil
    }
  }

  var title: String {
    switch content {
    case .shown(let details): Strings.detailsTitle(of: details.snapshot.shownTitle)
    case .loading, .unavailable: Strings.detailsTitle
    }
  }

  var copyable: SelectedRows {
    var selected = SelectedRows(
      rows: [], count: 1, areMarked: false, whyNone: Strings.nothingToCopy)
    selected.rows = row.map { [$0] } ?? []
    return selected
  }

  /// Each section opens at its start; the events open at their end.
  mutating func show(_ section: DetailsSection, _ context: ScreenContext) {
    self.section = section
    scrolled = 0
    followsEnd = true
    clampScroll(context)
  }

  mutating func userScrolled(isAtEnd: Bool) { followsEnd = isAtEnd }

  mutating func clampScroll(_ context: ScreenContext) {
    let last = lastLine(context)
    scrolled = section == .events && followsEnd ? last : min(scrolled, last)
  }

  // MARK: - Messages

  mutating func receive(
    _ message: DashboardMessage, _ context: ScreenContext
  ) -> [ScreenRequest] {
    switch message {
    case .resized: clampScroll(context)
    case .detailsArrived(let details) where details.snapshot.id == id:
      content = .shown(details)
      clampScroll(context)
    case .commandFinished(.detailsFailed(id, let sentence)):
      content = .unavailable(sentence: sentence)
    case .commandFinished(.removed(let count, _)) where count > 0: return [.close]
    case .rowsArrived(let window, _): follow(window)
    case .linkChanged(.connected): return reload(context)
    case .ticked:
      let age = context.now.monotonic.milliseconds(since: requestedAt)
      return age >= Self.intervalMilliseconds ? reload(context) : []
    case .detailsArrived, .membersArrived, .hostsArrived, .machinesArrived, .finishedSummed,
      .commandFinished,
      .linkChanged, .found,
      .duplicatesFound, .serviceReported, .newsArrived, .keyPressed, .mouse, .pasteRefused,
      .directoriesKnown, .utcOffsetChanged:
      break
    }
    return []
  }

  private mutating func reload(_ context: ScreenContext) -> [ScreenRequest] {
    guard context.isConnected else { return [] }
    requestedAt = context.now.monotonic
    return [.service(.loadDetails(id))]
  }

  private mutating func follow(_ window: ListWindow) {
    guard case .shown(var details) = content, let index = window.index(of: id),
      let row = window.row(at: index)
    else { return }
    details.snapshot = row
    content = .shown(details)
  }

  func millisecondsToChange(_ context: ScreenContext) -> Int64? { Self.intervalMilliseconds }

  func lines(_ layout: ReaderLayout, _ context: ScreenContext) -> [ReaderLine] {
    var text = ReaderText(width: layout.textWidth)
    switch content {
    case .loading: text.text(Strings.loading, .quiet)
    case .unavailable(let sentence): text.text(sentence, .problem)
    case .shown(let details):
      guard let section else { return [] }
      DetailsText(details: details, layout: layout, context: context)
        .add(section, to: &text)
    }
    return text.lines
  }
}
