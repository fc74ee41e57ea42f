import Glibc
import KettleFleet
import KettleModel
import KettleSystem

/// A connection to the database of a fleet, made when it is needed, and again after it broke off.
///
/// Not for two threads at once: `PostgresFleet` has it behind a lock.
struct PostgresConnection: ~Copyable {
  /// How long an exchange about many rows may take: a little more than the database permits.
  private static let longExchangeMilliseconds: Int64 = 65_000
  /// How often a transaction is repeated that the database gave up for another one's sake.
  private static let attemptsMax = 3

  private let database: String
  private let exchangeMilliseconds: Int64
  private var link: PostgresLink?
  private var isListening = false

  init(_ database: String, _ exchangeMilliseconds: Int64) {
    self.database = database
    self.exchangeMilliseconds = exchangeMilliseconds
  }

  /// Calls a function of the schema with JSON, and returns its JSON.
  mutating func call(
    _ function: String, _ parameter: String, isLong: Bool
  ) throws(FleetError) -> String {
    let milliseconds = isLong ? Self.longExchangeMilliseconds : exchangeMilliseconds
    var attempt = 1
    while true {
      do {
        try connect(checksSchema: true)
        return try link?.call(function, parameter, within: milliseconds) ?? ""
      } catch {
        guard error.isRepeatable, attempt < Self.attemptsMax else { throw ended(by: error) }
        attempt += 1
      }
    }
  }

  /// Runs statements, which may create the schema.
  mutating func run(_ statements: String) throws(FleetError) {
    // The next call looks at the schema.
    defer { link = nil }
    do {
      link = nil
      try connect(checksSchema: false)
      try link?.run(statements, within: Self.longExchangeMilliseconds)
    } catch { throw ended(by: error) }
  }

  /// Waits for news of the queue, until `wake` can be read, or for the time given.
  mutating func wait(
    orReadable wake: Int32, milliseconds: Int64
  ) throws(FleetError) -> PostgresLink.Event {
    do {
      try connect(checksSchema: true)
      if !isListening {
        try link?.run("listen kettle_work", within: exchangeMilliseconds)
        isListening = true
      }
      return try link?.waitForNotification(orReadable: wake, milliseconds: milliseconds) ?? .timeout
    } catch { throw ended(by: error) }
  }

  mutating func disconnect() { link = nil }

  /// Closes a session that cannot be used again.
  private mutating func ended(by problem: PostgresProblem) -> FleetError {
    if !problem.leavesSession { link = nil }
    return problem.fleetError
  }

  private mutating func connect(checksSchema: Bool) throws(PostgresProblem) {
    // The database may have been restarted since the last call.
    if link?.isAlive == false { link = nil }
    guard link == nil else { return }
    isListening = false
    var made = try PostgresLink(text())
    // What a lost client has begun ends some time.
    try made.run(
      "set statement_timeout = 60000; set lock_timeout = 8000",
      within: exchangeMilliseconds)
    if checksSchema {
      let version = try made.call("schema_version", nil, within: exchangeMilliseconds)
      if version != String(Schema.version) {
        throw PostgresProblem(.otherVersion(Int(version) ?? 0))
      }
    }
    link = consume made
  }

  private func text() throws(PostgresProblem) -> ConnectionText {
    do {
      return try ConnectionText(database)
    } catch { throw PostgresProblem(error) }
  }
}
