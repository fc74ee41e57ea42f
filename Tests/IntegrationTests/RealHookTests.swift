import Foundation
import Glibc
import KettleModel
import Testing
import TestSupport

/// The real program, the real service, and hooks that are shell scripts.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealHookTests {
  private let home: KettleHome
  private let origin: ScriptedOrigin
  private var said: String { home.path + "/said" }

  init() throws {
    home = try KettleHome()
    origin = try ScriptedOrigin()
    try FileManager.default.createDirectory(
      atPath: home.path + "/.config/kettle", withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: said, withIntermediateDirectories: true)
    origin.serve(OriginBehavior(SeededBody(seed: 1, byteCount: 3000)), at: "/a.bin")
  }

  private func configure(_ table: String) throws {
    try ("[hooks]\n" + table + "\n").write(
      toFile: home.path + "/.config/kettle/config.toml", atomically: true, encoding: .utf8)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: said + "/" + name, encoding: .utf8)
  }

  /// Waits for the word of a hook, which it writes last.
  private func word(_ word: String) async throws {
    _ = try await FileLines(said + "/done", in: said).wait(for: word)
  }

  /// Returns what `kettle why` prints once a line of it ends a hook.
  private func why(_ id: String, until wanted: String) async throws -> String {
    // The end is recorded after the last word of the program.
    while true {
      let output = try await home.kettle("why", id).output
      if output.contains(wanted) { return output }
    }
  }

  @Test func `a hook gets the transfer, and its failure is shown`() async throws {
    try ShellProgram.write(
      """
      cat > \(said)/input; env > \(said)/environment; printf '%s' "$1" > \(said)/argument
      echo something is wrong >&2; echo end >> \(said)/done; exit 3
      """, to: home.path + "/hook")
    try configure("completed = [\"~/hook\", \"{path}\"]\nfailed = [\"no-such-program\"]")
    let name = "it's \"$(touch pwned)\" `x`.bin"
    let got = try await home.kettle("get", "-o", name, origin.url("/a.bin").text)
    #expect(got.code == 0, "\(got.errors)")
    try await word("end")
    let path = home.downloads + "/" + name
    #expect(try text("argument") == path)
    let environment = try text("environment").split(separator: "\n").map(String.init)
    #expect(environment.contains("KETTLE_PATH=" + path))
    #expect(environment.contains("KETTLE_EVENT=completed"))
    #expect(environment.contains("KETTLE_URL=" + (try origin.url("/a.bin").text)))
    let input = try JSONSerialization.jsonObject(with: Data(try text("input").utf8))
    let object = try #require(input as? [String: Any])
    #expect(object["event"] as? String == "completed")
    var listed = try #require(try await home.rows().first)
    listed["event"] = "completed"
    #expect(Set(object.keys) == Set(listed.keys))
    #expect(object["path"] as? String == path)
    let ended = "Hook completed: \"hook\" exited with 3 (something is wrong), "
    #expect(try await why("1", until: "Hook completed: \"hook\" exited").contains(ended))

    origin.serve(.status(404), at: "/b")
    #expect(try await home.kettle("get", origin.url("/b").text).code == 1)
    _ = try await why("2", until: "Hook failed: \"no-such-program\" was not found, ")
    let status = try await home.kettle("daemon", "status").output
    #expect(status.contains("Notice: Hook failed: \"no-such-program\" was not found; correct"))
  }

  // Fault 114
  @Test func `a program for one transfer runs, and one that hangs is ended`() async throws {
    try configure("timeout = 1")
    try ShellProgram.write(
      "echo begun >> \(said)/done; exec sleep 1000", to: home.path + "/hang")
    let url = try origin.url("/a.bin").text
    let refused = try await home.kettle("add", url, "--then", "sh -c 'rm {path}'")
    #expect(refused.code == 2 && refused.errors.contains("$KETTLE_PATH"))
    let id = try await home.kettle("add", url, "--then", "'\(home.path)/hang' {path}").output
    try await word("begun")
    let shown = try await why(
      id.trimmingCharacters(in: .whitespacesAndNewlines), until: "Hook --then: \"hang\" was ended")
    #expect(shown.contains("because it ran longer than 1 second, "))
  }

  @Test func `a service that is killed runs no hook twice`() async throws {
    try ShellProgram.write(
      "echo $$ > \(said)/pid; echo begun >> \(said)/done; exec sleep 1000",
      to: home.path + "/hang")
    try ShellProgram.write("echo \"ran $KETTLE_ID\" >> \(said)/done", to: home.path + "/quick")
    try configure("concurrency = 1")
    let url = try origin.url("/a.bin").text
    try await home.kettle("add", url, "--then", home.path + "/hang")
    try await word("begun")
    let second = try await home.kettle("add", url, "-o", "b.bin", "--then", home.path + "/quick")
      .output.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(try await home.kettle("wait", second, "--timeout", "60").code == 0)
    kill(try await home.servicePID(), SIGKILL)
    // The next service interrupts the first and runs the second, which waited.
    let shown = try await why("1", until: "Hook --then: \"hang\" was still running")
    #expect(shown.contains("so its outcome is unknown"))
    try await word("ran \(second)")
    let lines = try text("done").split(separator: "\n")
    #expect(lines.count { $0 == "begun" } == 1)
    // The service that started it is gone, so nothing else ends it.
    let left = try #require(
      Int32(try text("pid").trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(left, SIGKILL) == 0)
  }
}
