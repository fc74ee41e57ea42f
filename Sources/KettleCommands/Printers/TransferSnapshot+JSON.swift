import KettleControl
import KettleDashboard
import KettleModel

extension TransferSnapshot {
  /// The object that `list --json` prints for a transfer.
  var json: JSONValue { json { Strings.obstacle(of: self, $0) } }
}

extension ProxiesInUse {
  fileprivate var json: JSONValue {
    .object([
      .init("http", .string(orNull: http)), .init("https", .string(orNull: https)),
      .init("unusable", .array(unusable.map { .string($0) })),
    ])
  }
}

extension TransferEvent {
  /// A line of `watch --json`. Only progress events contain byte counts.
  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("event", .string(kind.rawValue)), .init("at", .string(at.iso8601)),
    ]
    if let bytesWritten { members.append(.init("bytesWritten", .integer(bytesWritten))) }
    members.append(.init("transfer", snapshot.json))
    return .object(members)
  }
}

extension ServiceStatus.Result {
  /// The object that `daemon status --json` prints.
  ///
  /// - Parameter more: Notices that the status does not have.
  func json(notices more: [String], socketPath: String) -> JSONValue {
    .object([
      .init("serviceVersion", .string(serviceVersion)),
      .init("processID", .integer(processID)),
      .init("startedAt", .string(startedAt.iso8601)),
      .init("socketPath", .string(socketPath)),
      .init("storePath", .string(storePath)),
      .init("logPath", .string(orNull: places?.logPath)),
      .init("configPath", .string(orNull: places?.configPath)),
      .init("downloadsDirectory", .string(orNull: places?.downloadsDirectory)),
      .init("bytesPerSecond", .integer(totals.bytesPerSecond)),
      .init("freeBytes", .integer(orNull: totals.freeBytes)),
      .init("proxy", proxies?.json ?? .null),
      .init("start", start?.json ?? .null),
      .init(
        "counts",
        .object(
          TransferState.allCases.map { .init($0.rawValue, .integer(Int64(totals.count($0)))) })),
      .init("notices", .array((notices + more).map { .string($0) })),
    ])
  }
}
