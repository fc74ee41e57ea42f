import CKettleNcurses
import Glibc
import KettleDashboard
import KettleModel

/// A terminal driven by ncurses.
///
/// ncurses is not thread-safe (curs_threads(3x)) and keeps its state in globals: one thread makes
/// all calls, and only one instance is claimed at a time.
package final class NcursesTerminal: TerminalBackend {
  let options: TerminalOptions
  private let fallback: String?
  var signals: SignalPipe
  let event: EventDescriptor
  private var screen: OpaquePointer?
  var shown: Frame?
  private var painter = CellPainter()
  var decoder = InputDecoder()
  var clicks = ClickTimer()
  var kind = TerminalKind { _ in nil }
  var look = Look(charset: .ascii, colors: .none)
  /// Input that arrived while waiting for the terminal to report its background.
  var early: [TerminalInput] = []
  /// When the terminal was asked to identify itself; nil once it has.
  var askedAt: MonotonicTime?
  var hasGauge = false
  var hasMouse = false
  private var isClaimed = false

  /// - Parameter fallback: A directory for what the system does not have: `terminfo`, the
  ///   descriptions of terminals, and `locale` with C.UTF-8.
  package init(
    _ options: TerminalOptions = TerminalOptions(), fallback: String? = nil
  ) throws(TerminalProblem) {
    self.options = options
    self.fallback = fallback
    event = try EventDescriptor()
    signals = try SignalPipe()
  }

  package var waker: any TerminalWaker { event }

  package func claim() throws(TerminalProblem) -> Look {
    let name = try Self.terminalName()
    kind = TerminalKind(Self.environment)
    let charset = kind.charset(inLocaleOf: Self.adoptLocale(fallback: fallback))
    _ = kettle_save_modes()
    guard
      let screen = kettle_newterm(name)
        ?? fallback.flatMap({ kettle_newterm_in($0 + "/terminfo", name) })
    else { throw .unknown(name: name) }
    self.screen = screen
    guard kettle_string_capability("cup") != nil else {
      endwin()
      delscreen(screen)
      self.screen = nil
      throw .tooSimple(name: name)
    }
    isClaimed = true
    let colors = prepareScreen()
    look = Look(
      charset: options.isASCII ? .ascii : charset, colors: colors,
      theme: Theme(
        background: options.background ?? .dark, base: options.theme, colors: options.colors))
    // Terminals without a mouse have no sequence for its key.
    if let key = kettle_string_capability("kmous") {
      hasMouse = options.isMouseOn
      // Decoded here, in the form that is not limited to column 223.
      define_key(key, 0)
    }
    enterScreen()
    // ncurses installs handlers where there are none, so these are installed afterwards.
    signals.install()
    findBackground()
    return look
  }

  package func restore() {
    guard isClaimed else { return }
    isClaimed = false
    discardLateReply()
    leaveScreen()
    signals.uninstall()
    if let screen { delscreen(screen) }
    screen = nil
    shown = nil
  }

  // MARK: - Drawing -

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

  // MARK: - Suspending -

  package func suspend() {
    guard isClaimed else { return }
    leaveScreen()
    signals.stopProcess()
    enterScreen()
    forgetScreen()
  }

  package func reclaim() {
    guard isClaimed else { return }
    endwin()
    enterScreen()
    forgetScreen()
  }

  private func prepareScreen() -> ColorDepth {
    raw()
    noecho()
    nonl()
    keypad(kettle_stdscr(), true)
    nodelay(kettle_stdscr(), true)
    // Long enough for the bytes of one key on a slow line, short enough for Esc to feel instant.
    set_escdelay(25)
    use_extended_names(true)
    let noColor = getenv("NO_COLOR").map { String(cString: $0) }
    guard has_colors(), start_color() == OK else {
      return ColorDepth(noColor: noColor, colorCount: 0, isDirect: false)
    }
    use_default_colors()
    let isDirect = tigetflag("RGB") > 0
    return ColorDepth(
      noColor: noColor, colorCount: Int(kettle_colors()), isDirect: isDirect)
  }

  /// The sequences that undo the settings that ncurses does not know.
  private var restoreSequence: String {
    let mouse = hasMouse ? TerminalText.mouseOff : ""
    let gauge =
      options.showsTaskbarProgress && kind.showsProgress ? BatchGauge.sequence(nil) : ""
    return gauge + mouse + TerminalText.pasteOff
  }

  /// Enters the dashboard's screen, at the start and after a suspension.
  private func enterScreen() {
    Self.send(TerminalText.pasteOn + (hasMouse ? TerminalText.mouseOn : ""))
    let leaving = kettle_string_capability("rmcup").map { String(cString: $0) } ?? ""
    kettle_guard_on(restoreSequence + "\u{1B}[0m\u{1B}[?25h" + leaving)
    wrefresh(kettle_stdscr())
  }

  private func leaveScreen() {
    curs_set(1)
    endwin()
    Self.send(restoreSequence)
    hasGauge = false
    kettle_guard_off()
    _ = kettle_put_modes_back()
  }

  static func send(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var start = 0
      while start < bytes.count {
        let rest = bytes.baseAddress?.advanced(by: start)
        let count = write(STDOUT_FILENO, rest, bytes.count - start)
        // poll(2) reports a terminal that has disappeared.
        guard count > 0 || errno == EINTR else { return }
        start += max(0, count)
      }
    }
  }
}

