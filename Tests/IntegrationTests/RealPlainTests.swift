import Foundation
import Testing

/// The exact output of the real program where it does not draw.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealPlainTests {
  private let home: KettleHome

  init() async throws {
    home = try KettleHome()
    try await home.kettle("add", "--paused", "-t", "Größe.iso", "https://example.org/a")
  }

  private let table = """
        ID  STATE            %              SIZE         SPEED     LEFT  FILE
         1  paused                                                       Größe.iso
    00:00:00     1  Größe.iso: removed

    """

  /// Replaces each time of day by midnight and removes trailing blanks.
  private func masked(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let shown = line.replacing(/^\d\d:\d\d:\d\d/, with: "00:00:00")
      return String(shown.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }

  /// The screen of a terminal with 90 columns after one transfer was shown and then removed.
  private func shown(_ command: String) async throws -> String {
    _ = try await home.tmux("new-session", "-d", "-x", "90", "-y", "10", command)
    _ = try await home.screen { $0.contains("paused") }
    try await home.kettle("remove", "1")
    let screen = try await home.screen { $0.contains("removed") }
    return masked(screen).split(separator: "\n").joined(separator: "\n") + "\n"
  }

  @Test(arguments: [
    (
      "TERM=dumb",
      "kettle: The terminal \"dumb\" cannot position its cursor; set TERM, or use kettle list\n"
    ),
    (
      "-u TERM",
      "kettle: TERM is not set, so the dashboard cannot draw; set it, or use kettle list\n"
    ),
  ])
  func `a terminal that cannot draw gets the reason and plain lines`(
    environment: String, reason: String
  ) async throws {
    let screen = try await shown("env \(environment) \(KettleHome.program)")
    #expect(screen == reason + table)
  }

  @Test func `--plain prints lines on any terminal`() async throws {
    #expect(try await shown("env TERM=xterm-256color \(KettleHome.program) --plain") == table)
  }

  @Test func `without a UTF-8 locale all output is ASCII`() async throws {
    let ascii = table.replacing("ö", with: "?").replacing("ß", with: "?")
    #expect(try await shown("env LC_ALL=C \(KettleHome.program) --plain") == ascii)
  }

  @Test func `a file gets the same output byte for byte`() async throws {
    let file = home.path + "/log"
    _ = try await home.tmux(
      "new-session", "-d", "-x", "90", "-y", "10", "\(KettleHome.program) > \(file) 2>&1")
    try await wait(for: "paused", in: file)
    try await home.kettle("remove", "1")
    try await wait(for: "removed", in: file)
    #expect(masked(text(file)) == table)
    #expect(!text(file).utf8.contains { $0 < 32 && $0 != 10 })
  }

  private func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  /// Running a command of the program is the pause between two checks.
  private func wait(for words: String, in path: String) async throws {
    for _ in 0..<400 where !text(path).contains(words) { try await home.kettle("--version") }
    #expect(text(path).contains(words))
  }
}
