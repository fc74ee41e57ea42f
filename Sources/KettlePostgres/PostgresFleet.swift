import CKettleLinux
import FoundationEssentials
import Glibc
import KettleFleet
import KettleModel
import KettleSystem

/// A fleet's queue in a PostgreSQL database, over one connection, which is made by the first call.
///
/// Every function blocks, and a lock admits one thread at a time: a second one waits for the answer
/// of the first. Only `wake` may be called meanwhile.
package final class PostgresFleet: Sendable {
  private let database: String
  private let connection: Mutex<PostgresConnection>
  private let wakeCount: SharedDescriptor?

  private init(_ database: String, _ exchangeMilliseconds: Int64) {
    self.database = database
    connection = Mutex(PostgresConnection(database, exchangeMilliseconds))
    let count = OwnedDescriptor(opened: kettle_event())
    if let count { wakeCount = SharedDescriptor(count) } else { wakeCount = nil }
  }

  /// A fleet in the database of a connection string or URI of libpq. Connects to nothing yet.
  ///
  /// An exchange may take ten seconds, so that a database that is frozen holds nobody.
  package static func open(
    _ database: String, exchangeMilliseconds: Int64 = 10_000
  ) -> PostgresFleet {
    PostgresFleet(database, exchangeMilliseconds)
  }

  /// Creates the tables and functions, or those that are missing. Throws `FleetError.otherVersion`
  /// if the database has those of a later version.
  package static func initialize(_ database: String) throws(FleetError) {
    let fleet = PostgresFleet.open(database)
    try fleet.connection.withLock { connection throws(FleetError) in
      try connection.run(Schema.check)
      try connection.run(Schema.script)
    }
  }

  /// Waits for news of the queue. It takes part in no transaction.
  func wait(milliseconds: Int64) throws(FleetError) -> PostgresLink.Event {
    let wake = wakeCount?.number ?? -1
    let event = try connection.withLock { connection throws(FleetError) in
      try connection.wait(orReadable: wake, milliseconds: milliseconds)
    }
    if event == .wake { takeWakes() }
    return event
  }

  private func takeWakes() {
    var count: UInt64 = 0
    _ = wakeCount.map { Glibc.read($0.number, &count, MemoryLayout.size(ofValue: count)) }
  }

  /// Closes the connection. The next call makes another one.
  package func disconnect() { connection.withLock { $0.disconnect() } }

  /// Calls a function of the schema. What people ask of many rows at once may take longer.
  func call<Reply: Decodable>(
    _ function: String, _ request: some Encodable, as reply: Reply.Type = Reply.self,
    isLong: Bool = false
  ) throws(FleetError) -> Reply {
    let parameter: String
    do {
      parameter = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
    } catch { throw .refused("the request cannot be written: \(error)") }
    let text = try connection.withLock { connection throws(FleetError) in
      try connection.call(function, parameter, isLong: isLong)
    }
    do {
      return try JSONDecoder().decode(reply, from: Data(text.utf8))
    } catch { throw .refused("the answer of kettle.\(function) cannot be read: \(error)") }
  }
}

// MARK: FleetConnection

extension PostgresFleet {
  /// Whether the database listens only to this machine, which it is asked, so that the orders in it
  /// are of this machine. False also if it does not answer within seconds.
  package var isLocal: Bool {
    guard let text = try? ConnectionText(database), text.isOnThisMachine else { return false }
    let asked = PostgresFleet.open(database, exchangeMilliseconds: 2_000)
    return (try? asked.call("is_local", Nothing())) ?? false
  }

  /// Waits without a connection, too, while the database cannot be reached.
  package func isWorkAnnounced(withinMilliseconds milliseconds: Int64) -> Bool {
    let deadline = MonotonicTime.now().milliseconds + milliseconds
    do {
      return try wait(milliseconds: milliseconds) == .notification
    } catch {
      let left = max(deadline - MonotonicTime.now().milliseconds, 0)
      var entry = pollfd(fd: wakeCount?.number ?? -1, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, Int32(clamping: left)) > 0 { takeWakes() }
      return false
    }
  }

  /// Ends the wait of another thread, or the next wait. From any thread.
  package func wake() {
    var one: UInt64 = 1
    _ = wakeCount.map { Glibc.write($0.number, &one, MemoryLayout.size(ofValue: one)) }
  }
}

/// The parameter of functions that need none.
struct Nothing: Encodable {}
