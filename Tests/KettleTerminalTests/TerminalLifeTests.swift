import Foundation
import Testing

/// How the terminal is claimed and restored, however the dashboard ends.
@Suite(.serialized) struct TerminalLifeTests {
  private let stage = TerminalProgram.stage

  private func started(
    _ scene: String = "rows", _ variables: [String: String] = [:]
  ) throws -> TerminalProgram {
    let program = try TerminalProgram([stage, scene], variables: variables)
    program.wait(for: "file-1.iso")
    return program
  }

  /// Expects all terminal modes to be reset.
  private func expectGivenBack(
    _ program: TerminalProgram, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let sent = SentBytes(program.bytes)
    for mode in ["?1049", "?1000", "?1006", "?2004"] {
      #expect(program.text.contains("\u{1B}[\(mode)h"), sourceLocation: sourceLocation)
      #expect(!sent.modes.contains(mode), "\(mode)", sourceLocation: sourceLocation)
    }
    #expect(program.text.contains("\u{1B}[?25h"), sourceLocation: sourceLocation)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT])
  func `a signal ends the dashboard and restores the terminal`(number: Int32) throws {
    let program = try started()
    program.signal(number)
    #expect(program.end() == 128 + number)
    expectGivenBack(program)
  }

  @Test func `leaving restores the terminal`() throws {
    let program = try started()
    program.type("q")
    #expect(program.end() == 0)
    expectGivenBack(program)
  }

  @Test func `a terminal that the system does not know is described by the program`() throws {
    let files = FileManager.default
    let fallback = files.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? files.removeItem(atPath: fallback) }
    let odd = fallback + "/terminfo/k"
    try files.createDirectory(atPath: odd, withIntermediateDirectories: true)
    let words = [stage, "fallback", fallback]
    #expect(try TerminalProgram(words, term: "kettle-odd").end() == 3)
    let known = ["/lib/terminfo", "/usr/share/terminfo"].map { $0 + "/x/xterm-256color" }
      .first { files.fileExists(atPath: $0) }
    try files.copyItem(atPath: #require(known), toPath: odd + "/kettle-odd")
    #expect(try TerminalProgram(words, term: "kettle-odd").end() == 0)
  }

  // Fault 192
  @Test(arguments: [
    "\u{1B}]11;rgb:1e1e/1e1e/2e2e\u{1B}\\\u{1B}[?62;22c", "\u{1B}[?1;2c", "\u{1B}[I",
  ])
  func `a late reply of the terminal is no key`(reply: String) throws {
    let program = try started()
    program.type(reply)
    program.type("?")
    program.wait("the help") { $0.contains("Keys") }
    #expect(!program.text.contains("does nothing here"))
    program.type("\u{3}\u{3}")
    #expect(program.end() == 0)
  }

  // Fault 192
  @Test func `leaving waits for a reply that is on its way`() throws {
    let shell = """
      "$0" rows; stty -icanon -echo min 0 time 0
      echo "left: $(dd bs=999 count=1 2>/dev/null | od -An -c)."
      """
    let program = try TerminalProgram(["/bin/sh", "-c", shell, stage])
    program.wait("the question") { $0.contains("]11;?") }
    program.type("q")
    program.type("\u{1B}]11;rgb:1e1e/1e1e/2e2e\u{1B}\\")
    program.type("\u{1B}[?62;22c")
    #expect(program.end() == 0)
    #expect(program.text.contains("left: ."), "\(program.text.suffix(200))")
  }

  @Test func `a crash restores the terminal`() throws {
    // Swift's own crash report asks questions if there is a terminal.
    let program = try TerminalProgram(
      [stage, "crash"], variables: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(program.end() == 128 + SIGABRT)
    for mode in ["?1049", "?1000", "?1006", "?2004"] {
      #expect(!SentBytes(program.bytes).modes.contains(mode), "\(mode)")
    }
  }

  @Test func `a lost terminal ends the dashboard`() throws {
    let program = try started()
    program.hangUp()
    #expect(program.end() == 128 + SIGHUP)
  }

  @Test func `without a mouse no mouse events are requested`() throws {
    let program = try started("no-mouse")
    program.type("q")
    #expect(program.end() == 0)
    #expect(!program.text.contains("\u{1B}[?1000"))
  }

  @Test func `Esc is immediate, and the wheel and a paste are not read as letters`() throws {
    let program = try started()
    program.type("?")
    program.wait("the help") { $0.contains("Keys") }
    program.forget()
    program.type("\u{1B}")
    program.wait(for: "file-1.iso")
    // If these were read as keys, they would be commands, including the one to leave.
    program.type("\u{1B}[<65;10;5M\u{1B}[<65;10;5m\u{1B}[?62;22c\u{1B}]11;rgb:0/0/0\u{1B}\\")
    program.type("\u{1B}[200~https://example.org/quick\u{1B}[201~")
    program.wait(for: "quick")
    program.type("\u{3}\u{3}")
    #expect(program.end() == 0)
  }

  @Test func `the background selects the theme, and the terminal's reply is not read as keys`()
    throws
  {
    let dark = try started("rows", ["COLORFGBG": "15;0"])
    dark.type("q")
    #expect(dark.end() == 0)
    #expect(!dark.text.contains("\u{1B}]11;?"))
    let program = try TerminalProgram([stage, "rows"])
    program.wait(for: "\u{1B}[c")
    program.type("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?62;22c")
    program.wait(for: "file-1.iso")
    program.type("q")
    #expect(program.end() == 0)
    // The light theme's color of a running bar, mapped to the nearest of the 256.
    #expect(program.text.contains("38;5;25m"))
    #expect(!dark.text.contains("38;5;25m"))
  }

  @Test func `a shell can suspend and resume the dashboard, and works after killing it`() throws {
    let shell = try TerminalProgram(["/bin/bash", "--norc", "--noprofile", "-i"])
    shell.wait(for: "ready> ")
    shell.type("\(stage) rows\n")
    shell.wait(for: "file-1.iso")
    shell.forget()
    shell.type("\u{1A}")
    shell.wait(for: "ready> ")
    let modes = SentBytes(shell.bytes).modes
    #expect(!modes.contains("?1000") && !modes.contains("?1049"))
    shell.type("echo $((40 + 2))-stopped\n")
    // Also waits for the prompt, so that the next prompt means that it has stopped again.
    shell.waitForPrompt(behind: "42-stopped")
    shell.forget()
    shell.type("fg\n")
    shell.wait(for: "file-2.iso")
    shell.wait(for: "\u{1B}[?1000h")
    shell.type("\u{1A}")
    shell.wait(for: "ready> ")
    shell.forget()
    shell.type("kill -9 %1; wait %1; stty -a | grep -o ' icanon\\| echo ' | tr -d '\\n'\n")
    // Input during the end of a command may be lost when the shell reclaims the terminal.
    shell.waitForPrompt(behind: " icanon echo")
    shell.type("exit\n")
    _ = shell.end()
  }
}

extension TerminalProgram {
  fileprivate func waitForPrompt(behind part: String) {
    wait("the prompt behind \"\(part)\"") { text in
      text.firstRange(of: part).map { text[$0.upperBound...].contains("ready> ") } ?? false
    }
  }
}
