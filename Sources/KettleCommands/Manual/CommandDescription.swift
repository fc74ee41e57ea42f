import ArgumentParser
import FoundationEssentials

/// A command as the parser describes it to other programs: the text of `--help`, in parts.
struct CommandDescription: Decodable {
  var commandName: String
  var abstract: String?
  var discussion: String?
  var shouldDisplay: Bool?
  var subcommands: [CommandDescription]?
  var arguments: [Argument]?

  struct Argument: Decodable {
    enum Kind: String, Decodable {
      case positional, option, flag
    }

    struct Name: Decodable, Hashable {
      enum Kind: String, Decodable {
        case long, short, longWithSingleDash
      }

      var kind: Kind
      var name: String
    }

    var kind: Kind
    var names: [Name]?
    var abstract: String?
    var valueName: String?
    var defaultValue: String?
    var allValues: [String]?
    var isOptional: Bool
    var isRepeating: Bool
    /// Whether `--help` shows it, or only `--help-hidden`.
    var shouldDisplay: Bool
  }

  /// Describes a program with all its commands.
  static func of(_ program: any ParsableCommand.Type) throws -> CommandDescription {
    struct Tool: Decodable {
      var command: CommandDescription
    }
    return try JSONDecoder().decode(Tool.self, from: Data(program._dumpHelp().utf8)).command
  }

  /// The commands that `--help` lists, without the parser's own `help`.
  var visibleSubcommands: [CommandDescription] {
    (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
  }

  /// The options with a help text, each once.
  var documentedOptions: [Argument] {
    let names = Set((arguments ?? []).flatMap(\.optionNames))
    return (arguments ?? []).filter { argument in
      guard argument.kind != .positional, argument.abstract?.isEmpty == false else { return false }
      return !argument.optionNames.contains { name in
        name.hasPrefix("--no-") && names.contains("--" + name.dropFirst(5))
      }
    }
  }

  var positionals: [Argument] { (arguments ?? []).filter { $0.kind == .positional } }

  /// The names of an option, and of the flag that is its opposite.
  func allNames(of option: Argument) -> [String] {
    let all = Set((arguments ?? []).flatMap(\.optionNames))
    let opposites = option.optionNames.map { "--no-" + $0.drop { $0 == "-" } }
    return option.optionNames + opposites.filter(all.contains)
  }
}

extension CommandDescription.Argument {
  /// With their dashes.
  var optionNames: [String] {
    (names ?? []).map { ($0.kind == .long ? "--" : "-") + $0.name }
  }

  /// The help text, with the accepted values and the default as `--help` shows them.
  var helpText: String {
    var notes: [String] = []
    if let allValues, !allValues.isEmpty {
      notes.append("values: " + allValues.joined(separator: ", "))
    }
    if let defaultValue { notes.append("default: " + defaultValue) }
    let text = abstract ?? ""
    return notes.isEmpty ? text : text + " (" + notes.joined(separator: "; ") + ")"
  }
}
