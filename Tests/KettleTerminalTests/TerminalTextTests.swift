import KettleDashboard
import KettleModel
import Testing

@testable import KettleTerminal

struct TerminalTextTests {
  @Test func `a copy reaches the terminal directly and through multiplexers`() {
    #expect(TerminalText.copy("foo", through: nil) == "\u{1B}]52;c;Zm9v\u{7}")
    #expect(
      TerminalText.copy("foo", through: .tmux)
        == "\u{1B}]52;c;Zm9v\u{7}\u{1B}Ptmux;\u{1B}\u{1B}]52;c;Zm9v\u{7}\u{1B}\\")
    #expect(
      TerminalText.copy("foo", through: .screen) == "\u{1B}P\u{1B}]52;c;Zm9v\u{7}\u{1B}\\")
  }

  @Test func `screen gets long copies in pieces of a size that it accepts`() {
    let text = TerminalText.copy(String(repeating: "x", count: 3000), through: .screen)
    let pieces = text.components(between: "\u{1B}P", and: "\u{1B}\\")
    #expect(pieces.count == 9)
    #expect(pieces.allSatisfy { $0.utf8.count <= 768 })
    #expect(
      pieces.joined()
        == TerminalText.copy(String(repeating: "x", count: 3000), through: nil))
  }

  @Test func `the largest copy is below the limit of terminals`() {
    let text = String(repeating: "x", count: TerminalText.copyByteCountMax)
    #expect(TerminalText.copy(text, through: nil).utf8.count < 100_000)
  }

  @Test func `text cannot break out of an announcement`() {
    let text = "4;1;50\u{1B}\\\u{7}\u{9C}; rm\u{202E}"
    let nine = TerminalText.announcement(text, as: .nine)
    #expect(nine.hasPrefix("\u{1B}]9;Kettle: 4;1;50"))
    #expect(nine.hasSuffix("\u{1B}\\"))
    #expect(nine.unicodeScalars.count { $0 == "\u{1B}" } == 2)
    #expect(nine.dropLast(2).dropFirst(1).unicodeScalars.allSatisfy { !$0.isControl })
    let other = TerminalText.announcement(text, as: .sevenSevenSeven)
    #expect(other.hasPrefix("\u{1B}]777;notify;Kettle;4,1,50"))
    #expect(other.unicodeScalars.count { $0 == ";" } == 3)
  }
}

extension String {
  fileprivate func components(between start: String, and end: String) -> [String] {
    split(separator: start).map { piece in
      String(piece.hasSuffix(end) ? piece.dropLast(end.count) : piece)
    }
  }
}

struct TerminalKindTests {
  private func kind(_ environment: [String: String]) -> TerminalKind {
    TerminalKind { environment[$0] }
  }

  @Test(
    arguments: [
      ["TERM": "xterm-ghostty"], ["TERM": "xterm-256color", "WT_SESSION": "1"],
      ["TERM": "xterm-256color", "ConEmuANSI": "ON"],
      ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"],
      ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.10.0b"],
      [
        "TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm",
        "TERM_PROGRAM_VERSION": "20250612-0000-abc",
      ],
      ["TERM": "xterm-256color", "VTE_VERSION": "8203"],
    ])
  func `terminals that show progress are recognized`(environment: [String: String]) {
    #expect(kind(environment).showsProgress)
  }

  @Test(
    arguments: [
      [:], ["TERM": "xterm-256color"], ["TERM": "vt100", "WT_SESSION": "1"],
      ["TERM": "tmux-256color", "TERM_PROGRAM": "ghostty"],
      ["TERM": "xterm-ghostty", "TMUX": "/tmp/x,1,0"], ["TERM": "xterm-ghostty", "STY": "1.x"],
      ["TERM": "screen-256color", "WT_SESSION": "1"], ["TERM": "linux"],
      ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.5"],
      ["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm", "TERM_PROGRAM_VERSION": "20240203"],
      ["TERM": "xterm-256color", "VTE_VERSION": "7802"], ["TERM": "xterm-kitty"],
      ["TERM": "dumb", "TERM_PROGRAM": "ghostty"],
    ])
  func `other terminals get no progress`(environment: [String: String]) {
    #expect(!kind(environment).showsProgress)
  }

  @Test func `announcements go to terminals that show them`() {
    #expect(kind(["TERM": "xterm-kitty"]).announcement == .nine)
    #expect(kind(["TERM": "foot"]).announcement == .sevenSevenSeven)
    #expect(kind(["TERM": "xterm-256color"]).announcement == nil)
    #expect(kind(["TERM": "xterm-256color", "WT_SESSION": "1"]).announcement == nil)
    #expect(kind(["TERM": "foot", "TMUX": "x"]).announcement == nil)
  }

  @Test func `multiplexer, clipboard and color query support are detected`() {
    #expect(kind(["TERM": "tmux-256color"]).multiplexer == .tmux)
    #expect(kind(["TERM": "screen-256color", "TMUX": "x"]).multiplexer == .tmux)
    #expect(kind(["TERM": "screen"]).multiplexer == .screen)
    #expect(!kind(["TERM": "vt100"]).canCopy)
    #expect(!kind(["TERM": "linux"]).canCopy)
    #expect(kind(["TERM": "xterm"]).canCopy)
    #expect(kind(["TERM": "xterm-256color"]).repliesToColorQueries)
    #expect(!kind(["TERM": "screen"]).repliesToColorQueries)
    #expect(!kind(["TERM": "vt100"]).repliesToColorQueries)
  }

  @Test func `the kernel's console shows few symbols`() {
    #expect(kind(["TERM": "linux"]).charset(inLocaleOf: .utf8) == .console)
    #expect(kind(["TERM": "linux-16color"]).charset(inLocaleOf: .utf8) == .console)
    #expect(kind(["TERM": "linux"]).charset(inLocaleOf: .ascii) == .ascii)
    #expect(kind(["TERM": "xterm"]).charset(inLocaleOf: .utf8) == .utf8)
  }
}
