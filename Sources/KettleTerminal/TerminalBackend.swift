import KettleDashboard
import KettleModel

/// A terminal as the dashboard's loop needs it. One thread makes all calls, except `wake`.
package protocol TerminalBackend: AnyObject {
  /// Takes over the terminal and returns what it can show.
  func claim() throws(TerminalProblem) -> Look
  /// Restores the terminal to its previous state. Calling it again has no effect.
  func restore()
  var size: ScreenSize { get }
  func draw(_ frame: Frame)
  /// Makes the next frame draw every cell, whatever the screen is assumed to show.
  func forgetScreen()
  /// Copies a text to the clipboard of the terminal. No terminal reports whether that succeeded.
  func copy(_ text: String) -> CopyProblem?
  func ring()
  /// Shows a desktop notification, where the terminal supports it.
  func announce(_ text: String)
  /// Shows the overall progress, where the terminal supports it; nil clears it.
  func show(_ gauge: BatchGauge?)
  /// Waits for input, for `wake`, or for the timeout; nil waits without a limit.
  func nextInputs(timeoutMilliseconds: Int32?) -> [TerminalInput]
  /// Returns the terminal to the shell until the user resumes the process.
  func suspend()
  /// Takes over the terminal again after other programs may have changed its modes and its screen.
  func reclaim()
  /// Makes `nextInputs` return. Usable from any thread.
  var waker: any TerminalWaker { get }
}

/// Input from a terminal.
package enum TerminalInput: Hashable, Sendable {
  case key(Key)
  case mouse(MouseEvent)
  /// The paste was too long.
  case pasteRefused
  /// The terminal reported its background late.
  case lookChanged(Look)
  /// `size` has changed.
  case resized
  /// The process was stopped from outside and continues.
  case continued
  /// SIGTSTP was sent from outside.
  case suspendAsked
  /// A signal requests the program to end.
  case endAsked(signal: Int32)
  /// The terminal has disappeared.
  case hungUp
}

/// Why a text cannot be copied to the clipboard.
package enum CopyProblem: Hashable, Sendable {
  case tooLong, hasControls, noClipboard

  package var sentence: String {
    switch self {
    case .tooLong: Strings.copyTooLong
    case .hasControls: Strings.copyHasControls
    case .noClipboard: Strings.noClipboard
    }
  }
}

/// Wakes a terminal that waits for input. Usable from any thread.
package protocol TerminalWaker: Sendable {
  func wake()
}
