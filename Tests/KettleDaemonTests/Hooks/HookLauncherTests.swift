import Foundation
import Glibc
import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleDaemon

/// What the programs of hooks really get.
@Suite(.timeLimit(.minutes(5)))
final class HookLauncherTests {
  private let home: String

  init() throws {
    home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(
      atPath: home + "/dir", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: home) }

  /// A name that a shell, a terminal or a careless parser would misread.
  private static let hostile = "a\n'b' \"c\" $(touch pwned) `d` -e \\ {id} \u{1F511}"

  private var row: TransferSnapshot {
    var row = TransferSnapshot(
      id: TransferID(rawValue: 17), session: .kettle, taskIdentifier: 1,
      title: "\u{1B}[2J\0title", url: "https://example.org/a", state: .completed,
      path: home + "/dir/" + Self.hostile, bytesReceived: 3,
      createdAt: WallTime(millisecondsSince1970: 0))
    row.error = nil
    return row
  }

  private func run(_ words: [String], _ event: HookEvent = .completed) throws -> HookRun {
    HookRun(
      id: HookRunID(rawValue: 1), event: event, transfer: TransferID(rawValue: 17),
      command: try HookCommand.make(words).get(), dueAt: WallTime(millisecondsSince1970: 0))
  }

  private var launcher: HookLauncher {
    HookLauncher(
      environment: [
        "PATH": home + "/bin:/usr/bin:/bin", "HOME": home, "KETTLE_ERROR": "of another hook",
      ], homeDirectory: home, outputDirectory: home)
  }

