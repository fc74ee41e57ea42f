import Foundation
import Glibc
import Testing
import TestSupport

/// The real program on two machines, which are two homes; a script replaces ssh.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealHostTests {
  private let there: KettleHome
  private let here: KettleHome
  private var logPath: String { there.path + "/ssh.log" }

  init() throws {
    there = try KettleHome()
    let bin = there.path + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    let script = """
      echo "$@" >> \(there.path)/ssh.log
      while [ "$1" != -- ]; do shift; done
      shift 3
      echo $$ > \(there.path)/ssh.pid
      exec env HOME=\(there.path) XDG_RUNTIME_DIR=\(there.path)/run \(KettleHome.program) "$@"
      """
    try ShellProgram.write(script, to: bin + "/ssh")
    here = try KettleHome(environment: ["PATH": bin + ":/usr/local/bin:/usr/bin:/bin"])
  }

  @Test func `commands reach the service of a remote host and start it`() async throws {
    let status = try await here.kettle("--host", "me@box", "daemon", "status")
    #expect(status.code == 3)
    #expect(status.errors.contains("No service is running on \"me@box\""))
    let added = try await here.kettle(
      "--host", "me@box", "add", "--paused", "https://example.org/a.iso")
    #expect(added.output == "1\n")
    #expect(try await here.rows().isEmpty)
    #expect(try await there.rows().count == 1)
    #expect(try await here.kettle("--host", "me@box", "daemon", "stop").code == 0)
    #expect(try await there.kettle("daemon", "status").code == 3)
  }

  @Test func `the dashboard shows a remote host and reconnects without a prompt`() async throws {
    try await there.kettle("add", "--paused", "-t", "over there", "https://example.org/a.iso")
    _ = try await here.tmux(
      "new-session", "-d", "-x", "80", "-y", "24", KettleHome.program + " --host me@box")
    _ = try await here.screen { $0.contains("over there") }
    let first = try #require(Int32(text(there.path + "/ssh.pid")))
    kill(first, SIGKILL)
    try await there.kettle("add", "--paused", "-t", "later", "https://example.org/b.iso")
    _ = try await here.screen { $0.contains("later") }
    let log = text(logPath).split(separator: "\n")
    #expect(log.first?.contains("BatchMode=no") == true)
    #expect(log.dropFirst().allSatisfy { $0.contains("BatchMode=yes") })
    _ = try await here.tmux("send-keys", "q")
  }

  // Fault 178
  @Test func `a remote service that is stopped is noticed at once, and in a conversation`()
    async throws
  {
    try await there.kettle("add", "--paused", "-t", "over there", "https://example.org/a.iso")
    let service = try await there.servicePID()
    _ = try await here.tmux(
      "new-session", "-d", "-x", "140", "-y", "10",
      "\(KettleHome.program) --host me@box wait 1; echo ended with $?; exec sh")
    // It has the state of the transfer, and waits for events.
    _ = try await here.screen { $0.contains("paused") }
    kill(service, SIGSTOP)
    defer { kill(service, SIGCONT) }
    let words = "On \"me@box\": The service (process \(service)) does not answer"
    let screen = try await here.screen { $0.contains("ended with") }
    #expect(screen.contains(words) && screen.contains("ended with 3"), "\(screen)")
    let outcome = try await here.kettle("--host", "me@box", "list")
    #expect(outcome.code == 3 && outcome.errors.contains("kettle: " + words), "\(outcome)")
  }

  private func text(_ path: String) -> String {
    ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
