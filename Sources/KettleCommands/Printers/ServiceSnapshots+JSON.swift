import KettleControl
import KettleDashboard
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

extension SessionSummary {
  /// The object that `session list --json` prints, always with all of these members.
  var json: JSONValue {
    .object([
      .init("id", .string(id.rawValue)),
      .init("processID", .integer(orNull: processID)),
      .init("lastSeenAt", .string(lastSeenAt.iso8601)),
      .init("launch", launch?.json ?? .null),
      .init("sendsLaunchEvents", .bool(sendsLaunchEvents)),
      .init(
        "counts",
        .object(
          TransferState.allCases.map {
            .init($0.rawValue, .integer(Int64(counts[$0.rawValue] ?? 0)))
          })),
      .init("unreportedCount", .integer(Int64(unreportedCount))),
      .init("notice", notice.map(json) ?? .null),
    ])
  }

  private func json(_ notice: LaunchNotice) -> JSONValue {
    .object([
      .init("code", .string(notice.problem.rawValue)),
      .init("at", .string(notice.at.iso8601)),
      .init("detail", .string(orNull: notice.detail)),
      .init("message", .string(orNull: Sentences.launchNotice(of: self))),
    ])
  }
}

extension LaunchCommand {
  fileprivate var json: JSONValue {
    .object([
      .init("executablePath", .string(executablePath)),
      .init("arguments", .array(arguments.map { .string($0) })),
      .init("directory", .string(orNull: directory)),
    ])
  }
}

extension TransferSnapshot {
  /// The object that `list --json` prints for a transfer.
  var json: JSONValue { json { HeldBackWords($0, of: self).clause } }
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

/// Prints an array one element per line, so that a long one is never held in memory.
struct JSONArrayPrinter {
  private let console: any Console
  private var isEmpty = true

  init(on console: any Console) throws(ConsoleError) {
    self.console = console
    try console.write("[", to: .output)
  }

  mutating func print(_ values: [JSONValue]) throws(ConsoleError) {
    var text = ""
    for value in values {
      text += (isEmpty ? "\n" : ",\n") + value.text
      isEmpty = false
    }
    if !text.isEmpty { try console.write(text, to: .output) }
  }

  func end() throws(ConsoleError) { try console.write(isEmpty ? "]\n" : "\n]\n", to: .output) }
}
