import ArgumentParser
import KettleConfiguration
import KettleControl
import KettleModel
import KettleSocket
import KettleSystem

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

/// What a completion script wants to know.
enum CompletionQuestion: Hashable, Sendable {
  /// The keys of the configuration file, and the words that a key accepts. No service is asked.
  case configurationKeys
  case configurationValues
  case transfers
  case sessions
  case hosts
  case queues
}

extension CompletionKind {
  /// Completes with the answer of a running service.
  ///
  /// The parser calls the closure only while it reads the command line of a completion script, and
  /// cannot wait for the service there. So the closure notes the question, and `CompletionRequest`
  /// answers it.
  static func asking(_ question: CompletionQuestion) -> CompletionKind {
    .custom { _, _, _ in
      AskedQuestion.current?.note(question)
      return []
    }
  }
}

/// The question that the parser met in the command line of a completion script.
final class AskedQuestion: Sendable {
  @TaskLocal static var current: AskedQuestion?

  private let noted = Mutex<CompletionQuestion?>(nil)

  var question: CompletionQuestion? { noted.withLock { $0 } }

  func note(_ question: CompletionQuestion) { noted.withLock { $0 = question } }
}

/// The command line with which a completion script of ours calls back:
/// `---completion COMMAND... -- ARGUMENT INDEX CURSOR WORD...`, as the parser defines it.
struct CompletionRequest {
  private static let word = "---completion"
  /// More candidates would fill many screens.
  private static let rowCountMax = 1000

  private let arguments: [String]

  /// Returns nil for any other command line.
  init?(_ arguments: [String]) {
    guard arguments.first == Self.word else { return nil }
    self.arguments = arguments
  }

  /// Prints the candidates. Prints none without a running service, and never starts one. Errors are
  /// not printed: they would appear in the middle of the line that the user types.
  func answer(in context: CommandContext) async -> ExitCode {
    guard let question else { return .refused }
    let shell = context.environment["SAP_SHELL"].flatMap(CompletionShell.init(rawValue:))
    let candidates = await candidates(for: question, in: context).filter(\.isPlain)
    var lines = candidates.map { $0.line(for: shell) }
    // The parser's script for zsh drops the last line.
    if shell == .zsh { lines.append(" ") }
    try? context.console.write(lines.map { $0 + "\n" }.joined(), to: .output)
    return .done
  }

  private var question: CompletionQuestion? {
    let asked = AskedQuestion()
    AskedQuestion.$current.withValue(asked) {
      // The parser calls the completion closure and then throws an error that carries the closure's
      // result. That result is empty: the closure only records the question.
      _ = try? KettleCommand.parseAsRoot(arguments)
    }
    return asked.question
  }

  private func candidates(
    for question: CompletionQuestion, in context: CommandContext
  ) async -> [CompletionCandidate] {
    switch question {
    case .configurationKeys: return Self.configurationKeys
    case .configurationValues: return configurationValues
    case .transfers, .sessions, .hosts, .queues: break
    }
    // Asking another machine would take an ssh connection, which may ask for a password.
    guard !arguments.contains(where: { $0 == "--host" || $0.hasPrefix("--host=") }) else {
      return []
    }
    let found = try? await context.withService(for: "kettle completion", startIfNeeded: false) {
      service in
      switch question {
      case .configurationKeys, .configurationValues: [CompletionCandidate]()
      case .transfers: try await transfers(of: service)
      case .sessions: try await sessions(of: service)
      case .hosts: try await hosts(of: service)
      case .queues: try await queues(of: service)
      }
    }
    return found ?? []
  }

  private static var configurationKeys: [CompletionCandidate] {
    ConfigurationKeys.service.map {
      CompletionCandidate(value: $0.name, meaning: $0.expectation)
    }
  }

  private var configurationValues: [CompletionCandidate] {
    let words = arguments.lazy.compactMap { name in
      ConfigurationKeys.service.first { $0.name == name }?.words
    }
    return (words.first ?? []).map { CompletionCandidate(value: $0, meaning: "") }
  }

  private func transfers(of service: any ServiceCalling) async throws -> [CompletionCandidate] {
    let viewport = Viewport(filter: RowFilter(states: states), count: Self.rowCountMax)
    return try await service.call(ListTransfers.self, viewport).rows.map {
      CompletionCandidate(
        value: "\($0.id.rawValue)", meaning: "\($0.state.rawValue): \($0.shownTitle)")
    }
  }

  private func sessions(of service: any ServiceCalling) async throws -> [CompletionCandidate] {
    try await service.call(ListSessions.self, .init()).sessions.map {
      CompletionCandidate(value: $0.id.rawValue, meaning: $0.launch?.executablePath ?? "")
    }
  }

  private func hosts(of service: any ServiceCalling) async throws -> [CompletionCandidate] {
    let all = try await service.call(ListHosts.self, .init()).hosts
    let wanted = command == "forget" ? all.filter { $0.remembered != nil } : all
    // A colon begins a new word in bash.
    let names = wanted.map { host in
      host.origin.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != ":" }
    }
    return Set(names).sorted().map { CompletionCandidate(value: String($0), meaning: "") }
  }

  private func queues(of service: any ServiceCalling) async throws -> [CompletionCandidate] {
    try await service.call(ListQueues.self, .init()).queues.map {
      CompletionCandidate(value: $0.name.text, meaning: $0.hours ?? "")
    }
  }

  /// The innermost command.
  private var command: String { arguments.prefix { $0 != "--" }.last ?? "" }

  /// The states in which the command has an effect; nil for all.
  private var states: [TransferState]? {
    switch command {
    case "start", "pause", "stop": ControlOptions.states(for: command)
    case "accept": [.waiting]
    case "limit", "wait", "move": TransferState.allCases.filter { !$0.isFinished }
    default: nil
    }
  }
}

/// A word that could be meant.
struct CompletionCandidate: Hashable, Sendable {
  var value: String
  /// Shown beside it by shells that can; empty for none.
  var meaning: String

  /// Whether no character of the value is special to a shell. Bash expands the words it receives.
  var isPlain: Bool {
    !value.isEmpty && value.utf8.allSatisfy { Self.plainBytes.contains($0) }
  }

  private static let plainBytes = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+".utf8)

  func line(for shell: CompletionShell?) -> String {
    let meaning = meaning.sanitizedForDisplay(limit: 60).filter { $0 != "\\" }
    guard !meaning.isEmpty else { return value }
    switch shell {
    case .fish?: return "\(value)\t\(meaning)"
    // The value has no colon; see `isPlain`.
    case .zsh?: return "\(value):\(meaning)"
    default: return value
    }
  }
}
