import KettleModel

/// JSON for printing: members keep their order, and null is written out.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  package static func string(orNull text: String?) -> JSONValue {
    text.map { .string($0) } ?? .null
  }

  package static func integer(orNull number: Int64?) -> JSONValue {
    number.map { .integer($0) } ?? .null
  }
}

extension JSONValue {
  /// On one line.
  package var text: String {
    var result = ""
    write(to: &result)
    return result
  }

  private func write(to result: inout String) {
    switch self {
    case .null: result += "null"
    case .bool(let value): result += value ? "true" : "false"
    case .integer(let number): result += String(number)
    case .string(let text): Self.write(text, to: &result)
    case .array(let values):
      result += "["
      for (index, value) in values.enumerated() {
        if index > 0 { result += ", " }
        value.write(to: &result)
      }
      result += "]"
    case .object(let members):
      result += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { result += ", " }
        Self.write(member.name, to: &result)
        result += ": "
        member.value.write(to: &result)
      }
      result += "}"
    }
  }

  /// RFC 8259 requires escaping C0. DEL, C1 and characters that hide or reorder text are escaped
  /// too: programs read the same value, and a terminal obeys none of them.
  private static func write(_ text: String, to result: inout String) {
    result += "\""
    // Most texts need no escape, and scalar by scalar is slow.
    if text.utf8.allSatisfy(isPlain) {
      result += text
      result += "\""
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        if scalar.isControl || scalar.isInvisible {
          for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
            let digits = String(unit, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
          }
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    result += "\""
  }
}

extension JSONValue {
  /// Whether a byte of UTF-8 is a visible ASCII character that JSON does not escape.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}

extension TransferSnapshot {
  /// The object that `list --json` prints for a transfer, always with all of these members. That of
  /// a collection has one more, and so have that of a file of one and that of a machine of a fleet.
  ///
  /// - Parameter obstacle: says in words what holds it back.
  package func json(obstacle: (HeldBack) -> String?) -> JSONValue {
    var members: [JSONValue.Member] = [
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
      .init("readyAt", .string(orNull: readyAtIsGuess == true ? nil : readyAt?.iso8601)),
      .init("subtitle", .string(orNull: subtitle)),
    ]
    if let collection { members.append(.init("collection", collection.json)) }
    if let member { members.append(.init("memberOf", .integer(member.collection.rawValue))) }
    if let machine { members.append(.init("machine", .string(machine))) }
    return .object(members)
  }
}

extension CollectionProgress {
  fileprivate var json: JSONValue {
    .object([
      .init("name", .string(name)), .init("version", .string(orNull: version)),
      .init("memberCount", .integer(orNull: memberCount.map { Int64($0) })),
      .init("completedCount", .integer(Int64(completedCount))),
      .init("failedCount", .integer(Int64(failedCount))),
      .init("runningCount", .integer(Int64(runningCount))),
      .init("needsUserCount", .integer(Int64(needsUserCount))),
      .init("refusedCount", .integer(Int64(refusedCount))),
      .init("syncOf", .integer(orNull: sync?.rawValue)),
      .init("lastSync", lastSync?.json ?? .null),
    ])
  }
}

extension SyncReport {
  fileprivate var json: JSONValue {
    .object([
      .init("at", .string(at.iso8601)), .init("newCount", .integer(Int64(newCount))),
      .init("changedCount", .integer(Int64(changedCount))),
      .init("goneCount", .integer(Int64(goneCount))),
      .init("removedGone", .bool(removedGone)),
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
