/// Messages about the terminal, and notifications shown through it.
extension Strings {
  static func pasteRefused(_ countMax: Int) -> String {
    "More than \(countMax) characters were pasted, so all of it was left out; "
      + "put the URLs into a file and use kettle add -i FILE"
  }

  package static let copyTooLong =
    "That is too much for a terminal's clipboard, so nothing was copied; mark fewer transfers"
  package static let copyHasControls =
    "There is a control character in it, so nothing was copied; use kettle list --json"
  package static let noClipboard =
    "This terminal has no clipboard, so nothing was copied; select the text with the mouse"

  static func allEnded(failedCount: Int) -> String {
    failedCount > 0
      ? "Nothing is under way any more; \(transfers(failedCount)) failed"
      : "Everything is finished"
  }

  static func newlyFailed(_ count: Int) -> String { transfers(count) + " failed" }
}
