import ArgumentParser
import KettleControl
import KettleModel

/// The transfers that a control applies to: ids, or all.
struct ControlOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var ids: [TransferID] = []

  @Flag(help: "All transfers to which the command applies.")
  var all = false

  /// `command` is its name in complaints.
  func selection(for command: String) throws(UsageError) -> TransferSelection {
    switch (ids.isEmpty, all) {
    case (false, false): .ids(ids)
    case (true, true): .all
    case (true, false): throw UsageError(.command(.neitherIDsNorAll(command: command)))
    case (false, true): throw UsageError(.command(.bothIDsAndAll(command: command)))
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