  /// Starts a hook and waits for its end.
  private func end(
    _ words: [String], _ occasion: HookOccasion? = nil,
    _ started: (HookProgram) -> Void = { _ in }
  ) async throws -> HookLauncher.End {
    let ended = AsyncStream<HookLauncher.End>.makeStream()
    let result = launcher.start(try run(words), occasion ?? .transfer(row)) { end in
      ended.continuation.yield(end)
      ended.continuation.finish()
    }
    started(try result.get())
    for await end in ended.stream { return end }
    throw CancellationError()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: home + "/" + name, encoding: .utf8)
  }

  @Test func `a hostile name reaches the program unharmed`() async throws {
    let script = """
      printf '%s' "$KETTLE_PATH" > ../variable; printf '%s|' "$@" > ../arguments; pwd > ../directory
      printf '%s' "$KETTLE_TITLE" > ../title; env > ../environment; cat > ../input
      """
    let end = try await end(["sh", "-c", script, "sh", "{path}", "--file={path}", "{id}"])
    #expect(end == HookLauncher.End(outcome: .exited(code: 0)))
    let path = home + "/dir/" + Self.hostile
    #expect(try text("variable") == path)
    #expect(try text("arguments") == "\(path)|--file=\(path)|17|")
    #expect(try text("title") == "\u{FFFD}[2J\u{FFFD}title")
    #expect(try text("directory").hasSuffix("/dir\n"))
    #expect(!FileManager.default.fileExists(atPath: home + "/dir/pwned"))
    let environment = try text("environment")
    #expect(environment.contains("KETTLE_EVENT=completed\n"))
    #expect(environment.contains("KETTLE_ID=17\n"))
    #expect(environment.contains("KETTLE_BYTES=3\n"))
    #expect(!environment.contains("KETTLE_ERROR="))
    let input = try JSONSerialization.jsonObject(with: Data(try text("input").utf8))
    let object = try #require(input as? [String: Any])
    #expect(object["event"] as? String == "completed")
    #expect(object["path"] as? String == path)
    #expect(object["id"] as? Int == 17)
  }

  @Test func `a program that reads nothing and prints a lot ends with its last lines`() async throws
  {
    let script = "for i in $(seq 1 20000); do echo line $i; done; echo last >&2; exit 3"
    let end = try await end(["sh", "-c", script])
    #expect(end.outcome == .exited(code: 3))
    #expect(end.lines.count <= 20 && end.lines.last == "last")
    #expect(end.lines.dropLast().last == "line 20000")
    // The output has no name.
    #expect(try FileManager.default.contentsOfDirectory(atPath: home) == ["dir"])
  }

  @Test func `a signal reaches the program and what it has started`() async throws {
    let inner = try InnerProgram(home + "/inner")
    let script = "sh -c 'echo begun; exec sleep 1000' > \(inner.path) & wait; sleep 1000"
    let end = try await end(["sh", "-c", script]) { program in
      inner.begun { program.signal(SIGKILL) }
    }
    #expect(end.outcome == .killed(signal: Int(SIGKILL)))
    await inner.end()
  }

  @Test func `what ignores a signal ends with the program that was sent it`() async throws {
    let inner = try InnerProgram(home + "/inner")
    let script = "sh -c 'trap \"\" TERM; echo begun; exec sleep 1000' > \(inner.path) & wait"
    let end = try await end(["sh", "-c", script]) { program in
      inner.begun { program.signal(SIGTERM) }
    }
    #expect(end.outcome == .killed(signal: Int(SIGTERM)))
    await inner.end()
  }

  @Test func `without a thread that waits for it, a program is not started`() throws {
    var launcher = launcher
    launcher.detach = { _ throws(SystemError) in throw SystemError(EAGAIN) }
    let result = launcher.start(try run(["sleep", "1000"]), .transfer(row)) { _ in }
    guard case .failure(let failure) = result else {
      Issue.record("It was started")
      return
    }
    #expect(failure.errno == "EAGAIN")
  }

  @Test func `a program that is missing or may not be executed is not started`() throws {
    func failure(_ words: [String]) throws -> String? {
      switch launcher.start(try run(words), .transfer(row), ended: { _ in }) {
      case .success: nil
      case .failure(let failure): failure.errno
      }
    }
    #expect(try failure(["no-such-program"]) == "ENOENT")
    #expect(try failure([home + "/no-such-program"]) == "ENOENT")
    #expect(try failure([home + "/dir"]) == "EACCES")
    #expect(try failure(["~/dir"]) == "EACCES")
  }

  @Test func `programs are found in the home directory and by name`() async throws {
    try FileManager.default.createDirectory(
      atPath: home + "/bin", withIntermediateDirectories: true)
    try ShellProgram.write("echo \"$KETTLE_EVENT $KETTLE_FAILED\"", to: home + "/bin/mine")
    let tally = HookOccasion.allDone(HookTally(completed: 1, failed: 2))
    #expect(try await end(["mine"], tally).lines == ["completed 2"])
    #expect(try await end(["~/bin/mine"], tally).lines == ["completed 2"])
  }

  @Test func `the document of the end of all has the counts`() throws {
    let tally = HookOccasion.allDone(HookTally(completed: 1, failed: 2, needsUser: 3))
    #expect(
      HookValues(try run(["a"], .allDone), tally).document
        == "{\"event\": \"all-done\", \"completed\": 1, \"failed\": 2, \"needsUser\": 3}\n")
  }
}

/// A program that the program of a hook starts. Its output is a named pipe, which ends when the
/// program does.
private final class InnerProgram: Sendable {
  let path: String
  private let ended: AsyncStream<Void>
  private let ending: AsyncStream<Void>.Continuation

  init(_ path: String) throws {
    self.path = path
    (ended, ending) = AsyncStream.makeStream()
    guard mkfifo(path, 0o600) == 0 else { throw SystemError(errno) }
  }

  /// Calls a function on another thread when the program has printed something.
  func begun(_ body: @escaping @Sendable () -> Void) {
    SystemThread.detach { [path, ending] in
      let file = open(path, O_RDONLY | O_CLOEXEC)
      var byte: UInt8 = 0
      if read(file, &byte, 1) == 1 { body() }
      while read(file, &byte, 1) == 1 {}
      close(file)
      ending.finish()
    }
  }

  /// Waits until the program has ended.
  func end() async { for await _ in ended {} }
}
