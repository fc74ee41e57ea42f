import KettleControl
import KettleModel

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
