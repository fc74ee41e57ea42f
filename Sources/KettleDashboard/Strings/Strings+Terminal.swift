/// Messages about the terminal, and notifications shown through it.
extension Strings {
  static func pasteRefused(_ countMax: Int) -> String {
    "More than \(countMax) characters were pasted, so the paste was ignored; save the URLs to a "
      + "file and use kettle add -i FILE"
  }

  package static let copyTooLong =
    "The text is too long for a terminal's clipboard and was not copied; mark fewer transfers"
  package static let copyHasControls =
    "The text has a control character in it and was not copied; use kettle list --json"
  package static let noClipboard =
    "This terminal has no clipboard; select the text with the mouse to copy it"

  static func allEnded(failedCount: Int) -> String {
    failedCount > 0
      ? "All transfers have ended; \(transfers(failedCount)) failed"
      : "All transfers are finished"
  }

  static func newlyFailed(_ count: Int) -> String { transfers(count) + " failed" }
}
