import CKettleNcurses
import Glibc
import KettleSystem

/// Runs a program in a pseudoterminal and prints how many seconds pass until it shows a text; then
/// types `q` and waits for its end. Exits with 1 when the text does not appear in time.
///
///     first-screen SECONDS TEXT PROGRAM [ARGUMENT...]
///
/// The text should have no character twice in a row: a control sequence can make a terminal repeat
/// one.
@main
struct FirstScreen: ~Copyable {
  private let process: pid_t
  private let terminal: OwnedDescriptor
  private let startedAt: Double

  static func main() {
    let words = CommandLine.arguments
    guard words.count >= 4, let budget = Double(words[1]) else {
      complain("usage: first-screen SECONDS TEXT PROGRAM [ARGUMENT...]")
      exit(2)
    }
    setenv("TERM", "xterm-256color", 1)
    setenv("LC_ALL", "C.UTF-8", 1)
    // Without it the program would query the terminal, and this one does not reply.
    setenv("COLORFGBG", "15;0", 1)
    guard let run = FirstScreen(running: Array(words.dropFirst(3))) else { exit(127) }
    let seconds = run.seconds(until: Array(words[2].utf8), within: budget)
    run.end()
    guard let seconds else {
      complain("\"\(words[2])\" was not shown within \(words[1]) seconds")
      exit(1)
    }
    say("\(seconds)\n", to: STDOUT_FILENO)
  }

  private init?(running words: [String]) {
    var (primary, secondary): (Int32, Int32) = (-1, -1)
    guard kettle_open_terminal(&primary, &secondary, 120, 40) == 0 else {
      Self.complain("no pseudo terminal: \(SystemError(errno).message)")
      return nil
    }
    let terminal = OwnedDescriptor(owning: primary)
    let inner = OwnedDescriptor(owning: secondary)
    _ = fcntl(terminal.number, F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_adddup2(&actions, inner.number, descriptor)
    }
    posix_spawn_file_actions_addclose(&actions, inner.number)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer {
      for argument in arguments { free(argument) }
      posix_spawn_file_actions_destroy(&actions)
    }
    let now = Self.now()
    var process: pid_t = 0
    let result = posix_spawnp(&process, words[0], &actions, nil, arguments, environ)
    guard result == 0 else {
      Self.complain("\(words[0]): \(SystemError(result).message)")
      return nil
    }
    self.process = process
    self.terminal = terminal
    startedAt = now
  }

  /// Returns nil when the program ends or the time runs out before the text appears.
  private func seconds(until text: [UInt8], within budget: Double) -> Double? {
    var shown: [UInt8] = []
    while Self.now() - startedAt < budget {
      guard let bytes = read() else { return nil }
      // A text may arrive in two pieces.
      shown = shown.suffix(text.count) + bytes
      if Self.has(shown, text) { return Self.now() - startedAt }
    }
    return nil
  }

  /// Returns what arrives within a tenth of a second; nil when the other end is closed.
  private func read() -> [UInt8]? {
    var ready = pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, 100) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(terminal.number, &bytes, bytes.count)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  /// Ends the program, by force if necessary.
  private func end() {
    Self.say("q", to: terminal.number)
    let askedAt = Self.now()
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      if Self.now() - askedAt > 10 { kill(process, SIGKILL) }
      // A program that restores its terminal waits until its output has been read.
      if read() == nil { poll(nil, 0, 10) }
    }
  }

  private static func has(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
    guard bytes.count >= text.count else { return false }
    return (0...(bytes.count - text.count)).contains { bytes[$0...].starts(with: text) }
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func complain(_ sentence: String) {
    say("first-screen: \(sentence)\n", to: STDERR_FILENO)
  }

  private static func say(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
  }
}