/// Output outside the screen: clipboard, bell, taskbar and desktop notifications.
extension NcursesTerminal {
  package func copy(_ text: String) -> CopyProblem? {
    guard kind.canCopy else { return .noClipboard }
    guard text.utf8.count <= TerminalText.copyByteCountMax else { return .tooLong }
    // The text may be pasted into a shell, so controls are refused; line breaks separate names.
    guard text.unicodeScalars.allSatisfy({ !$0.isControl || $0 == "\n" }) else {
      return .hasControls
    }
    Self.send(TerminalText.copy(text, through: kind.multiplexer))
    return nil
  }

  package func ring() {
    if options.ringsBell { _ = beep() }
  }

  package func announce(_ text: String) {
    guard options.announces, let form = kind.announcement else { return }
    Self.send(TerminalText.announcement(text, as: form))
  }

  package func show(_ gauge: BatchGauge?) {
    guard options.showsTaskbarProgress, kind.showsProgress else { return }
    guard gauge != nil || hasGauge else { return }
    hasGauge = gauge != nil
    Self.send(BatchGauge.sequence(gauge))
  }
}

extension NcursesTerminal {
  /// Returns the name of the terminal description to use.
  static func terminalName() throws(TerminalProblem) -> String {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw .noTerminal }
    guard let name = environment("TERM") else { throw .nameMissing }
    let colors = environment("COLORTERM")
    guard colors == "truecolor" || colors == "24bit" else { return name }
    // ncurses uses 24-bit color only with a description that declares it. Many terminals support
    // it but report a name that does not say so.
    return directName(for: name) ?? name
  }

  /// Returns the description of the same terminal with direct color, if it is installed. With
  /// NO_COLOR it would bring nothing.
  private static func directName(for name: String) -> String? {
    guard environment("NO_COLOR") == nil else { return nil }
    let suffix = "-256color"
    let base = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    let direct = base + "-direct"
    return kettle_has_direct_color(direct) != 0 ? direct : nil
  }

  /// Sets the user's locale, so that the C library knows the terminal's character set.
  static func adoptLocale(fallback: String?) -> Charset {
    if setlocale(LC_ALL, "") == nil {
      // The locale is not installed. Its name still indicates what the terminal can show, and
      // C.UTF-8 is available wherever glibc is.
      let name = environment("LC_ALL") ?? environment("LC_CTYPE") ?? environment("LANG") ?? ""
      let codeset = name.split(separator: ".").last.map(String.init) ?? ""
      let modifierless = String(codeset.prefix { $0 != "@" })
      if Charset(codeset: modifierless) == .utf8, setlocale(LC_CTYPE, "C.UTF-8") == nil,
        let fallback
      {
        _ = kettle_set_charset_in(fallback + "/locale", "C.UTF-8")
      }
    }
    return Charset(codeset: kettle_codeset().map { String(cString: $0) } ?? "")
  }

  /// Returns nil when the variable is unset or empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}

/// Dark or light: from the user's setting, else the environment, else the terminal's reply.
extension NcursesTerminal {
  /// How long the first frame waits for the terminal to report its background. A later reply still
  /// changes the colors.
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
