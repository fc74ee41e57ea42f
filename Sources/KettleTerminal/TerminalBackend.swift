import KettleDashboard

/// A terminal as the dashboard's loop needs it. One thread makes all calls, except `wake`.
package protocol TerminalBackend: AnyObject {
  /// Takes the terminal over and answers what it can show.
  func claim() throws(TerminalProblem) -> Look
  /// Gives it back as it was. Twice is the same as once.
  func restore()
  var size: ScreenSize { get }
  func draw(_ frame: Frame)
  /// Draws every cell with the next frame, whatever is thought to be there.
  func forgetScreen()
  /// Puts a text on the clipboard of the terminal. Whether that took it, no terminal tells.
  func copy(_ text: String) -> CopyProblem?
  func ring()
  /// Tells the desktop, where the terminal can.
  func announce(_ text: String)
  /// Shows how far everything is, where the terminal can; nil is nothing to show.
  func show(_ gauge: BatchGauge?)
  /// Waits for input, for `wake`, or for so long; nil is without end.
  func nextInputs(timeoutMilliseconds: Int32?) -> [TerminalInput]
  /// Gives the terminal to the shell and returns when the user is back.
  func suspend()
  /// Takes the terminal again after others may have changed its modes and its screen.
  func reclaim()
  /// Makes `nextInputs` return. From any thread.
  var waker: any TerminalWaker { get }
}

/// What comes from a terminal.
package enum TerminalInput: Hashable, Sendable {
  case key(Key)
  case mouse(MouseEvent)
  /// Too much was pasted.
  case pasteRefused
  /// The terminal has said late what its background is.
  case lookChanged(Look)
  /// `size` is another.
  case resized
  /// The process was stopped from outside and goes on.
  case continued
  /// SIGTSTP from outside.
  case suspendAsked
  /// A signal asks the program to end.
  case endAsked(signal: Int32)
  /// The terminal is gone.
  case hungUp
}

/// Why a text does not go to the clipboard.
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

/// Makes a terminal that waits for input look up. From any thread.
package protocol TerminalWaker: Sendable {
  func wake()
}
