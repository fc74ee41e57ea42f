/// What the user wants of the terminal.
package struct TerminalOptions: Hashable, Sendable {
  /// Whether the mouse is ours; with Shift held it is the terminal's all the same.
  package var isMouseOn = true
  package var ringsBell = true
  /// Whether terminals that can show the progress, in their tab or in the taskbar.
  package var showsTaskbarProgress = true
  /// Whether terminals that can tell the desktop that everything is finished, or that something
  /// failed.
  package var announces = true
  /// ASCII alone, whatever the locale says.
  package var isASCII = false
  /// nil to find out.
  package var background: Theme.Background?
  package var colors: [ThemeColor: Color] = [:]

  package init() {}
}
