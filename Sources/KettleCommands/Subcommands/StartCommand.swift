import ArgumentParser
import KettleControl
import KettleModel

/// `kettle start`
struct StartCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start transfers, or let them go on.",
    discussion: """
      A transfer that was paused or failed goes on from the bytes it has when they can still be \
      used, else it starts from the beginning; the answer says which. --all starts each that is \
      neither running nor completed.

      --url gives one transfer a fresh link, for example when its own has expired. The bytes that \
      it has are kept as far as the server proves that it is the same file. A user and password \
      in the link are its new login.

      Examples:
        kettle start 3
        kettle start --all
        kettle start 3 --url 'https://example.org/disk.iso?token=new'
      """)

  @OptionGroup var options: ControlOptions

  @Option(help: ArgumentHelp("A fresh link for the transfer.", valueName: "url"))
  var url: String?

  func run(in world: CommandContext) async throws -> ExitCode {
    let selection = try options.selection(for: "start")
    guard let url else {
      return try await ControlRunner(verb: .start, selection: selection, world: world).run()
    }
    guard options.ids.count == 1, let id = options.ids.first else {
      throw UsageError(.command(.linkForSeveral))
    }
    switch TransferURL.parse(url) {
    case .success(let link):
      return try await ControlRunner(verb: .start, selection: selection, world: world)
        .run(relinking: id, to: link)
    case .failure(let why): throw UsageError(.url(url, why))
    }
  }
}
