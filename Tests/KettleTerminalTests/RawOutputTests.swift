import Foundation
import Testing

/// The bytes that are sent to a terminal.
@Suite(.serialized) struct RawOutputTests {
  private let stage = TerminalProgram.stage

  /// Visits every screen of the dashboard and leaves.
  private func tour(_ program: TerminalProgram) {
    program.wait(for: "Said of")
    program.type("j")
    program.type("\r")
    program.wait { $0.contains("Details") }
    program.type("\u{1B}[F")
    program.type("q")
    program.type("?")
    program.wait { $0.contains("Keys") }
    program.type("q")
    program.type("d")
    program.type("n")
    program.type("G")
    program.type("g")
    program.type("q")
  }

  // Fault 127
  @Test func `hostile names in any field cause no foreign control sequences`() throws {
    let program = try TerminalProgram([stage, "hostile"], columns: 100, rows: 30)
    tour(program)
    #expect(program.end() == 0)
    let sent = SentBytes(program.bytes)
    #expect(sent.strange == [])
    #expect(program.text.contains("\u{FFFD}[31337mcolor"))
    // Only modes of the cursor, and those that are set by default, may remain set.
    #expect(sent.modes.isSubset(of: ["?25", "?12;25", "?7"]))
  }

  @Test func `the check itself detects foreign sequences`() {
    for text in [
      "\u{1B}[31337m", "\u{1B}]0;t\u{7}", "\u{1B}P+q\u{1B}\\", "\u{1B}[6n", "\u{9B}m", "\u{0}",
      "\u{202E}", "\u{1B}c", "\u{1B}[?1047h", "\u{1B}[5i",
    ] {
      #expect(!SentBytes(Array(text.utf8)).strange.isEmpty, "\(text.debugDescription)")
    }
    #expect(!SentBytes([0xFF]).strange.isEmpty)
    #expect(SentBytes(Array("\u{1B}[?1000hx\u{1B}[?1000l".utf8)).modes == [])
  }

  // Fault 129
  @Test func `a storm of resizes leaves a complete screen`() throws {
    let program = try TerminalProgram([stage, "rows"])
    program.wait(for: "file-1.iso")
    let sizes: [(Int32, Int32)] = [
      (1, 1), (200, 60), (2, 50), (300, 2), (36, 8), (35, 7), (1, 100), (40, 10), (132, 43),
    ]
    for round in 0..<20 {
      let size = sizes[round % sizes.count]
      program.resize(columns: size.0, rows: size.1)
      program.type("j")
    }
    program.forget()
    program.resize(columns: 100, rows: 120)
    // Wait for the last line, because keys have no effect while the screen is too small.
    program.wait { $0.contains("\u{1B}[120") }
    program.type("?")
    program.wait { $0.contains("Keys") }
    program.type("q")
    program.type("q")
    #expect(program.end() == 0)
    #expect(SentBytes(program.bytes).strange == [])
  }

  @Test(arguments: ["vt100", "xterm", "screen", "linux", "tmux-256color"])
  func `each terminal gets the sequences of its own terminfo entry`(term: String) throws {
    let program = try TerminalProgram([stage, "rows"], term: term)
    program.wait(for: "file-1.iso")
    program.type("q")
    #expect(program.end() == 0)
    let text = program.text
    let hasMouse = term != "vt100"
    #expect(text.contains("\u{1B}[?1000h") == hasMouse)
    #expect(text.contains("\u{1B}[?1000l") == hasMouse)
    #expect(text.contains("\u{1B}]11;?") == (term == "xterm" || term == "tmux-256color"))
    #expect(!text.contains("\u{1B}]9;"))
    if term == "vt100" { #expect(!text.contains("\u{1B}[38") && !text.contains("[31m")) }
  }

  @Test(
    arguments: [
      ("dumb", "cannot position its cursor"), ("no-such-terminal", "Unknown terminal"),
      (nil, "TERM is not set"),
    ] as [(String?, String)])
  func `a terminal that cannot draw is reported`(term: String?, reason: String) throws {
    let program = try TerminalProgram([stage, "rows"], term: term)
    #expect(program.end() == 3)
    #expect(program.text.contains(reason))
    #expect(!program.text.contains("\u{1B}[?2004h"))
  }

  @Test func `without UTF-8, or on request, everything is ASCII`() throws {
    for (scene, variables) in [("rows", ["LANG": "C"]), ("ascii", [:])] {
      let program = try TerminalProgram([stage, scene], variables: variables)
      program.wait(for: "file-1.iso")
      program.type("?")
      program.wait { $0.contains("Keys") }
      program.type("q")
      program.type("q")
      #expect(program.end() == 0)
      #expect(program.bytes.allSatisfy { $0 < 128 })
    }
  }

  @Test func `NO_COLOR sends and queries no colors`() throws {
    let program = try TerminalProgram([stage, "rows"], variables: ["NO_COLOR": "1"])
    program.wait(for: "file-1.iso")
    program.type("q")
    #expect(program.end() == 0)
    #expect(!program.text.contains("38;5"))
    #expect(!program.text.contains("48;5"))
    #expect(!program.text.contains("]11;?"))
  }

  @Test func `progress and announcements go only to terminals that support them`() throws {
    let program = try TerminalProgram(
      [stage, "outside"], variables: ["TERM_PROGRAM": "ghostty"])
    #expect(program.end() == 0)
    #expect(
      program.text.contains(
        "\u{1B}]52;c;aHR0cHM6Ly9leGFtcGxlLm9yZy9hCmh0dHBzOi8vZXhhbXBsZS5vcmcvYg==\u{7}"))
    #expect(program.text.contains("\u{1B}]9;4;1;42\u{1B}\\"))
    #expect(program.text.contains("\u{1B}]9;Kettle: All transfers are done\u{1B}\\"))
    #expect(program.text.contains("\u{1B}]9;4;0\u{1B}\\"))
  }

  @Test func `other terminals get only clipboard sequences`() throws {
    let program = try TerminalProgram([stage, "outside"])
    #expect(program.end() == 0)
    #expect(program.text.contains("\u{1B}]52;c;"))
    #expect(!program.text.contains("\u{1B}]9;"))
  }
}

extension TerminalProgram {
  fileprivate func wait(_ isWanted: (String) -> Bool) {
    wait("a screen that was asked for", until: isWanted)
  }
}
