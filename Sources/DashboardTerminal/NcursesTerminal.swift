import CNcurses
import DashboardUI
import Glibc

/// A terminal driven by ncurses.
///
/// ncurses is not safe for threads (curs_threads(3x)), and keeps its state in globals: one thread
/// makes all calls, and one of these is claimed at a time.
package final class NcursesTerminal: TerminalBackend {
  private let event: EventDescriptor
  var signals: SignalPipe
  private var screen: OpaquePointer?
  private var shown: Frame?
  private var painter = CellPainter()
  private var decoder = KeyDecoder()
  private var isClaimed = false

  package init() throws(TerminalProblem) {
    event = try EventDescriptor()
    signals = try SignalPipe()
  }

  package var waker: any TerminalWaker { event }

  package func claim() throws(TerminalProblem) -> Look {
    let name = try Self.terminalName()
    let charset = Self.adoptLocale()
    _ = kettle_save_modes()
    guard let screen = kettle_newterm(name) else { throw .unknown(name: name) }
    self.screen = screen
    guard kettle_string_capability("cup") != nil else {
      endwin()
      delscreen(screen)
      self.screen = nil
      throw .tooSimple(name: name)
    }
    isClaimed = true
    let colors = prepareScreen()
    enter()
    // ncurses puts handlers of its own where there are none: ours come after.
    signals.install()
    return Look(charset: charset, colors: colors)
  }

  package func copy(_ text: String) {}

  package func ring() { _ = beep() }

  package func restore() {
    guard isClaimed else { return }
    isClaimed = false
    leave()
    signals.uninstall()
    if let screen { delscreen(screen) }
    screen = nil
    shown = nil
  }

  package var size: ScreenSize {
    var (width, height): (Int32, Int32) = (0, 0)
    guard kettle_window_size(STDOUT_FILENO, &width, &height) == 0, width > 0, height > 0 else {
      return ScreenSize(columns: 80, rows: 24)
    }
    return ScreenSize(columns: Int(width), rows: Int(height))
  }

  package func forgetScreen() {
    shown = nil
    clearok(kettle_stdscr(), true)
  }

  /// Writes what differs from the last frame; ncurses then sends what differs from the screen.
  package func draw(_ frame: Frame) {
    if shown?.size != frame.size {
      resizeterm(Int32(frame.size.rows), Int32(frame.size.columns))
      werase(kettle_stdscr())
      shown = nil
    }
    painter.paint(frame, over: shown)
    shown = frame
    if let cursor = frame.cursor {
      curs_set(1)
      wmove(kettle_stdscr(), Int32(cursor.row), Int32(cursor.column))
    } else {
      curs_set(0)
      wmove(kettle_stdscr(), Int32(frame.size.rows - 1), 0)
    }
    wrefresh(kettle_stdscr())
  }

  package func suspend() {
    guard isClaimed else { return }
    leave()
    signals.stopProcess()
    enter()
    forgetScreen()
  }

  package func reclaim() {
    guard isClaimed else { return }
    endwin()
    enter()
    forgetScreen()
  }

  package func nextInputs(timeoutMilliseconds: Int32?) -> [TerminalInput] {
    var descriptors = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.readEnd, events: Int16(POLLIN), revents: 0),
    ]
    let wait = decoder.isCollecting ? min(timeoutMilliseconds ?? 500, 500) : timeoutMilliseconds
    let count = poll(&descriptors, nfds_t(descriptors.count), wait ?? -1)
    if descriptors[1].revents != 0 { event.drain() }
    var inputs: [TerminalInput] = []
    if count >= 0, descriptors[2].revents != 0 {
      inputs += signals.read().compactMap(Self.input)
    }
    if count >= 0, descriptors[0].revents != 0 {
      let codes = readCodes()
      // Readable and nothing there is the end of the terminal.
      let ended = Int16(POLLHUP | POLLERR | POLLNVAL)
      if codes.isEmpty, descriptors[0].revents & ended != 0 { inputs.append(.hungUp) }
      inputs += decoder.decode(codes).map { .key($0) }
    } else if count == 0 {
      inputs += decoder.flush().map { .key($0) }
    }
    return inputs
  }

  private func readCodes() -> [KeyDecoder.Code] {
    var codes: [KeyDecoder.Code] = []
    var value: wint_t = 0
    // A bound, so that a huge paste does not keep the screen from being drawn for ever.
    while codes.count < 65_536 {
      let kind = wget_wch(kettle_stdscr(), &value)
      if kind == KEY_CODE_YES {
        codes.append(.key(Int32(bitPattern: value)))
      } else if kind == OK, let scalar = Unicode.Scalar(UInt32(value)) {
        codes.append(.scalar(scalar))
      } else {
        break
      }
    }
    return codes
  }

  private static func input(_ signal: Int32) -> TerminalInput? {
    switch signal {
    case SIGWINCH: .resized
    case SIGCONT: .continued
    case SIGTSTP: .suspendAsked
    case SIGTERM, SIGHUP, SIGINT, SIGQUIT: .endAsked(signal: signal)
    default: nil
    }
  }

  // MARK: - Private parts -

  private func prepareScreen() -> ColorDepth {
    raw()
    noecho()
    nonl()
    keypad(kettle_stdscr(), true)
    nodelay(kettle_stdscr(), true)
    // Long enough for the bytes of one key over a slow line, short enough for Esc to feel at once.
    set_escdelay(25)
    use_extended_names(true)
    decoder.defineKeys()
    let noColor = getenv("NO_COLOR").map { String(cString: $0) }
    guard has_colors(), start_color() == OK else {
      return ColorDepth(noColor: noColor, colorCount: 0, isDirect: false)
    }
    use_default_colors()
    let isDirect = tigetflag("RGB") > 0
    return ColorDepth(
      noColor: noColor, colorCount: Int(kettle_colors()), isDirect: isDirect)
  }

  /// Into our screen, at the start and after a suspension.
  private func enter() {
    Self.send("\u{1B}[?2004h")
    let leaving = kettle_string_capability("rmcup").map { String(cString: $0) } ?? ""
    kettle_guard_on("\u{1B}[?2004l\u{1B}[0m\u{1B}[?25h" + leaving)
    wrefresh(kettle_stdscr())
  }

  private func leave() {
    curs_set(1)
    endwin()
    Self.send("\u{1B}[?2004l")
    kettle_guard_off()
    _ = kettle_put_modes_back()
  }

  private static func send(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      _ = write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
