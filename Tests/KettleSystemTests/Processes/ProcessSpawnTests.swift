import Foundation
import Glibc
import Testing

@testable import KettleSystem

/// Spawned programs as seen from inside: a shell that prints what it received.
@Suite(.timeLimit(.minutes(5)))
struct ProcessSpawnTests {
  private struct NoDescriptor: Error {}

  /// Returns the output and the status of a script.
  private func run(
    _ script: String, _ change: (inout ProcessSpawn) -> Void = { _ in }
  ) throws -> (said: String, status: ProcessStatus?) {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    let log = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer {
      close(log)
      unlink(path)
    }
    try #require(log >= 0)
    guard let opened = OwnedDescriptor(opened: dup(log)),
      let copy = ProcessSpawn.highDescriptor(opened)
    else { throw NoDescriptor() }
    var spawn = ProcessSpawn(
      executablePath: "/bin/sh", arguments: ["sh", "-c", script], log: copy.number)
    change(&spawn)
    let processID = try spawn.run().get()
    let status = ProcessStatus.ofEnded(processID)
    let said = try String(contentsOfFile: path, encoding: .utf8)
    return (said, status)
  }

  @Test func `a spawned program receives its directory, environment and arguments`() throws {
    let (said, _) = try run("pwd; printf '%s\\n' \"$WORD\" \"$HOME\"") { spawn in
      spawn.directory = "/usr"
      spawn.environment = ["WORD": "a b", "PATH": "/usr/bin:/bin"]
    }
    #expect(said == "/usr\na b\n\n")
  }

  @Test func `a program reads its input from the descriptor that it is given`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try "one\ntwo\n".write(toFile: path, atomically: true, encoding: .utf8)
    defer { unlink(path) }
    guard let opened = OwnedDescriptor(opened: open(path, O_RDONLY | O_CLOEXEC)),
      let input = ProcessSpawn.highDescriptor(opened)
    else { throw NoDescriptor() }
    let (said, _) = try run("cat") { $0.input = input.number }
    #expect(said == "one\ntwo\n")
    #expect(try run("cat").said == "")
  }

  @Test(arguments: ["/dev/null", "/no/such/device"])
  func `a program without an input reads an end, also where no device is`(device: String) throws {
    guard let input = ProcessSpawn.emptyInput(device: device) else { throw NoDescriptor() }
    #expect(input.number > ProcessSpawn.readyDescriptor)
    let (said, status) = try run("cat; echo ended") { $0.input = input.number }
    #expect(said == "ended\n")
    #expect(status?.rawValue == 0)
  }

  // Fault 180
  @Test func `a program has the limits that this process was started with`() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 200, rlim_max: 4096)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      DescriptorLimit.raise()
      DescriptorLimit.raise()
      guard DescriptorLimit.current == 4096 else { exit(1) }
      guard let log = OwnedDescriptor(opened: open("/dev/null", O_WRONLY | O_CLOEXEC)),
        let high = ProcessSpawn.highDescriptor(log)
      else { exit(2) }
      let spawn = ProcessSpawn(
        executablePath: "/bin/sh",
        arguments: ["sh", "-c", "test $(ulimit -Sn) = 200 && test $(ulimit -Hn) = 4096"],
        log: high.number)
      guard let processID = try? spawn.run().get(),
        ProcessStatus.ofEnded(processID)?.exitCode == 0
      else { exit(3) }
      exit(DescriptorLimit.current == 4096 ? 0 : 4)
    }
  }

  @Test func `a program inherits only its three standard descriptors`() throws {
    // Without the close-on-exec flag, as a parent process may have left it open.
    let stray = dup(STDIN_FILENO)
    defer { close(stray) }
    try #require(stray > 2)
    let (said, _) = try run(
      "for fd in 0 1 2 3 4 \(stray); do test -e /proc/$$/fd/$fd && printf '%s ' $fd; done")
    #expect(said == "0 1 2 ")
  }

  @Test func `a spawned program has no blocked signals`() throws {
    var mask = sigset_t()
    var before = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &mask, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let (said, _) = try run("exec grep '^SigBlk:' /proc/self/status")
    #expect(said == "SigBlk:\t0000000000000000\n")
  }

  @Test func `a program leads its own process session`() throws {
    let (said, _) = try run("cut -d ' ' -f 6 /proc/$$/stat; echo $$")
    let lines = said.split(separator: "\n")
    #expect(lines.count == 2 && lines.first == lines.last)
  }

  @Test func `the status of a program has a description`() throws {
    #expect(try run("exit 7").status?.text == "exit 7")
    #expect(try run("kill -11 $$").status?.text == "signal 11")
    #expect(try run("exit 0").status?.text == "exit 0")
  }

  @Test func `a missing program is reported with its errno`() throws {
    #expect(throws: ProcessSpawn.Failed.self) {
      try run("") { $0.executablePath = "/nowhere/program" }
    }
    #expect(throws: ProcessSpawn.Failed.self) { try run("") { $0.directory = "/nowhere" } }
  }

  @Test func `a process that is not a child has no status`() throws {
    #expect(ProcessStatus.ofEnded(getpid()) == nil)
  }
}
