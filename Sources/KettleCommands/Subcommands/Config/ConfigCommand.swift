import ArgumentParser

/// `kettle config`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show, check and change the configuration file.",
    discussion: """
      The file can also be edited by hand; "kettle config reload" applies it. Comments are kept.

      Examples:
        kettle config set limits.rate 2M
        kettle config set proxy.no-proxy localhost .example.org
        kettle config set --default limits.rate
        kettle config check
      """,
    subcommands: [
      ConfigPathCommand.self, ConfigCheckCommand.self, ConfigGetCommand.self,
      ConfigSetCommand.self, ConfigReloadCommand.self,
    ])
}
