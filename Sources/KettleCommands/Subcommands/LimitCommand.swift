import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle limit`
struct LimitCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limit",
    abstract: "Limit the speed, also of what is running.",
    discussion: """
      With ids it is the limit of each of these transfers, and stays with them. Without, or with \
      --all, it is the limit of everything together until the service ends; the configuration \
      file has one that stays.

      Examples:
        kettle limit 500K 3 4
        kettle limit none 3
        kettle limit 1.5M
        kettle limit none
      """)

  @Argument(
    help: ArgumentHelp(
      "The most bytes a second, with K, M or G for powers of 1024, or none.", valueName: "rate"))
  var rate: String

  @Argument(
    help: ArgumentHelp("The number of a transfer, as \"kettle list\" shows it.", valueName: "id"))
  var ids: [TransferID] = []

  @Flag(help: "Everything together.")
  var all = false

  func run(in world: CommandContext) async throws -> ExitCode {
    if all, !ids.isEmpty { throw UsageError(.command(.bothIDsAndAll(command: "limit"))) }
    let bytesPerSecond = try readRate()
    let selection: TransferSelection = ids.isEmpty ? .all : .ids(ids)
    return try await world.withService(for: "kettle limit") { service in
      let result = try await service.call(
        LimitSpeed.self, .init(selection: selection, bytesPerSecond: bytesPerSecond))
      switch selection {
      case .all: try world.console.say(Sentences.limitedAll(bytesPerSecond))
      case .ids, .matching:
        for id in result.applied {
          try world.console.say(Sentences.limited(id, bytesPerSecond))
        }
      }
      for refusal in result.refused { world.console.complain(Sentences.limitRefused(refusal)) }
      return ControlRunner.exitCode(of: result)
    }
  }

  private func readRate() throws(UsageError) -> Int64? {
    if rate.lowercased() == RateText.none { return nil }
    guard let bytesPerSecond = RateText.parse(rate) else {
      throw UsageError(.value(.limit(rate)))
    }
    return bytesPerSecond
  }
}
