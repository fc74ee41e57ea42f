import KettleModel

extension TransferSnapshot {
  /// The object that `list --json` prints for a transfer, always with all of these members.
  ///
  /// - Parameter obstacle: says in words what holds it back.
  package func json(obstacle: (HeldBack) -> String?) -> JSONValue {
    .object([
      .init("id", .integer(id.rawValue)),
      .init("session", .string(session.rawValue)),
      .init("taskIdentifier", .integer(taskIdentifier)),
      .init("title", .string(title)),
      .init("url", .string(url)),
      .init("state", .string(state.rawValue)),
      .init("reason", .string(orNull: reason?.rawValue)),
      .init("path", .string(orNull: path)),
      .init("bytesReceived", .integer(bytesReceived)),
      .init("bytesExpected", .integer(orNull: bytesExpected)),
      .init("bytesPerSecond", .integer(bytesPerSecond)),
      .init("secondsLeft", .integer(orNull: secondsLeft)),
      .init("connections", .integer(Int64(connections))),
      .init("createdAt", .string(createdAt.iso8601)),
      .init("error", error?.json ?? .null),
      .init("queue", .string(orNull: queueOfUser?.text)),
      .init("heldBackBy", .string(orNull: heldBack?.cause.rawValue)),
      .init("heldBackDetails", heldBack.map { $0.json(message: obstacle($0)) } ?? .null),
      .init("until", .string(orNull: heldBack?.until?.iso8601)),
      .init("readyAt", .string(orNull: readyAt?.iso8601)),
      .init("subtitle", .string(orNull: subtitle)),
    ])
  }
}

extension HeldBack {
  /// The value of `heldBackDetails`.
  fileprivate func json(message: String?) -> JSONValue {
    .object([
      .init("rank", .integer(orNull: rank.map(Int64.init))),
      .init("subject", .string(orNull: subject)),
      .init("used", .integer(orNull: used.map(Int64.init))),
      .init("allowed", .integer(orNull: allowed.map(Int64.init))),
      .init("status", .integer(orNull: status.map(Int64.init))),
      .init("limitedSince", .string(orNull: limitedSince?.iso8601)),
      .init("bytesPerSecond", .integer(orNull: bytesPerSecond)),
      .init("since", .string(orNull: since?.iso8601)),
      .init("message", .string(orNull: message)),
    ])
  }
}

extension TransferFailure {
  package var json: JSONValue {
    let certificate = certificate.map { [JSONValue.Member("certificate", $0.json)] } ?? []
    return .object(
      [.init("code", .string(code.rawValue)), .init("message", .string(sentence))] + certificate)
  }
}

extension ServerCertificate {
  fileprivate var json: JSONValue {
    .object([
      .init("origin", .string(origin)),
      .init("fingerprint", .string(fingerprint)),
      .init("subject", .string(subject)),
      .init("issuer", .string(issuer)),
      .init("validFrom", .string(orNull: validFrom?.iso8601)),
      .init("validUntil", .string(orNull: validUntil?.iso8601)),
    ])
  }
}
