import KettleModel

/// `[queues.NAME]`: how many transfers of a queue run at once, and when.
package enum QueuesTable {
  private static let prefix = "queues."

  /// The keys of the table, with the name of a queue as `NAME`.
  package static let keys = ["queues.NAME.transfers", "queues.NAME.hours", "queues.NAME.days"]

  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.hasPrefix(prefix) }

  /// Applies an entry, or returns its problem.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    let parts = entry.name.dropFirst(prefix.count)
      .split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let name = QueueName(String(parts[0])) else {
      return .unknownKey(entry.name)
    }
    var queue = configuration.queues[name] ?? ServiceConfiguration.Queue()
    defer { configuration.queues[name] = queue }
    switch parts[1] {
    case "transfers":
      guard case .integer(let number) = entry.value, (1...1000).contains(number) else {
        return .wrongValue(entry.name, mustBe: ConfigurationKey.limitsTransfers.expectation)
      }
      queue.transfersMax = Int(number)
      return nil
    case "hours", "days": return queue.schedule.apply(entry, key: String(parts[1]))
    default: return .unknownKey(entry.name)
    }
  }
}
