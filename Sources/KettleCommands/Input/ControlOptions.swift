import ArgumentParser
import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket

/// The transfers that a control applies to: ids, those of a queue, or all.
struct ControlOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var idRuns: [ValueRun<TransferID>] = []

  @Flag(help: "All transfers to which the command applies.")
  var all = false

  @Option(
    help: ArgumentHelp("All transfers of this queue.", valueName: "name"),
    completion: .asking(.queues))
  var queue: String?

  var ids: [TransferID] { idRuns.flatMap(\.values) }

  /// Whether it applies to more than the transfers that are named.
  var areMany: Bool { all || queue != nil }

  /// `command` is its name in complaints.
  func selection(for command: String) throws(UsageError) -> TransferSelection {
    let ids = ids
    if let queue {
      guard ids.isEmpty, !all else { throw UsageError(.command(.queueAndOthers(command: command))) }
      return .matching(
        RowFilter(states: Self.states(for: command), queue: try QueueName(argument: queue)),
        except: [])
    }
    return switch (ids.isEmpty, all) {
    case (false, false): .ids(ids)
    case (true, true): .all
    case (true, false): throw UsageError(.command(.neitherIDsNorAll(command: command)))
    case (false, true): throw UsageError(.command(.bothIDsAndAll(command: command)))
    }
  }

  /// The states in which a command has an effect; nil for all.
  static func states(for command: String) -> [TransferState]? {
    switch command {
    case "start": [.idle, .scheduled, .waiting, .paused, .failed]
    case "pause": [.scheduled, .queued, .running, .waiting, .verifying]
    case "stop": TransferState.allCases.filter { !$0.isFinished && $0 != .idle }
    default: nil
    }
  }
}

extension TransferID: ExpressibleByArgument {
  public init?(argument: String) {
    guard let number = Int64(argument), number > 0 else { return nil }
    self.init(rawValue: number)
  }
}

extension TransferState: ExpressibleByArgument {
  /// Reads the name of a state, and the word that people read for one.
  public init?(argument: String) {
    let word = TransferState.allCases.first { Strings.countWord($0) == argument }
    guard let state = TransferState(rawValue: argument) ?? word else { return nil }
    self = state
  }
}

/// The words after `kettle` without `--host` and `--fleet`, which apply to every command. They may
/// precede or follow the command: a misplaced one must not stop the transfers of this machine.
/// `--ascii` may stand anywhere too, and is left for the parser.
struct CommandWords: Hashable, Sendable {
  /// Those of `--host`, each once.
  private(set) var machines: [MachineName] = []
  private(set) var isASCII = false
  private(set) var isFleet = false
  private(set) var arguments: [String] = []

  init(_ words: [String]) throws(UsageError) {
    let option = "--host"
    var rest = words[...]
    // After "--" nothing is an option.
    while let word = rest.first, word != "--" {
      rest = rest.dropFirst()
      if word == option, let value = rest.popFirst() {
        try add(value)
      } else if word.hasPrefix(option + "=") {
        try add(String(word.dropFirst(option.count + 1)))
      } else if word == "--fleet" {
        isFleet = true
      } else {
        isASCII = isASCII || word == "--ascii"
        arguments.append(word)
      }
    }
    arguments += rest
  }

  /// The command's name in sentences, such as `daemon run`.
  var commandName: String {
    let names = arguments.filter { !$0.hasPrefix("-") }
    return names.prefix(names.first == "daemon" ? 2 : 1).joined(separator: " ")
  }

  /// Another machine; nil if all is on this one.
  var host: RemoteHost? { machines.lazy.compactMap(\.host).first }

  private mutating func add(_ text: String) throws(UsageError) {
    guard let host = RemoteHost(text) else { throw UsageError(.command(.host(text))) }
    let machine = text == MachineName.localWord ? MachineName.local : .remote(host)
    if !machines.contains(machine) { machines.append(machine) }
    if machines.count > MachineIDs.countMax { throw UsageError(.command(.tooManyHosts)) }
  }
}

/// One word of the command line that stands for one value of a repeated argument, or for many.
///
/// The parser keeps the set of all words that an argument came from, and copies it for each
/// further one. A hundred thousand ids, as `kettle wait $(kettle add -i list)` may pass, would take
/// minutes, so `packed` makes one word of many before it parses them.
struct ValueRun<Value: ExpressibleByArgument & Sendable>: ExpressibleByArgument, Sendable {
  let values: [Value]

  init?(argument: String) {
    var values: [Value] = []
    for word in argument.utf8.split(
      separator: RunOfWords.separator, omittingEmptySubsequences: false)
    {
      guard let value = Value(argument: String(Substring(word))) else { return nil }
      values.append(value)
    }
    self.values = values
  }
}

/// Makes few words of many.
enum RunOfWords {
  /// An argument cannot contain this byte (execve(2)), so no user input looks like a packed run.
  static let separator: UInt8 = 0
  /// A shorter command line stays as it is.
  static let wordCountMin = 100

  /// Packs words of a long command line that follow each other and are values of the command's
  /// repeated argument.
  ///
  /// The first one of each row stays a word of its own: it may be the value of the option before
  /// it, or another argument of the command. A word that is no value stays too, for the parser's
  /// complaint about it.
  ///
  /// - Parameter root: the command whose words follow.
  static func packed(_ words: [String], of root: any ParsableCommand.Type) -> [String] {
    guard words.count >= wordCountMin, let type = repeatedType(in: words, of: root) else {
      return words
    }
    var packed: [String] = []
    var run: [String] = []
    var isBehindValue = false
    func endRun() {
      if !run.isEmpty { packed.append(run.joined(separator: "\0")) }
      run.removeAll(keepingCapacity: true)
    }
    for word in words {
      let isValue = !word.hasPrefix("-") && type.init(argument: word) != nil
      if isValue, isBehindValue {
        run.append(word)
      } else {
        endRun()
        packed.append(word)
      }
      isBehindValue = isValue
    }
    endRun()
    return packed
  }

  /// The type of the repeated argument of the command that the words name; nil if it has none.
  private static func repeatedType(
    in words: [String], of root: any ParsableCommand.Type
  ) -> (any ExpressibleByArgument.Type)? {
    var command = root
    for word in words where !word.hasPrefix("-") {
      let configuration = command.configuration
      let known =
        configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
      guard let named = known.first(where: { $0._commandName == word }) else { break }
      command = named
    }
    return (command as? any RunnableCommand.Type)?.repeatedType
  }
}
