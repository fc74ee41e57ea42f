import ArgumentParser
import KettleClient
import KettleControl
import KettleModel

/// `kettle limit`
struct LimitCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limit",
    abstract: "Limit the speed of transfers, including running ones.",
    discussion: """
      With ids, limits each of these transfers; the limit stays with them. Without ids, or with \
      --all, limits all transfers together until the service stops, or until the next change of \
      [[limits.schedule]]. The configuration file has permanent limits.

      Examples:
        kettle limit 500K 3 4
        kettle limit none 3
        kettle limit 1.5M
        kettle limit none
      """)

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @Argument(
    help: ArgumentHelp(
      "Bytes per second, with K, M or G for powers of 1024, or none.", valueName: "rate"))
  var rate: String

  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var idRuns: [ValueRun<TransferID>] = []

  @Flag(help: "Limit all transfers together.")
  var all = false

  private var ids: [TransferID] { idRuns.flatMap(\.values) }

  func run(in context: CommandContext) async throws -> ExitCode {
    if all, !ids.isEmpty { throw UsageError(.command(.bothIDsAndAll(command: "limit"))) }
    let bytesPerSecond = try readRate()
    let selection: TransferSelection = ids.isEmpty ? .all : .ids(ids)
    return try await context.withService(for: "kettle limit") { service in
      let result = try await service.call(
        LimitSpeed.self, .init(selection: selection, bytesPerSecond: bytesPerSecond))
      switch selection {
      case .all: try context.console.printLine(Sentences.limitedAll(bytesPerSecond))
      case .ids, .matching:
        for id in result.applied {
          try context.console.printLine(Sentences.limited(id, bytesPerSecond))
        }
      }
      for refusal in result.refused { context.console.printError(Sentences.limitRefused(refusal)) }
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
