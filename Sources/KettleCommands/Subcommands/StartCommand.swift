import ArgumentParser
import KettleControl
import KettleModel

/// `kettle start`
struct StartCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start or resume transfers.",
    usage: """
      kettle start [<id> ...] [--all]
             kettle start <id> [--url <url>] [--user <user> [--remember]]
      """,
    discussion: """
      A paused or failed transfer resumes from the bytes it has if they are still usable, and \
      otherwise starts from the beginning; the output says which. --all starts every transfer \
      that is neither running nor completed.

      --url gives one transfer a new link, for example when its own has expired. Its bytes are \
      kept if the server proves that the file is the same. A user and password in the link \
      become its new login. --user gives one transfer a login and keeps its link. With --remember, \
      the login is used for every transfer from the host that has none of its own.

      Examples:
        kettle start 3
        kettle start --all
        kettle start 3 --url 'https://example.org/disk.iso?token=new'
        kettle start 3 --user anna
        kettle start 3 --user anna --remember
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @OptionGroup var options: ControlOptions

  @Option(help: ArgumentHelp("A new link for the transfer.", valueName: "url"))
  var url: String?

  @Option(
    help: ArgumentHelp(
      "A login for the transfer, as name:password; asks for a missing password.",
      valueName: "user"))
  var user: String?

  @Flag(help: "Use the login for every transfer from the host, now and later.")
  var remember = false

  func run(in context: CommandContext) async throws -> ExitCode {
    let selection = try options.selection(for: "start")
    let runner = ControlRunner(verb: .start, selection: selection, context: context)
    guard url != nil || user != nil else {
      if remember { throw UsageError(.command(.rememberWithoutLogin)) }
      return try await runner.run()
    }
    guard options.ids.count == 1, let id = options.ids.first else {
      throw UsageError(.command(.linkForSeveral))
    }
    let link = try url.map(Self.link)
    let login = try user.map { try LoginText($0).login(asking: context.console) }
    let exitCode = try await runner.run(relinking: id, to: link, login: login)
    return remember && exitCode == .done ? try await runner.remember() : exitCode
  }

  private static func link(_ text: String) throws -> TransferURL.Parsed {
    switch TransferURL.parse(text) {
    case .success(let link): return link
    case .failure(let why): throw UsageError(.url(text, why))
    }
  }
}
