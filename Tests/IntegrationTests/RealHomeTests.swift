import Foundation
import Glibc
import KettleModel
import Testing
import TestSupport

/// Which service a command uses: that of its own home, wherever its socket is.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealHomeTests {
  private let home: KettleHome

  init() throws { home = try KettleHome() }

  private func inHome(_ path: String, _ words: String...) async throws -> KettleHome.Outcome {
    try await home.run("/usr/bin/env", ["HOME=" + path, KettleHome.program] + words)
  }

  // Fault 176
  @Test func `two homes with one runtime directory have two services`() async throws {
    let other = home.path + "/other"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try await home.kettle("add", "--paused", "https://example.org/first.bin")
    #expect(try await inHome(other, "list").output == "")
    #expect(
      try await inHome(other, "add", "--paused", "https://example.org/second.bin").code == 0)
    #expect(try await home.rows().count == 1)
    let first = try await home.servicePID()
    #expect(try await inHome(other, "daemon", "stop").code == 0)
    #expect(try await inHome(other, "daemon", "stop").code == 0)
    #expect(try await home.servicePID() == first)
    // The second one may come first.
    #expect(try await home.kettle("daemon", "stop").code == 0)
    #expect(try await inHome(other, "list").output.contains("second.bin"))
    #expect(try await home.kettle("list").output.contains("first.bin"))
    #expect(try await inHome(other, "daemon", "stop").code == 0)
  }

  // Fault 176
  @Test(arguments: [true, false])
  func `a copied home does not control the service of the original`(
    sharesRuntimeDirectory: Bool
  ) async throws {
    try await home.kettle("add", "--paused", "https://example.org/a.bin")
    let copy = home.path + "-copy"
    #expect(try await home.run("/bin/cp", "-a", home.path, copy).code == 0)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let runtime = sharesRuntimeDirectory ? home.path + "/run" : copy + "/nowhere"
    func inCopy(_ words: String...) async throws -> KettleHome.Outcome {
      try await home.run(
        "/usr/bin/env",
        ["HOME=" + copy, "XDG_RUNTIME_DIR=" + runtime, KettleHome.program] + words)
    }
    let original = try await home.servicePID()
    #expect(try await inCopy("remove", "1").code == 0)
    #expect(try await inCopy("daemon", "stop").code == 0)
    #expect(try await home.servicePID() == original)
    #expect(try await home.rows().count == 1)
  }

  // Fault 177
  @Test func `a runtime directory that was replaced is used at once`() async throws {
    try await home.kettle("add", "--paused", "https://example.org/a.bin")
    let service = try await home.servicePID()
    // Neither the socket nor its directory is removed, so the service is told nothing.
    try #require(rename(home.path + "/run", home.path + "/old") == 0)
    try FileManager.default.createDirectory(
      atPath: home.path + "/run", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    // The service looks by itself each minute, and the command gives up after half a minute.
    #expect(try await home.kettle("list").output.contains("a.bin"))
    #expect(try await home.servicePID() == service)
  }

  // Fault 182
  @Test(.enabled(if: geteuid() == 0, "only root can act for another user"))
  func `root creates nothing in the home of another user`() async throws {
    try #require(chown(home.path, 54_321, 54_321) == 0)
    let outcome = try await home.kettle("add", "--paused", "https://example.org/a.bin")
    #expect(outcome.code == 3)
    #expect(outcome.errors.contains("belongs to user 54321"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: home.path + "/.local"))
  }

  // Fault 182
  @Test(
    .enabled(if: geteuid() == 0, "only root can act for another user"),
    arguments: [
      ["config", "set", "limits.rate", "1M"], ["config", "set", "--default", "limits.rate"],
      ["rpc", "enable"], ["rpc", "disable"], ["browser", "install"],
    ])
  func `root changes nothing in the home of another user`(words: [String]) async throws {
    let configuration = home.path + "/.config/kettle/config.toml"
    try FileManager.default.createDirectory(
      atPath: home.path + "/.config/kettle", withIntermediateDirectories: true)
    try "[limits]\nrate = \"2M\"\n".write(
      toFile: configuration, atomically: false, encoding: .utf8)
    for path in ["", "/.config", "/.config/kettle", "/.config/kettle/config.toml"] {
      try #require(chown(home.path + path, 54_321, 54_321) == 0)
    }
    let outcome = try await home.run(KettleHome.program, words)
    #expect(outcome.code == 3)
    #expect(outcome.errors.contains("belongs to user 54321"), "\(outcome.errors)")
    var status = stat()
    #expect(stat(configuration, &status) == 0 && status.st_uid == 54_321)
    #expect(
      try String(contentsOfFile: configuration, encoding: .utf8) == "[limits]\nrate = \"2M\"\n")
    #expect(!FileManager.default.fileExists(atPath: home.path + "/.local"))
  }

  // Fault 182
  @Test func `a user without a home is told so`() async throws {
    let outcome = try await home.run(
      "/usr/bin/env", ["HOME=/proc/nowhere", "XDG_RUNTIME_DIR=", KettleHome.program, "list"])
    #expect(outcome.code == 3)
    #expect(
      outcome.errors.contains("cannot be created") && outcome.errors.contains("set HOME"),
      "\(outcome.errors)")
  }

  // Fault 181
  @Test func `changes of the configuration at the same time lose nothing`() async throws {
    let keys = [
      "limits.rate", "limits.transfers", "limits.connections-per-host", "limits.connections",
      "downloads.directory", "downloads.on-conflict", "downloads.remote-time", "downloads.decode",
    ]
    let values = ["1M", "3", "4", "50", home.path, "skip", "true", "true"]
    let words = zip(keys, values).map { "\"$0\" config set \($0) \($1) & " }.joined()
    _ = try await home.run("/bin/sh", ["-c", words + "wait", KettleHome.program])
    let path = home.path + "/.config/kettle/config.toml"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let accepted = keys.filter { text.contains($0.split(separator: ".")[1] + " =") }
    #expect(accepted == keys, "\(text)")
  }

  // Fault 180
  @Test(.enabled(if: geteuid() == 0, "only root can make a process namespace"))
  func `the first process of a container leaves no zombies`() async throws {
    let hook = home.path + "/hook"
    try ShellProgram.write("(sleep 0.1 &)\n(sleep 0.1 &)\nexit 0\n", to: hook)
    let origin = try ScriptedOrigin()
    origin.serve(OriginBehavior(SeededBody(seed: 1, byteCount: 1000)), at: "/a.bin")
    let service = try Running(
      "/usr/bin/env",
      ["unshare", "-p", "-f", "-m", "--mount-proc", "--kill-child", KettleHome.program]
        + ["daemon", "run"], home.environment, output: home.path + "/said")
    while try await home.kettle("daemon", "status").code != 0 {}
    for number in 0..<3 {
      let url = try origin.url("/a.bin?\(number)").text
      origin.serve(OriginBehavior(SeededBody(seed: 1, byteCount: 1000)), at: "/a.bin?\(number)")
      #expect(try await home.kettle("get", "-q", "--again", "--then", hook, url).code == 0)
    }
    let zombies = try await home.run(
      "/bin/sh",
      [
        "-c",
        "n=0; while test $n -lt 200 && ps -eo stat=,comm= | grep -q '^Z.*sleep'; do n=$((n+1)); done; echo $n",
      ])
    #expect(zombies.output != "200\n")
    // unshare(1) blocks SIGTERM.
    #expect(try await home.kettle("daemon", "stop").code == 0)
    _ = await service.end()
  }
}
