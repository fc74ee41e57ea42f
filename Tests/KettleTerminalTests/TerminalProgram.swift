import CKettleLinux
import CKettleNcurses
import Foundation
import Testing

/// A program in a pseudo terminal, and all its output.
final class TerminalProgram {
  let processID: pid_t
  /// -1, which poll(2) ignores, after a hang-up.
  private var primary: Int32
  private var hasEnded = false
  private(set) var bytes: [UInt8] = []

  /// The stage program is in the same directory as the tests that were built with it.
  static let stage: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = URL(filePath: own).deletingLastPathComponent().path + "/dashboard-stage"
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    return root + "/.build/debug/dashboard-stage"
  }()

  init(
    _ words: [String], columns: Int32 = 80, rows: Int32 = 24, term: String? = "xterm-256color",
    variables: [String: String] = [:]
  ) throws {
    var (primary, secondary): (Int32, Int32) = (-1, -1)
    guard kettle_open_terminal(&primary, &secondary, columns, rows) == 0,
      let path = Self.name(of: secondary)
    else { throw POSIXError(.EIO) }
    _ = fcntl(primary, F_SETFD, FD_CLOEXEC)
    self.primary = primary
    defer { close(secondary) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session leader opens becomes the controlling terminal.
    for descriptor in Int32(0)...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, path, O_RDWR, 0)
    }
    _ = kettle_spawn_close_from(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(
      &attributes, kettle_spawn_setsid_flag() | Int16(POSIX_SPAWN_SETSIGMASK))
    var environment = ["LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "PS1": "ready> "]
    environment["TERM"] = term
    environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
    environment.merge(variables) { $1 }
    let arguments = words.map { strdup($0) } + [nil]
    let assignments = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + assignments { free(text) } }
    var processID: pid_t = 0
    let problem = posix_spawn(
      &processID, words[0], &actions, &attributes, arguments, assignments)
    guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO) }
    self.processID = processID
  }

  /// ttyname(3) uses one buffer for all names, but tests open terminals concurrently.
  private static func name(of terminal: Int32) -> String? {
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard ttyname_r(terminal, &name, name.count) == 0 else { return nil }
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  }

  deinit {
    if primary >= 0 { close(primary) }
    guard !hasEnded else { return }
    kill(processID, SIGKILL)
    var status: Int32 = 0
    waitpid(processID, &status, 0)
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(primary, bytes, bytes.count)
  }

  func resize(columns: Int32, rows: Int32) {
    _ = kettle_resize_terminal(primary, columns, rows)
  }

  func signal(_ number: Int32) { kill(processID, number) }

  /// Hangs up the terminal.
  func hangUp() {
    close(primary)
    primary = -1
  }

  func forget() { bytes = [] }

  /// Reads until the output satisfies the condition.
  @discardableResult
  func wait(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    until isWanted: (String) -> Bool
  ) -> Bool {
    let deadline = ContinuousClock.now + .seconds(30)
    while !isWanted(text) {
      guard ContinuousClock.now < deadline, readMore() else {
        Issue.record(
          "It never came to this: \(what). Sent was \(text.debugDescription)",
          sourceLocation: sourceLocation)
        return false
      }
    }
    return true
  }

  @discardableResult
  func wait(for part: String, sourceLocation: SourceLocation = #_sourceLocation) -> Bool {
    wait("\"\(part)\" is sent", sourceLocation: sourceLocation) { $0.contains(part) }
  }

  /// Reads all output and returns the exit code, or 128 plus the signal.
  func end(sourceLocation: SourceLocation = #_sourceLocation) -> Int32 {
    let deadline = ContinuousClock.now + .seconds(30)
    var status: Int32 = 0
    while waitpid(processID, &status, WNOHANG) == 0 {
      guard ContinuousClock.now < deadline else {
        Issue.record("It does not end", sourceLocation: sourceLocation)
        return -1
      }
      _ = readMore()
    }
    hasEnded = true
    while readMore() {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// Returns false if no more output can arrive.
  private func readMore() -> Bool {
    var descriptor = pollfd(fd: primary, events: Int16(POLLIN), revents: 0)
    let isRunning = !hasEnded
    guard poll(&descriptor, 1, isRunning ? 100 : 0) > 0 else { return isRunning }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(primary, &buffer, buffer.count)
    if count > 0 { bytes += buffer.prefix(count) }
    return count > 0
  }
}
