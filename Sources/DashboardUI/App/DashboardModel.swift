import TransferModel

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
  package internal(set) var marks = Marks()
  /// Which transfers the list shows, and in which order.
  package internal(set) var filter = RowFilter()
  package internal(set) var sort = RowSort()
  /// What lies over the list, the topmost last.
  package internal(set) var screens: [DashboardScreen] = []
  package internal(set) var notice: Notice?
  package internal(set) var utcOffsetSeconds: Int
  /// nil while not known, and when the files are on another machine.
  package internal(set) var places: UserPlaces?
  /// The rows that were asked for last.
  var subscription: Range<Int>?

  package init(size: ScreenSize, utcOffsetSeconds: Int = 0) {
    self.size = size
    self.utcOffsetSeconds = utcOffsetSeconds
  }

  package var clockText: ClockText { ClockText(utcOffsetSeconds: utcOffsetSeconds) }

  package var keyContext: KeyContext { screens.last?.keyContext ?? .list }

  /// The row under the cursor; nil in an empty list and before the row was sent.
  package var cursorRow: TransferSnapshot? { window?.row(at: cursor) }

  var layout: ListLayout { ListLayout(size: size, hasViewLine: hasViewLine) }
}
