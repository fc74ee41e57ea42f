import ArgumentParser
import KettleControl
import KettleModel

/// `kettle start`
struct StartCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start or resume transfers.",
    discussion: """
      A paused or failed transfer resumes from the bytes it has if they are still usable, and \
      otherwise starts from the beginning; the output says which. --all starts every transfer \
      that is neither running nor completed.

      --url gives one transfer a new link, for example when its own has expired. Its bytes are \
      kept if the server proves that the file is the same. A user and password in the link \
      become its new login.

      Examples:
        kettle start 3
        kettle start --all
        kettle start 3 --url 'https://example.org/disk.iso?token=new'
      """)

  @OptionGroup var options: ControlOptions

  @Option(help: ArgumentHelp("A new link for the transfer.", valueName: "url"))
  var url: String?

  func run(in context: CommandContext) async throws -> ExitCode {
    let selection = try options.selection(for: "start")
    guard let url else {
      return try await ControlRunner(verb: .start, selection: selection, context: context).run()
    }
    guard options.ids.count == 1, let id = options.ids.first else {
      throw UsageError(.command(.linkForSeveral))
    }
    switch TransferURL.parse(url) {
    case .success(let link):
      return try await ControlRunner(verb: .start, selection: selection, context: context)
        .run(relinking: id, to: link)
    case .failure(let why): throw UsageError(.url(url, why))
    }
  }
}
