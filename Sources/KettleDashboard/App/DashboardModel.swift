import KettleModel

/// The complete state of the dashboard. `update` changes it, `view` shows it.
package struct DashboardModel: Hashable, Sendable {
  package internal(set) var size: ScreenSize
  package internal(set) var link = LinkState.connecting
  /// nil until the first rows arrive.
  package internal(set) var window: ListWindow?
  package internal(set) var totals = Totals()
  package internal(set) var speeds = TotalSpeedHistory()
  /// The index of the row under the cursor.
  package internal(set) var cursor = 0
  /// The transfer under the cursor. The cursor follows it when rows are added or removed.
  package internal(set) var cursorID: TransferID?
  package internal(set) var firstVisible = 0
  /// The current view of the list.
  package internal(set) var view = ListView(.transfers)
  /// The view that `H` switches to.
  var otherView = ListView(.history)
  package internal(set) var search = SearchState()
  var filterHistory = InputHistory()
  /// The view scrolls along with the transfer under the cursor.
  package internal(set) var isFollowing = false
  /// The rows are frozen: updates are not shown.
  package internal(set) var isFrozen = false
  /// The transfer to which the cursor moves once the service has reported its index.
  var cursorTarget: CursorTarget?
  /// The screens above the list, the topmost last.
  package internal(set) var screens: [DashboardScreen] = []
  package internal(set) var notice: Notice?
  /// The notices of the service that is connected now, or was last.
  package internal(set) var serviceNotices: [String] = []
  package internal(set) var utcOffsetSeconds: Int
  /// nil while unknown, and when the files are on another machine.
  package internal(set) var directories: UserDirectories?
  /// The character set of the terminal: some symbols are wider without Unicode.
  package let charset: Charset
  package let settings: DashboardSettings
  /// The most recent subscription.
  var subscription: Viewport?
  /// The service returns it with the rows: another tag means an earlier filter or order.
  var viewTag = 0

  package init(
    size: ScreenSize, charset: Charset = .utf8, utcOffsetSeconds: Int = 0,
    settings: DashboardSettings = DashboardSettings()
  ) {
    self.size = size
    self.charset = charset
    self.settings = settings
    self.utcOffsetSeconds = utcOffsetSeconds
  }

  package var keymap: Keymap { settings.keymap }

  package var clockText: ClockText { ClockText(utcOffsetSeconds: utcOffsetSeconds) }

  package var keyContext: KeyContext { screens.last?.keyContext ?? .list }

  /// The row under the cursor; nil in an empty list, and before the row has been sent.
  package var cursorRow: TransferSnapshot? { window?.row(at: cursor) }

  /// Whether the list's cursor is visible.
  var isListOnTop: Bool {
    switch screens.last {
    case nil, .query: true
    case .details, .help, .add, .entry, .question, .resetReport, .sortMenu: false
    }
  }

  var layout: ListLayout { ListLayout(size: size, hasViewLine: hasViewLine) }
}
