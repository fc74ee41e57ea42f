import CKettlePostgres
import Glibc
import KettleModel
import KettleSystem

/// One open connection of libpq. It ends with its owner.
struct PostgresLink: ~Copyable {
  private let owner: Owner
  private var connection: OpaquePointer? { owner.connection }
  /// The functions that are prepared in the session.
  private var prepared: Set<String> = []

  /// What ended a wait.
  enum Event { case notification, wake, timeout }

  /// Connects within the time that the options give. Names are resolved before that time begins, as
  /// long as the system's resolver takes.
  init(_ text: ConnectionText) throws(PostgresProblem) {
    let options = Array(text.impatient)
    let started = Self.withTexts(options.map(\.key)) { keywords in
      Self.withTexts(options.map(\.value)) { PQconnectStartParams(keywords, $0, 0) }
    }
    owner = Owner(connection: started)
    try connect(until: MonotonicTime.now().milliseconds + text.connectMilliseconds)
  }

  private func connect(until deadline: Int64) throws(PostgresProblem) {
    // What it says is for terminals.
    _ = PQsetNoticeReceiver(connection, { _, _ in }, nil)
    var state = PGRES_POLLING_WRITING
    while PQstatus(connection) != CONNECTION_BAD, state != PGRES_POLLING_OK {
      let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
      try ready(Int16(events), until: deadline)
      state = PQconnectPoll(connection)
      if state == PGRES_POLLING_FAILED { break }
    }
    guard PQstatus(connection) == CONNECTION_OK, PQsetnonblocking(connection, 1) == 0 else {
      throw PostgresProblem(message)
    }
  }

  /// Closes the connection once, however the making of it ends.
  private struct Owner: ~Copyable {
    /// NULL only without memory, which every function of libpq takes for a broken connection.
    let connection: OpaquePointer?

    deinit { PQfinish(connection) }
  }

  private var message: String {
    PQerrorMessage(connection).map { String(cString: $0).oneLine } ?? "the connection broke off"
  }

  /// Whether the other end has not closed it, as far as is known here.
  var isAlive: Bool { PQconsumeInput(connection) == 1 && PQstatus(connection) == CONNECTION_OK }

  // MARK: Exchanges

  /// Runs statements without parameters, and returns the first value of the last one with rows.
  @discardableResult
  func run(_ statements: String, within milliseconds: Int64) throws(PostgresProblem) -> String {
    guard PQsendQuery(connection, statements) == 1 else { throw PostgresProblem(message) }
    return try answer(until: MonotonicTime.now().milliseconds + milliseconds)
  }

  /// Calls a function of the schema, and returns its text.
  mutating func call(
    _ function: String, _ parameter: String?, within milliseconds: Int64
  ) throws(PostgresProblem) -> String {
    let deadline = MonotonicTime.now().milliseconds + milliseconds
    if !prepared.contains(function) {
      let query = "select kettle.\(function)(\(parameter == nil ? "" : "$1::jsonb"))"
      guard PQsendPrepare(connection, function, query, 0, nil) == 1 else {
        throw PostgresProblem(message)
      }
      _ = try answer(until: deadline)
      prepared.insert(function)
    }
    let isSent = Self.withTexts(parameter.map { [$0] } ?? []) { values in
      PQsendQueryPrepared(connection, function, parameter == nil ? 0 : 1, values, nil, nil, 0)
    }
    guard isSent == 1 else { throw PostgresProblem(message) }
    return try answer(until: deadline)
  }

  /// Sends what is buffered, and returns the first value of the last result.
  private func answer(until deadline: Int64) throws(PostgresProblem) -> String {
    var flushed = PQflush(connection)
    while flushed == 1 {
      // A server that waits until its own answer is read must not stop both.
      if try ready(Int16(POLLIN | POLLOUT), until: deadline) & Int16(POLLIN) != 0 { try read() }
      flushed = PQflush(connection)
    }
    guard flushed == 0 else { throw PostgresProblem(message) }
    var text = ""
    var failure: PostgresProblem?
    while true {
      while PQisBusy(connection) == 1 {
        try ready(Int16(POLLIN), until: deadline)
        try read()
      }
      guard let result = PQgetResult(connection) else { break }
      defer { PQclear(result) }
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK:
        if PQntuples(result) > 0, let value = PQgetvalue(result, 0, 0) {
          text = String(cString: value)
        }
      case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
      default: failure = failure ?? problem(of: result)
      }
    }
    if let failure { throw failure }
    return text
  }

  private func read() throws(PostgresProblem) {
    guard PQconsumeInput(connection) == 1 else { throw PostgresProblem(message) }
  }

  private func problem(of result: OpaquePointer) -> PostgresProblem {
    func field(_ code: Unicode.Scalar) -> String? {
      PQresultErrorField(result, Int32(code.value)).map { String(cString: $0).oneLine }
    }
    return PostgresProblem(field("M") ?? message, state: field("C"))
  }

  // MARK: Waiting

  /// Waits for a notification of the session, until `wake` can be read, or for the time given.
  func waitForNotification(
    orReadable wake: Int32, milliseconds: Int64
  ) throws(PostgresProblem) -> Event {
    let deadline = MonotonicTime.now().milliseconds + milliseconds
    while true {
      try read()
      var isNotified = false
      while let notification = PQnotifies(connection) {
        PQfreemem(notification)
        isNotified = true
      }
      if isNotified { return .notification }
      let left = deadline - MonotonicTime.now().milliseconds
      guard left > 0 else { return .timeout }
      var waits = [
        pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&waits, nfds_t(waits.count), Int32(clamping: left))
      if waits[1].revents != 0 { return .wake }
    }
  }

  /// Waits until the socket is ready. Returns what it is ready for; throws after the deadline.
  @discardableResult
  private func ready(_ events: Int16, until deadline: Int64) throws(PostgresProblem) -> Int16 {
    while true {
      let left = deadline - MonotonicTime.now().milliseconds
      guard left > 0 else { throw PostgresProblem("the database did not answer in time") }
      var wait = pollfd(fd: PQsocket(connection), events: events, revents: 0)
      let count = poll(&wait, 1, Int32(clamping: left))
      if count > 0 { return wait.revents }
      if count < 0, errno != EINTR { throw PostgresProblem(SystemError(errno).message) }
    }
  }

  /// Calls `body` with the texts as C strings, and NULL behind the last one.
  private static func withTexts<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    let copies = texts.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    let pointers = copies.map { UnsafePointer($0) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}
