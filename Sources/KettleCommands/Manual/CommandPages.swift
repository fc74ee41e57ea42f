import ArgumentParser
import FoundationEssentials
import KettleControl

/// A page of the manual: the name of its file, and its source.
struct ManualPage: Hashable {
  var fileName: String
  var text: String
}

/// The pages of section 1: `kettle` and its commands. Their text is that of `--help`.
struct CommandPages {
  private let program: CommandDescription
  private let date: String

  init(date: String) throws {
    program = try .of(KettleCommand.self)
    self.date = date
  }

  var all: [ManualPage] {
    [programPage] + program.visibleSubcommands.map(page)
  }

  // MARK: - kettle(1)

  private var programPage: ManualPage {
    var source = source("kettle")
    source.section("NAME")
    source.macro("Nm", "kettle")
    source.macro("Nd", "terminal dashboard and background service for downloads")
    source.section("SYNOPSIS")
    source.usage("kettle [--ascii] [--plain] [--host <user@host>]")
    source.usage("kettle <command> [<options>]")
    source.section("DESCRIPTION")
    let parts = Discussion(program.discussion ?? "")
    source.paragraphs(parts.prose)
    source.section("OPTIONS")
    source.list(program.documentedOptions.map { item(of: $0, in: program) })
    commands(in: &source)
    locations(in: &source)
    source.section("EXIT STATUS")
    source.prose(parts.exitCodes)
    source.section("EXAMPLES")
    source.literal(parts.examples)
    source.section("SEE ALSO")
    let names = program.visibleSubcommands.map { ("kettle-" + $0.commandName, 1) }
    source.references(
      names.sorted { $0.0 < $1.0 } + [("kettle-config", 5), ("kettle-rpc", 7)])
    return ManualPage(fileName: "kettle.1", text: source.text)
  }

  private func commands(in source: inout ManualSource) {
    source.section("COMMANDS")
    for group in KettleCommand.configuration.groupedSubcommands {
      source.macro("Ss", group.name)
      let names = group.subcommands.map { $0._commandName }
      let commands = names.compactMap { name in
        program.visibleSubcommands.first { $0.commandName == name }
      }
      source.list(commands.map { ("Xr kettle-\($0.commandName) 1", $0.abstract ?? "") })
    }
  }

  private func locations(in source: inout ManualSource) {
    source.section("ENVIRONMENT")
    source.list([
      ("Ev HOME", "The user's home directory."),
      ("Ev XDG_STATE_HOME", "The parent of the store and the log; default: ~/.local/state."),
      ("Ev XDG_RUNTIME_DIR", "The parent of the socket; without it, the state directory."),
      ("Ev XDG_CONFIG_HOME", "The parent of the configuration; default: ~/.config."),
      ("Ev XDG_DOWNLOAD_DIR", "Where finished files go; default: the desktop's choice."),
      ("Ev http_proxy , https_proxy , ftp_proxy , all_proxy , no_proxy", "Proxies."),
      ("Ev CURL_CA_BUNDLE , SSL_CERT_FILE , SSL_CERT_DIR", "Trusted certificates."),
      ("Ev SSH_AUTH_SOCK", "The ssh-agent whose keys SFTP uses."),
      ("Ev NO_COLOR", "If it is set and not empty, nothing is colored."),
      ("Ev NO_MOTION", "If it is set and not empty, nothing on the dashboard is animated."),
    ])
    source.section("FILES")
    source.list([
      ("Pa ~/.config/kettle/config.toml", "The configuration, see kettle-config(5)."),
      ("Pa ~/.local/state/kettle/store.sqlite", "Every transfer."),
      ("Pa ~/.local/state/kettle/service.log", "The log of the service."),
      ("Pa $XDG_RUNTIME_DIR/kettle/control.sock", "The socket of the service."),
      ("Pa NAME.part", "A file that is not complete yet."),
    ])
  }

  // MARK: - The pages of commands

  private func page(of command: CommandDescription) -> ManualPage {
    let name = "kettle-" + command.commandName
    var source = source(name)
    source.section("NAME")
    source.macro("Nm", name)
    source.macro("Nd", Self.nameLine(command.abstract ?? ""))
    source.section("SYNOPSIS")
    let subcommands = command.visibleSubcommands
    for type in Self.types(at: command.commandName) {
      for line in Self.usage(of: type) { source.usage(line) }
    }
    source.section("DESCRIPTION")
    let parts = Discussion(command.discussion ?? "")
    source.paragraphs(parts.prose.isEmpty ? command.abstract ?? "" : parts.prose)
    for subcommand in subcommands { section(on: subcommand, of: command, in: &source) }
    arguments(of: command, in: &source)
    source.section("EXIT STATUS")
    source.prose(Discussion(program.discussion ?? "").exitCodes)
    if !parts.examples.isEmpty {
      source.section("EXAMPLES")
      source.literal(parts.examples)
    }
    source.section("SEE ALSO")
    source.references([("kettle", 1)] + Self.relatedPages(of: command.commandName))
    return ManualPage(fileName: name + ".1", text: source.text)
  }

