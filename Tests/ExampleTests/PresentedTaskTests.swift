import Foundation
import KettleModel
import Testing
import TestSupport

/// A task with a title, as the person at the terminal of its program sees it.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PresentedTaskTests {
  private let home: ExampleHome
  private let origin: ScriptedOrigin
  private let url: String

  init() throws {
    home = try ExampleHome()
    origin = try ScriptedOrigin()
    let body = SeededBody(seed: 5, byteCount: 1000)
    origin.serve(OriginBehavior(body).with { $0.headWaitsFor = "seen" }, at: "/winter.mp3")
    url = try origin.url("/winter.mp3").text
  }

  /// Runs the program in a pseudo terminal (script(1)) until it has its file, and returns what the
  /// terminal received. Calls `body` while the download is under way.
  private func output(
    inTerminal variables: [String: String], while body: () async throws -> Void = {}
  ) async throws -> String {
    let path = home.path + "/terminal"
    let command = [
      BuiltProgram.path(of: "session-program"), home.log, "exit-in", "completed", url,
    ].joined(separator: " ")
    let environment = home.environment.merging(variables.merging(["TITLE": "Winter"]) { $1 }) { $1 }
    let script = try Running(
      "/usr/bin/script", ["-qefc", command, path], environment, output: "/dev/null")
    try await origin.waitForRequests()
    try await body()
    origin.release("seen")
    #expect(await script.end() == 0)
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func `the terminal shows its progress, and the list its title`() async throws {
    let output = try await output(inTerminal: ["TERM": "xterm-256color", "VTE_VERSION": "8203"]) {
      let name = home.path + "/list"
      let list = try Running(
        BuiltProgram.path(of: "kettle"), ["list", "--json"], home.environment, output: name)
      #expect(await list.end() == 0)
      let data = try Data(contentsOf: URL(filePath: name))
      let rows = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
      #expect(rows.map { $0["title"] as? String } == ["Winter"])
      #expect(rows.map { $0["subtitle"] as? String } == ["Chapter 3 of 12"])
    }
    let gauges = output.components(separatedBy: "\u{1B}]9;4;").dropFirst()
    #expect(gauges.first?.hasPrefix("3\u{1B}\\") == true, "the size is still unknown")
    #expect(gauges.last?.hasPrefix("0\u{1B}\\") == true)
  }

  @Test func `a terminal that does not show progress receives nothing`() async throws {
    let output = try await output(inTerminal: ["TERM": "xterm-256color"])
    #expect(!output.contains("\u{1B}]9"))
  }
}
