import KettleControl
import KettleModel

extension HostSnapshot {
  /// The object that `hosts --json` prints, always with all of these members.
  var json: JSONValue {
    .object([
      .init("origin", .string(origin)),
      .init("connections", .integer(Int64(connections))),
      .init("queuedCount", .integer(Int64(queuedCount))),
      .init("limit", limit?.json ?? .null),
      .init("closedUntil", .string(orNull: closedUntil?.iso8601)),
      .init("outage", outage?.json ?? .null),
      .init("remembered", remembered?.json ?? .null),
    ])
  }
}

extension QueueSnapshot {
  /// The object that `queues --json` prints, always with all of these members.
  var json: JSONValue {
    .object([
      .init("name", .string(name.text)),
      .init("transfersMax", .integer(orNull: transfersMax.map { Int64($0) })),
      .init("hours", .string(orNull: hours)),
      .init("isOpen", .bool(isOpen)),
      .init("until", .string(orNull: until?.iso8601)),
      .init("waitsFor", .string(orNull: waitsFor?.rawValue)),
      .init("runningCount", .integer(Int64(runningCount))),
      .init("queuedCount", .integer(orNull: queuedCount.map { Int64($0) })),
    ])
  }
}

extension HostSnapshot.Remembered {
  fileprivate var json: JSONValue {
    .object([
      .init("user", .string(orNull: user)),
      .init("certificateCount", .integer(Int64(certificateCount))),
    ])
  }
}

extension HostSnapshot.Limit {
  fileprivate var json: JSONValue {
    .object([
      .init("connectionsMax", .integer(Int64(connectionsMax))),
      .init("triedCount", .integer(Int64(triedCount))),
      .init("since", .string(since.iso8601)),
      .init("status", .integer(orNull: status.map { Int64($0) })),
    ])
  }
}

extension HostSnapshot.Outage {
  fileprivate var json: JSONValue {
    .object([
      .init("since", .string(since.iso8601)),
      .init("failedProbeCount", .integer(Int64(failedProbeCount))),
      .init("nextProbeAt", .string(orNull: nextProbeAt?.iso8601)),
      .init("code", .string(error.code.rawValue)),
      .init("message", .string(error.sentenceWhileRetrying)),
    ])
  }
}

extension BinSnapshot {
  /// The object that `bin --json` prints, always with all of these members.
  var json: JSONValue {
    .object([
      .init("number", .integer(number)),
      .init("kind", .string(kind.rawValue)),
      .init("at", .string(at.iso8601)),
      .init("expiresAt", .string(expiresAt.iso8601)),
      .init("transferCount", .integer(Int64(transferCount))),
      .init("byteCount", .integer(byteCount)),
      .init("title", .string(orNull: title)),
    ])
  }
}

extension ServiceStart {
  var json: JSONValue {
    switch self {
    case .byCommand: .object([.init("systemd", .bool(false)), .init("lingers", .null)])
    case .bySystemd(let lingers):
      .object([.init("systemd", .bool(true)), .init("lingers", .bool(lingers))])
    }
  }
}
