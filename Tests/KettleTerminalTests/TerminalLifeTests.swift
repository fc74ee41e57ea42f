import Foundation
import Testing

/// How the terminal is taken and given back, whatever ends the dashboard.
@Suite(.serialized) struct TerminalLifeTests {
  private let stage = TerminalProgram.stage

  private func started(
    _ scene: String = "rows", _ variables: [String: String] = [:]
  ) throws -> TerminalProgram {
    let program = try TerminalProgram([stage, scene], variables: variables)
    program.wait(for: "file-1.iso")
    return program
  }

  /// Everything that was asked of the terminal was taken back.
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
  func `a signal ends it and the terminal is restored`(number: Int32) throws {
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

  @Test func `a crash restores the terminal`() throws {
    // Swift's own report of a crash asks questions where there is a terminal.
    let program = try TerminalProgram(
      [stage, "crash"], variables: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(program.end() == 128 + SIGABRT)
    for mode in ["?1049", "?1000", "?1006", "?2004"] {
      #expect(!SentBytes(program.bytes).modes.contains(mode), "\(mode)")
    }
  }

  @Test func `a lost terminal ends it`() throws {
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

  @Test func `Esc is immediate, and the wheel and a paste are not letters`() throws {
    let program = try started()
    program.type("?")
    program.wait("the help") { $0.contains("Keys") }
    program.forget()
    program.type("\u{1B}")
    program.wait(for: "file-1.iso")
    // As keys these would be commands, the last one to leave.
    program.type("\u{1B}[<65;10;5M\u{1B}[<65;10;5m\u{1B}[?62;22c\u{1B}]11;rgb:0/0/0\u{1B}\\")
    program.type("\u{1B}[200~https://example.org/quick\u{1B}[201~")
    program.wait(for: "quick")
    program.type("\u{3}\u{3}")
    #expect(program.end() == 0)
  }

  @Test func `the background selects the colours, and its reply is not read as keys`() throws {
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
    // The light theme's colour of the bar that runs, nearest of the 256.
    #expect(program.text.contains("38;5;25m"))
    #expect(!dark.text.contains("38;5;25m"))
  }

  @Test func `a shell can stop and resume it, and works after it was killed`() throws {
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
    // The prompt behind it as well: later on a prompt means that it has stopped again.
    shell.waitForPrompt(behind: "42-stopped")
    shell.forget()
    shell.type("fg\n")
    shell.wait(for: "file-2.iso")
    shell.wait(for: "\u{1B}[?1000h")
    shell.type("\u{1A}")
    shell.wait(for: "ready> ")
    shell.forget()
    shell.type("kill -9 %1; wait %1; stty -a | grep -o ' icanon\\| echo ' | tr -d '\\n'\n")
    // What is typed while a command ends may be lost when the shell takes the terminal back.
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
