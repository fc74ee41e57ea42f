import KettleModel

/// Everything that the dashboard knows. `update` changes it, `view` shows it.
package struct DashboardModel: Hashable, Sendable {
  package internal(set) var size: ScreenSize
  package internal(set) var link = LinkState.connecting
  /// nil until the first rows came.
  package internal(set) var window: ListWindow?
  package internal(set) var totals = Totals()
  package internal(set) var speeds = SpeedHistory()
  /// Index of the row under the cursor.
  package internal(set) var cursor = 0
  /// The transfer under the cursor: the cursor follows it when rows come and go.
  package internal(set) var cursorID: TransferID?
  package internal(set) var firstVisible = 0
  /// What the list shows.
  package internal(set) var view = ListView(.transfers)
  /// What it shows after `H`.
  var otherView = ListView(.history)
  package internal(set) var search = SearchState()
  var filterHistory = InputHistory()
  /// The view goes after the transfer under the cursor wherever it goes.
  package internal(set) var isFollowing = false
  /// The rows stay as they are.
  package internal(set) var isFrozen = false
  /// Where the cursor goes when the service has said where that is.
  var seeking: Seek?
  /// What lies over the list, the topmost last.
  package internal(set) var screens: [DashboardScreen] = []
  package internal(set) var notice: Notice?
  /// The notices of the service that is connected, or was last.
  package internal(set) var serviceNotices: [String] = []
  package internal(set) var utcOffsetSeconds: Int
  /// nil while not known, and when the files are on another machine.
  package internal(set) var places: UserPlaces?
  /// That of the terminal: some signs take more room without Unicode.
  package let charset: Charset
  package let settings: DashboardSettings
  /// What was asked for last.
  var subscription: Viewport?
  /// The service sends it along with the rows: others are of an earlier filter or order.
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

  /// The row under the cursor; nil in an empty list and before the row was sent.
  package var cursorRow: TransferSnapshot? { window?.row(at: cursor) }

  /// Whether the cursor of the list is seen.
  var isListOnTop: Bool {
    switch screens.last {
    case nil, .query: true
    case .details, .help, .add, .entry, .question, .resetReport, .sortMenu: false
    }
  }

  var layout: ListLayout { ListLayout(size: size, hasViewLine: hasViewLine) }
}
