/// The user's settings for the terminal.
package struct TerminalOptions: Hashable, Sendable {
  /// Whether the dashboard uses the mouse; with Shift, the terminal keeps it.
  package var isMouseOn = true
  package var ringsBell = true
  /// Whether to show the progress in the tab or in the taskbar, where the terminal supports it.
  package var showsTaskbarProgress = true
  /// Whether to show a desktop notification, where the terminal supports it, when all transfers
  /// have ended or one has failed.
  package var announces = true
  /// Use only ASCII, whatever the locale is.
  package var isASCII = false
  /// nil detects it.
  package var background: Theme.Background?
  /// nil means the colours for the terminal's background.
  package var theme: BuiltInTheme?
  /// Replace the colours of the theme.
  package var colors: [ThemeColor: Color] = [:]

  package init() {}

  /// Whether the colours depend on the background that the terminal reports.
  package var followsTerminal: Bool { background == nil && theme == nil }
}
