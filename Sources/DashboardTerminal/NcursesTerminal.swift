import CNcurses
import DashboardUI
import Glibc
import TransferModel

/// A terminal driven by ncurses.
///
/// ncurses is not safe for threads (curs_threads(3x)), and keeps its state in globals: one thread
/// makes all calls, and one of these is claimed at a time.
package final class NcursesTerminal: TerminalBackend {
  let options: TerminalOptions
  var signals: SignalPipe
  private let event: EventDescriptor
  private var screen: OpaquePointer?
  private var shown: Frame?
  private var painter = CellPainter()
  private var decoder = InputDecoder()
  private var clicks = ClickTimer()
  private var kind = TerminalKind { _ in nil }
  private var look = Look(charset: .ascii, colors: .none)
  /// What came while the terminal was asked for its background.
  private var early: [TerminalInput] = []
  private var hasGauge = false
  private var hasMouse = false
  private var isClaimed = false

  package init(_ options: TerminalOptions = TerminalOptions()) throws(TerminalProblem) {
    self.options = options
    event = try EventDescriptor()
    signals = try SignalPipe()
  }

  package var waker: any TerminalWaker { event }

  package func claim() throws(TerminalProblem) -> Look {
    let name = try Self.terminalName()
    let charset = Self.adoptLocale()
    kind = TerminalKind(Self.environment)
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
    look = Look(
      charset: options.isASCII ? .ascii : charset, colors: colors,
      theme: Theme(background: options.background ?? .dark, colors: options.colors))
    // Terminals without a mouse have no sequence for its key.
    if let key = kettle_string_capability("kmous") {
      hasMouse = options.isMouseOn
      // Read here, in the form that has no end at column 223.
      define_key(key, 0)
    }
    enter()
    // ncurses puts handlers of its own where there are none: ours come after.
    signals.install()
    findBackground()
    return look
  }

  package func restore() {
    guard isClaimed else { return }
    isClaimed = false
    leave()
    signals.uninstall()
    if let screen { delscreen(screen) }
    screen = nil
    shown = nil
  }

  // MARK: - Output -

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

  package func copy(_ text: String) -> CopyProblem? {
    guard kind.canCopy else { return .noClipboard }
    guard text.utf8.count <= TerminalText.copyByteCountMax else { return .tooLong }
    // The text goes from there into a shell; lines are what several names are made of.
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
    Self.send(TerminalText.progress(gauge))
  }

  // MARK: - Input -

  package func nextInputs(timeoutMilliseconds: Int32?) -> [TerminalInput] {
    if !early.isEmpty {
      defer { early = [] }
      return early
    }
    var descriptors = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.readEnd, events: Int16(POLLIN), revents: 0),
    ]
    let rest = decoder.millisecondsLeft(at: TerminalClock.now().monotonic)
    let wait = [timeoutMilliseconds, rest.map { Int32(clamping: $0) }].compactMap(\.self).min()
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
      let now = TerminalClock.now().monotonic
      inputs += decoder.decode(codes, at: now).compactMap { input($0, at: now) }
    }
    let now = TerminalClock.now().monotonic
    inputs += decoder.endIfLate(at: now).compactMap { input($0, at: now) }
    return inputs
  }

  private func readCodes() -> [InputDecoder.Code] {
    var codes: [InputDecoder.Code] = []
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

  private func input(_ piece: InputDecoder.Piece, at now: MonotonicTime) -> TerminalInput? {
    switch piece {
    case .key(let key): return .key(key)
    case .pointer(let press): return hasMouse ? .mouse(clicks.event(press, at: now)) : nil
    case .pasteRefused: return .pasteRefused
    case .background(let color): return lookChange(color).map { .lookChanged($0) }
    case .identity: return nil
    }
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

  // MARK: - Background -

  /// How long the first frame waits for the terminal to say what its background is. An answer that
  /// comes later changes the colours then.
  private static let backgroundPatience: Int64 = 100

  private func findBackground() {
    guard options.background == nil, look.colors != .none else { return }
    if let told = Self.environment("COLORFGBG").flatMap(Theme.Background.init(COLORFGBG:)) {
      look = look.on(told)
      return
    }
    guard kind.answersColorQuestions else { return }
    Self.send(TerminalText.backgroundQuestion)
    let start = TerminalClock.now().monotonic
    var isAnswered = false
    while !isAnswered {
      let now = TerminalClock.now().monotonic
      let left = Self.backgroundPatience - now.milliseconds(since: start)
      var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard left > 0, poll(&descriptor, 1, Int32(clamping: left)) > 0 else { return }
      let codes = readCodes()
      if codes.isEmpty { return }
      for piece in decoder.decode(codes, at: now) {
        switch piece {
        case .background(let color):
          look = lookChange(color) ?? look
        case .identity: isAnswered = true
        case .key, .pointer, .pasteRefused: early += [input(piece, at: now)].compactMap(\.self)
        }
      }
    }
  }

  /// nil when nothing changes.
  private func lookChange(_ background: RGB) -> Look? {
    guard options.background == nil, look.colors != .none else { return nil }
    let next = look.on(background.isLight ? .light : .dark)
    guard next != look else { return nil }
    look = next
    return next
  }

  // MARK: - Coming and going -

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

  private func prepareScreen() -> ColorDepth {
    raw()
    noecho()
    nonl()
    keypad(kettle_stdscr(), true)
    nodelay(kettle_stdscr(), true)
    // Long enough for the bytes of one key over a slow line, short enough for Esc to feel at once.
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

  /// Takes back what was asked of the terminal beyond what ncurses knows.
  private var farewell: String {
    let mouse = hasMouse ? TerminalText.mouseOff : ""
    let gauge =
      options.showsTaskbarProgress && kind.showsProgress ? TerminalText.progress(nil) : ""
    return gauge + mouse + TerminalText.pasteOff
  }

  /// Into our screen, at the start and after a suspension.
  private func enter() {
    Self.send(TerminalText.pasteOn + (hasMouse ? TerminalText.mouseOn : ""))
    let leaving = kettle_string_capability("rmcup").map { String(cString: $0) } ?? ""
    kettle_guard_on(farewell + "\u{1B}[0m\u{1B}[?25h" + leaving)
    wrefresh(kettle_stdscr())
  }

  private func leave() {
    curs_set(1)
    endwin()
    Self.send(farewell)
    hasGauge = false
    kettle_guard_off()
    _ = kettle_put_modes_back()
  }

  private static func send(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var start = 0
      while start < bytes.count {
        let rest = bytes.baseAddress?.advanced(by: start)
        let count = write(STDOUT_FILENO, rest, bytes.count - start)
        // A terminal that is gone is noticed by poll(2).
        guard count > 0 || errno == EINTR else { return }
        start += max(0, count)
      }
    }
  }
}
