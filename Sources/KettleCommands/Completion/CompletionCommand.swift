import ArgumentParser

/// `kettle completion`
struct CompletionCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print a script with which a shell completes kettle's words.",
    discussion: """
      Ids, sessions and hosts are completed with those of the running service. Packages install \
      the scripts where the shells look for them.

      Examples:
        kettle completion bash > ~/.local/share/bash-completion/completions/kettle
        kettle completion zsh > ~/.zfunc/_kettle
        kettle completion fish > ~/.config/fish/completions/kettle.fish
      """)

  static let isForThisMachineOnly = true

  enum Shell: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish

    fileprivate var parserShell: CompletionShell {
      switch self {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    }
  }

  @Argument(help: ArgumentHelp("The shell.", valueName: "shell"))
  var shell: Shell

  func run(in context: CommandContext) async throws -> ExitCode {
    try context.console.write(Self.script(for: shell), to: .output)
    return .done
  }

  /// Returns the parser's script. It is read by the shell and never run as a program, so it has no
  /// line that names an interpreter.
  static func script(for shell: Shell) -> String {
    var lines = KettleCommand.completionScript(for: shell.parserShell)
      .split(separator: "\n", omittingEmptySubsequences: false)[...]
    if lines.first?.hasPrefix("#!") == true {
      lines = lines.dropFirst().drop(while: \.isEmpty)
    }
    return lines.joined(separator: "\n") + (lines.last == "" ? "" : "\n")
  }
}