  private func section(
    on subcommand: CommandDescription, of command: CommandDescription,
    in source: inout ManualSource
  ) {
    source.macro("Ss", "kettle \(command.commandName) \(subcommand.commandName)")
    source.paragraphs(subcommand.abstract ?? "")
    if let discussion = subcommand.discussion {
      source.macro("Pp")
      source.paragraphs(discussion)
    }
    let common: Set = ["--help", "--version"]
    let options = subcommand.documentedOptions.filter {
      common.isDisjoint(with: $0.optionNames)
    }
    source.list(
      subcommand.positionals.map { item(of: $0, in: subcommand) }
        + options.map { item(of: $0, in: subcommand) })
  }

  private func arguments(of command: CommandDescription, in source: inout ManualSource) {
    if !command.positionals.isEmpty {
      source.section("ARGUMENTS")
      source.list(command.positionals.map { item(of: $0, in: command) })
    }
    let options = command.documentedOptions
    source.section("OPTIONS")
    source.list(options.filter(\.shouldDisplay).map { item(of: $0, in: command) })
    let rare = options.filter { !$0.shouldDisplay }
    guard !rare.isEmpty else { return }
    source.macro("Ss", "Rare options")
    source.list(rare.map { item(of: $0, in: command) })
  }

  private func item(
    of argument: CommandDescription.Argument, in command: CommandDescription
  ) -> (term: String, text: String) {
    let value = argument.valueName ?? "value"
    switch argument.kind {
    case .positional:
      let dots = argument.isRepeating ? " ..." : ""
      return ("Ar " + ManualSource.escaped(value, isInMacro: true) + dots, argument.helpText)
    case .option:
      return (
        ManualSource.term(names: command.allNames(of: argument), value: value), argument.helpText
      )
    case .flag:
      return (
        ManualSource.term(names: command.allNames(of: argument), value: nil), argument.helpText
      )
    }
  }

  private func source(_ title: String) -> ManualSource {
    ManualSource(title: title, section: 1, date: date, version: ProductVersion.text)
  }

  // MARK: - What the description does not contain

  /// The command of this name, or its subcommands if it has some.
  private static func types(at name: String) -> [any ParsableCommand.Type] {
    let all = KettleCommand.configuration.groupedSubcommands.flatMap(\.subcommands)
    guard let type = all.first(where: { $0._commandName == name }) else { return [] }
    let inner = type.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    return inner.isEmpty ? [type] : inner
  }

  /// The lines of the usage, each with the program's name.
  private static func usage(of type: any ParsableCommand.Type) -> [String] {
    KettleCommand.usageString(for: type).split(separator: "\n").map { line in
      let text = line.drop { $0 == " " }
      return String(text.hasPrefix("Usage: ") ? text.dropFirst(7) : text)
    }
  }

  /// whatis(1) shows it after the name: no capital, no full stop.
  private static func nameLine(_ abstract: String) -> String {
    let line = abstract.hasSuffix(".") ? abstract.dropLast() : abstract[...]
    return line.prefix(1).lowercased() + line.dropFirst()
  }

  private static func relatedPages(of name: String) -> [(name: String, section: Int)] {
    switch name {
    case "config": [("kettle-config", 5)]
    case "rpc": [("kettle-config", 5), ("kettle-rpc", 7)]
    case "add", "get": [("kettle-list", 1), ("kettle-wait", 1), ("kettle-config", 5)]
    default: []
    }
  }
}

/// The discussion of a command without its examples and its list of exit codes.
private struct Discussion {
  var prose: String
  var examples: [String] = []
  var exitCodes = ""

  init(_ text: String) {
    var paragraphs: [String] = []
    for paragraph in text.split(separator: "\n\n").map(String.init) {
      if paragraph.hasPrefix("Examples:\n") || paragraph.hasPrefix("Example:\n") {
        examples += paragraph.split(separator: "\n").dropFirst().map { line in
          String(line.hasPrefix("  ") ? line.dropFirst(2) : line)
        }
      } else if paragraph.hasPrefix("Exit codes: ") {
        exitCodes = String(paragraph.dropFirst("Exit codes: ".count))
      } else {
        paragraphs.append(paragraph)
      }
    }
    prose = paragraphs.joined(separator: "\n\n")
  }
}
