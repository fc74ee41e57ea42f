/// What the user set for the dashboard.
package struct DashboardSettings: Hashable, Sendable {
  package var keymap = Keymap.standard
  package var terminal = TerminalOptions()
  /// What is wrong with the configuration, one sentence each.
  package var problems: [String] = []

  package init() {}
}
