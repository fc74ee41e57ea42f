/// The user's settings for the dashboard.
package struct DashboardSettings: Hashable, Sendable {
  package var keymap = Keymap.standard
  package var terminal = TerminalOptions()
  /// Problems in the configuration, one sentence each.
  package var problems: [String] = []
  /// What the user chose in earlier runs.
  package var choices = DashboardChoices()

  package init() {}
}
