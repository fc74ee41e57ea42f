import KettleModel

/// What all screens may know when they handle a key or draw themselves.
struct ScreenContext {
  let size: ScreenSize
  let service: ServiceView
  let notice: Notice?
  let settings: DashboardSettings
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

  /// Returns the first form that fits into the message line.
  func fitting(_ forms: [String]) -> String {
    forms.first { $0.count <= size.columns - 2 } ?? forms.last ?? ""
  }
}
