import KettleModel

/// `[queues.NAME]`: how many transfers of a queue run at once, and when.
enum QueuesTable {
  private static let prefix = "queues."
  private static let keys = ["transfers", "hours", "days"]

  static func contains(_ entry: TOMLEntry) -> Bool { entry.name.hasPrefix(prefix) }

  /// Returns the key that was probably meant by one of this table.
  static func nearestKey(to key: String) -> String? {
    guard let (name, last) = parts(of: key) else { return nil }
    return NearestWord.of(last, in: keys).map { "\(prefix)\(name.text).\($0)" }
  }

  /// Divides `queues.NAME.KEY`; nil for any other name.
  private static func parts(of name: String) -> (queue: QueueName, key: String)? {
    guard name.hasPrefix(prefix) else { return nil }
    let parts = name.dropFirst(prefix.count)
      .split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = parts.first, let last = parts.last,
      let queue = QueueName(String(first))
    else { return nil }
    return (queue, String(last))
  }

  /// Applies an entry, or returns its problem.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout ServiceConfiguration
  ) -> ConfigurationProblem.What? {
    guard let (name, key) = parts(of: entry.name) else { return .unknownKey(entry.name) }
    var queue = configuration.queues[name] ?? ServiceConfiguration.Queue()
    defer { configuration.queues[name] = queue }
    switch key {
    case "transfers":
      guard case .integer(let number) = entry.value, (1...1000).contains(number) else {
        return .wrongValue(entry.name, mustBe: ConfigurationKey.limitsTransfers.expectation)
      }
      queue.transfersMax = Int(number)
      return nil
    case "hours", "days": return queue.schedule.apply(entry, key: key)
    default: return .unknownKey(entry.name)
    }
  }
}
