import CKettleNcurses
import Glibc
import KettleDashboard
import KettleModel

/// Waiting for input.
extension NcursesTerminal {
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
      // Readable without data means that the terminal has disappeared.
      let ended = Int16(POLLHUP | POLLERR | POLLNVAL)
      if codes.isEmpty, descriptors[0].revents & ended != 0 { inputs.append(.hungUp) }
      let now = TerminalClock.now().monotonic
      inputs += decoder.decode(codes, at: now).compactMap { input($0, at: now) }
    }
    let now = TerminalClock.now().monotonic
    inputs += decoder.endIfLate(at: now).compactMap { input($0, at: now) }
    return inputs
  }

  func readCodes() -> [InputDecoder.Code] {
    var codes: [InputDecoder.Code] = []
    var value: wint_t = 0
    // Limited, so that a huge paste does not block drawing indefinitely.
    while codes.count < 65_536 {
      let kind = wget_wch(kettle_stdscr(), &value)
      if kind == KEY_CODE_YES {
        // resizeterm(3x) puts this before the input. No key was pressed, and SIGWINCH tells sizes.
        if Int32(bitPattern: value) == KEY_RESIZE { continue }
        codes.append(.key(Int32(bitPattern: value)))
      } else if kind == OK, let scalar = Unicode.Scalar(UInt32(value)) {
        codes.append(.scalar(scalar))
      } else {
        break
      }
    }
    return codes
  }

  func input(_ piece: InputDecoder.Piece, at now: MonotonicTime) -> TerminalInput? {
    switch piece {
    case .key(let key): return .key(key)
    case .pointer(let press): return hasMouse ? .mouse(clicks.event(press, at: now)) : nil
    case .pasteRefused: return .pasteRefused
    case .background(let color): return lookChange(color).map { .lookChanged($0) }
    case .identity:
      askedAt = nil
      return nil
    }
  }

  static func input(_ signal: Int32) -> TerminalInput? {
    switch signal {
    case SIGWINCH: .resized
    case SIGCONT: .continued
    case SIGTSTP: .suspendAsked
    case SIGTERM, SIGHUP, SIGINT, SIGQUIT: .endAsked(signal: signal)
    default: nil
    }
  }
}
