import KettleModel

/// A component of the dashboard that receives keys and draws itself: the list, or a screen above
/// it. It knows no other screen: it reads a `ScreenContext` and answers with requests.
protocol Screen: Hashable, Sendable {
  static var bindings: BindingTable<Self> { get }
  /// The context that determines the meaning of keys.
  var keyContext: KeyContext { get }
  var extent: ScreenExtent { get }
  /// The theme to draw everything with while this screen is on top; nil is the user's.
  var triedTheme: TriedTheme? { get }

  /// Inserts typed or pasted text. Returns nil when text has no meaning here.
  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]?
  /// Turns the wheel by a number of rows or lines.
  mutating func scroll(by step: Int, _ context: ScreenContext) -> [ScreenRequest]
  /// Handles a click on one of its own targets; nil is a click beside all of them.
  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest]
  mutating func receive(_ message: DashboardMessage, _ context: ScreenContext) -> [ScreenRequest]
  /// Returns the time until the screen changes without a message; nil when it does not.
  func millisecondsToChange(_ context: ScreenContext) -> Int64?
  func draw(on canvas: inout Canvas, _ context: ScreenContext)
}

/// How much of the terminal a screen takes.
enum ScreenExtent: Hashable, Sendable {
  /// All of it, including the lines for messages and keys.
  case full
  /// A box above the list; messages appear in the message line.
  case box
  /// A box above the list that shows messages itself.
  case form
}

/// A theme that is looked at before it is chosen.
struct TriedTheme: Hashable, Sendable {
  /// nil is the configured one.
  var name: String?
}

struct Click: Hashable, Sendable {
  var target: ClickTarget?
  var isDouble: Bool
}

/// What a screen asks the dashboard to do.
enum ScreenRequest: Hashable, Sendable {
  case service(ServiceEffect)
  case terminal(TerminalEffect)
  case notice(String, Notice.Kind)
  /// Opens another screen above this one.
  case open(OpenScreen)
  /// Closes this screen.
  case close
  /// Keeps the content of the add form for the next time it is opened; nil forgets it.
  case keepDraft(AddForm?)
  case list(ListRequest)
  /// Uses a theme from now on; nil is the configured one.
  case useTheme(named: String?)
  /// Performs an action of the screen that is on top then.
  case perform(String)

  static func say(_ text: String, _ kind: Notice.Kind = .plain) -> ScreenRequest {
    .notice(text, kind)
  }
}

/// What a screen asks the list to do.
enum ListRequest: Hashable, Sendable {
  /// Sorts by a key; by the current key again, it reverses the order.
  case sort(by: RowSort.Key)
  case reverse
  /// Shows the groups, or one flat list.
  case toggleGroups
  /// Hides a column of the table, or shows it again.
  case toggleColumn(TableColumn)
  case clearMarks
  /// Says the new place of a transfer in the queue when it is known.
  case announcePlace(of: TransferID)
  case group(RowSort.Grouping?)
  /// Filters by a text that is a filter.
  case filter(String)
  /// Adds a command to the recent ones of the palette.
  case remember(command: String)
}

/// A screen above the list.
package struct OpenScreen: Hashable, Sendable {
  var content: any Screen

  init(_ content: any Screen) { self.content = content }

  package static func == (one: OpenScreen, other: OpenScreen) -> Bool {
    one.content.isEqual(to: other.content)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(content)) }
}

extension Screen {
  var triedTheme: TriedTheme? { nil }

  mutating func insert(_ text: String, _ context: ScreenContext) -> [ScreenRequest]? { nil }
  mutating func scroll(by step: Int, _ context: ScreenContext) -> [ScreenRequest] { [] }
  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] { [] }

  mutating func receive(
    _ message: DashboardMessage, _ context: ScreenContext
  ) -> [ScreenRequest] { [] }

  func millisecondsToChange(_ context: ScreenContext) -> Int64? { nil }

  fileprivate func isEqual(to other: any Screen) -> Bool { (other as? Self) == self }

  /// Returns the binding of an action, if it has a meaning here.
  func binding(of action: String) -> Binding<Self>? {
    Self.bindings.binding(of: action, in: keyContext)
  }

  func availability(of action: String, _ context: ScreenContext) -> Availability? {
    binding(of: action)?.availability(self, context)
  }

  /// Performs an action, or says why it is not available. Returns nil when it has no meaning here.
  mutating func attempt(_ action: String, _ context: ScreenContext) -> [ScreenRequest]? {
    binding(of: action)?.attempt(on: &self, context)
  }

  /// Returns the labels of the keys, in the order of the table.
  func footerItems(_ context: ScreenContext) -> [FooterItem] {
    Self.bindings.bindings(in: keyContext).compactMap { FooterItem($0, of: self, context) }
  }
}

/// What all screens may know when they handle a key or draw themselves.
struct ScreenContext {
  let size: ScreenSize
  let service: ServiceView
  let notice: Notice?
  var settings: DashboardSettings
  let clock: ClockText
  /// nil when the files are on another machine.
  let directories: UserDirectories?
  /// What was typed into the add form before it was closed.
  let draft: AddForm?
  /// What the user has chosen, as it is remembered for the next run.
  let choices: DashboardChoices
  let now: Moment
  /// The key that is being handled; `unknown` for a click.
  let key: Key
  /// Whether this screen receives the keys; otherwise another one is above it.
  let isOnTop: Bool

  var keymap: Keymap { settings.keymap }
  var totals: Totals { service.totals }
  var isConnected: Bool { service.link.isConnected }
  /// Whether the list is the queue of a fleet.
  var isOfFleet: Bool { totals.fleet != nil }
  /// Whether the rows are of several machines.
  var hasMachines: Bool { isOfFleet || totals.machines != nil }

  /// Returns the id that the machine of a transfer uses.
  func ownID(of row: TransferSnapshot) -> TransferID {
    totals.machines == nil ? row.id : MachineIDs.own(row.id)
  }

  /// Writes a time of the user's clock into a sentence.
  func time(_ time: WallTime) -> String { clock.long(time, now: now.wall) }

  var isLinkLost: Bool { service.isLinkLost }

  /// Why something that needs the service is not possible.
  var whyNoService: String {
    switch service.link {
    case .stopped: keymap.filled(Strings.serviceIsStopped)
    case .silent: Strings.serviceIsSilent
    case .connecting, .lost, .connected: Strings.needsService
    }
  }

  /// Returns whether something that needs the service is possible.
  func whenConnected(_ availability: @autoclosure () -> Availability) -> Availability {
    isConnected ? availability() : .impossible(whyNoService)
  }

  /// Whether the service can be started.
  var availabilityOfServiceStart: Availability {
    switch service.link {
    case .stopped: .possible
    case .connected: .impossible(Strings.serviceIsRunning)
    case .silent: .impossible(Strings.serviceIsSilent)
    case .connecting, .lost: .impossible(Strings.needsService)
    }
  }

  /// Returns the first form that fits into the message line.
  func fitting(_ forms: [String]) -> String {
    let edges = ListLayout.isBoxed(size) ? 4 : 2
    return forms.first { $0.count <= size.columns - edges } ?? forms.last ?? ""
  }
}
