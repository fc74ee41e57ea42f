/// The columns of a line about a key.
package struct HelpLayout: Hashable, Sendable {
  package let keysWidth: Int
  package let textWidth: Int
  /// 0 when there is no room for the names of actions.
  package let actionWidth: Int

  init(width: Int) {
    keysWidth = min(15, width / 2)
    // The longest name is `scroll-page-down`.
    actionWidth = width >= 66 ? 16 : 0
    textWidth = max(1, width - keysWidth - (actionWidth > 0 ? actionWidth + 1 : 0))
  }
}
