import ArgumentParser

/// `kettle rpc`
struct RPCCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rpc",
    abstract: "Let programs that control aria2 control Kettle.",
    discussion: """
      Front ends such as AriaNg and the extensions of browsers speak to a port of this machine. It \
      is closed until "kettle rpc enable". Only who knows the secret is answered.

      Examples:
        kettle rpc enable
        kettle rpc enable --port 6801 --allow-origin http://ariang.example.org
        kettle rpc status
      """,
    subcommands: [
      RPCEnableCommand.self, RPCDisableCommand.self, RPCStatusCommand.self, RPCSecretCommand.self,
    ])
}
