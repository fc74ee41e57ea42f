import ArgumentParser
import KettleControl
import KettleModel

/// The transfers that a control applies to: ids, those of a queue, or all.
struct ControlOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var idRuns: [ValueRun<TransferID>] = []

  @Flag(help: "All transfers to which the command applies.")
  var all = false

  @Option(
    help: ArgumentHelp("All transfers of this queue.", valueName: "name"),
    completion: .asking(.queues))
  var queue: String?

  var ids: [TransferID] { idRuns.flatMap(\.values) }

  /// Whether it applies to more than the transfers that are named.
  var areMany: Bool { all || queue != nil }

  /// `command` is its name in complaints.
  func selection(for command: String) throws(UsageError) -> TransferSelection {
    let ids = ids
    if let queue {
      guard ids.isEmpty, !all else { throw UsageError(.command(.queueAndOthers(command: command))) }
      return .matching(
        RowFilter(states: Self.states(for: command), queue: try QueueName(argument: queue)),
        except: [])
    }
    return switch (ids.isEmpty, all) {
    case (false, false): .ids(ids)
    case (true, true): .all
    case (true, false): throw UsageError(.command(.neitherIDsNorAll(command: command)))
    case (false, true): throw UsageError(.command(.bothIDsAndAll(command: command)))
    }
  }

  /// The states in which a command has an effect; nil for all.
  static func states(for command: String) -> [TransferState]? {
    switch command {
    case "start": [.idle, .scheduled, .waiting, .paused, .failed]
    case "pause": [.scheduled, .queued, .running, .waiting, .verifying]
    case "stop": TransferState.allCases.filter { !$0.isFinished && $0 != .idle }
    default: nil
    }
  }
}

extension TransferID: ExpressibleByArgument {
  public init?(argument: String) {
    guard let number = Int64(argument), number > 0 else { return nil }
    self.init(rawValue: number)
  }
}

extension TransferState: ExpressibleByArgument {}
