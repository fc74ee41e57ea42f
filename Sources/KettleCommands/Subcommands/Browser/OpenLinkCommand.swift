import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle open-link`: what the desktop runs for a link `kettle://add?url=…`.
struct OpenLinkCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open-link", abstract: "Queue the download of a link kettle://, paused.",
    shouldDisplay: false)

  static var isForThisMachineOnly: Bool { true }

  private static let client: ClientIdentity = "kettle open-link"

  @Argument(help: ArgumentHelp("kettle://add?url=URL", valueName: "link"))
  var link: String

  /// A terminal that the desktop opened for the command closes when it ends, so the user is asked
  /// to end it, also after an error.
  func run(in context: CommandContext) async throws -> ExitCode {
    guard Self.hasTerminal(context) else { return try await open(in: context) }
    let code: ExitCode
    do {
      code = try await open(in: context)
    } catch {
      let (sentences, failed) = Sentences.report(of: error)
      for sentence in sentences { context.console.printError(sentence) }
      code = failed
    }
    _ = try? context.console.prompt(Sentences.enterCloses)
    return code
  }

  private static func hasTerminal(_ context: CommandContext) -> Bool {
    context.console.isInputTerminal && context.console.isTerminal(.output)
  }

  /// Nothing starts without an answer: any web page can contain such a link.
  private func open(in context: CommandContext) async throws -> ExitCode {
    let link = try KettleLink(link)
    return try await context.withService(for: Self.client) { service in
      let url = link.source.url.text
      let listed = try await service.call(FindURLs.self, .init(urls: [url])).found
      if let known = listed.first {
        try context.console.printLine(Sentences.linkIsListed(url, as: known))
        return .done
      }
      let adder = TransferAdder(
        service: service, reconnect: context.reconnection(for: Self.client))
      guard let id = try await adder.add([link.spec]).first else {
        throw ControlError(.internalError, AddTransfers.name)
      }
      try context.console.printLine(Sentences.linkIsPaused(link, as: id))
      guard try asksToStart(in: context) else {
        try context.console.printLine(Sentences.howToStart(id))
        return .done
      }
      let result = try await service.call(
        ControlTransfers.self, .init(control: .start, selection: .ids([id])))
      if let refusal = result.refused.first { throw RefusedControl(refusal: refusal) }
      try context.console.printLine(Sentences.did(.start, id))
      return .done
    }
  }

  private func asksToStart(in context: CommandContext) throws -> Bool {
    guard Self.hasTerminal(context) else { return false }
    return try context.console.confirms(Sentences.startQuestion)
  }
}
