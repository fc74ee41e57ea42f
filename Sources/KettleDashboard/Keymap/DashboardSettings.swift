/// The user's settings for the dashboard.
package struct DashboardSettings: Hashable, Sendable {
  package var keymap = Keymap.standard
  package var terminal = TerminalOptions()
  /// Problems in the configuration, one sentence each.
  package var problems: [String] = []
  /// The themes to choose from: the built-in ones, and the user's files in their place.
  package var themes = BuiltInTheme.allCases.map { NamedTheme($0.rawValue, base: $0) }
  /// What the user chose in earlier runs.
  package var choices = DashboardChoices()

  package init() {}
}
