import CKettleNcurses
import Glibc
import KettleDashboard
import KettleModel

/// Dark or light: from the user's setting, else the environment, else the terminal's reply.
extension NcursesTerminal {
  /// How long the first frame waits for the terminal to report its background. A later reply still
  /// changes the colours.
  private static var backgroundTimeoutMilliseconds: Int64 { 100 }

  /// How long after the question a terminal on another continent may answer.
  private static var replyTimeoutMilliseconds: Int64 { 1000 }

  func findBackground() {
    guard options.followsTerminal, look.colors != .none else { return }
    if let reported = Self.environment("COLORFGBG").flatMap(Theme.Background.init(COLORFGBG:)) {
      look = look.on(reported)
      return
    }
    guard kind.repliesToColorQueries else { return }
    Self.send(TerminalText.backgroundQuery)
    let start = TerminalClock.now().monotonic
    askedAt = start
    while askedAt != nil {
      let now = TerminalClock.now().monotonic
      let left = Self.backgroundTimeoutMilliseconds - now.milliseconds(since: start)
      var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&descriptor, 1, Int32(clamping: left)) > 0 else { return }
      let codes = readCodes()
      if codes.isEmpty { return }
      for piece in decoder.decode(codes, at: now) {
        switch piece {
        case .background(let color):
          look = lookChange(color) ?? look
        case .identity: askedAt = nil
        case .key, .pointer, .pasteRefused: early += [input(piece, at: now)].compactMap(\.self)
        }
      }
    }
  }

  /// Waits for a reply that is still on its way, because the shell would take it for something that
  /// the user typed.
  func discardLateReply() {
    while let asked = askedAt {
      let now = TerminalClock.now().monotonic
      let left = Self.replyTimeoutMilliseconds - now.milliseconds(since: asked)
      var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&descriptor, 1, Int32(clamping: left)) > 0 else { break }
      let codes = readCodes()
      if codes.isEmpty { break }
      if decoder.decode(codes, at: now).contains(.identity) { return askedAt = nil }
    }
    // A terminal that answers even later, or in parts.
    if askedAt != nil { tcflush(STDIN_FILENO, TCIFLUSH) }
    askedAt = nil
  }

  /// Switches to the look for this background and returns it; returns nil when nothing changes.
  func lookChange(_ background: RGB) -> Look? {
    guard options.followsTerminal, look.colors != .none else { return nil }
    let next = look.on(background.isLight ? .light : .dark)
    guard next != look else { return nil }
    look = next
    return next
  }
}
