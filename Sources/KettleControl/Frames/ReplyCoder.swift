import FoundationEssentials

/// Writes the service's messages as lines (the service's side) and reads them (the client's side).
package struct ReplyCoder: Sendable {
  private let encoder = LineEncoder()
  private let decoder = JSONDecoder()

  package init() {}

  /// Writes the reply to a successful request. A result that JSON cannot represent (a number that
  /// is not finite) becomes an error, because a request without any reply would wait indefinitely.
  package func encode(result: some Encodable, to id: RequestID) -> [UInt8] {
    do {
      return try message(id: id, .result, encoder.encode(result))
    } catch {
      return encode(error: ControlError(.internalError, "result"), to: id)
    }
  }

  /// Writes the reply to a refused request; `id` is nil if it is unknown.
  package func encode(error: ControlError, to id: RequestID?) -> [UInt8] {
    let body = (try? encoder.encode(error)) ?? []
    return message(id: id, .error, body)
  }

  /// Writes a notification; returns nil if JSON cannot represent it.
  package func encode(_ notification: ControlNotification) -> [UInt8]? {
    let params: [UInt8]? =
      switch notification {
      case .viewport(let window): try? encoder.encode(window)
      case .event(let event): try? encoder.encode(event)
      case .completed(let completed): try? encoder.encode(completed)
      case .resynchronise: try? encoder.encode(Nothing())
      }
    guard let params else { return nil }
    var line = Array("{\"jsonrpc\":\"2.0\",\"method\":\"\(notification.method)\",\"params\":".utf8)
    line += params
    line.append(UInt8(ascii: "}"))
    return line
  }

  private func message(id: RequestID?, _ key: EnvelopeKey, _ body: [UInt8]) -> [UInt8] {
    var line = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    switch id {
    case .number(let number): line += Array(String(number).utf8)
    case .string(let text): line += (try? encoder.encode(text)) ?? Array("null".utf8)
    case nil: line += Array("null".utf8)
    }
    line += Array(",\"\(key.rawValue)\":".utf8)
    line += body
    line.append(UInt8(ascii: "}"))
    return line
  }
}

extension ReplyCoder {
  /// Reads one line from the service.
  package func decode(_ line: [UInt8]) -> ReceivedReply {
    guard JSONShape.problem(in: line) == nil else { return .unreadable }
    if let id = Self.idOfResult(line) { return .result(id, UnreadResult(line: line)) }
    guard let head = try? decoder.decode(ReplyEnvelope.self, from: Data(line)) else {
      return .unreadable
    }
    switch head.content {
    case .result(let id): return .result(id, UnreadResult(line: line))
    case .error(let id, let error): return .error(id, error)
    case .notification(let notification): return .notification(notification)
    case .unknownNotification: return .unknownNotification
    }
  }

  /// The id of a result as `encode(result:to:)` writes it, which is then decoded only once.
  private static func idOfResult(_ line: [UInt8]) -> RequestID? {
    let start = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    guard line.starts(with: start) else { return nil }
    let digits = line[start.count...].prefix { (48...57).contains($0) }
    guard line[digits.endIndex...].starts(with: ",\"result\":".utf8) else { return nil }
    return Int64(String(decoding: digits, as: UTF8.self)).map { .number($0) }
  }
}

/// A decoded line from the service.
package enum ReceivedReply: Hashable, Sendable {
  case result(RequestID, UnreadResult)
  /// The id is nil if the service could not read which request it refused.
  case error(RequestID?, ControlError)
  case notification(ControlNotification)
  /// A newer service may send notifications that this version does not know.
  case unknownNotification
  case unreadable
}

/// The undecoded result of a reply; only the requester knows its type.
package struct UnreadResult: Hashable, Sendable {
  fileprivate let line: [UInt8]

  /// Decodes the result; throws an `internalError` if it is not a `Result`.
  package func decode<Result: Decodable>(
    _ type: Result.Type = Result.self
  ) throws(ControlError) -> Result {
    do {
      return try JSONDecoder().decode(ResultEnvelope<Result>.self, from: Data(line)).result
    } catch {
      let path = (error as? DecodingError)?.path ?? EnvelopeKey.result.rawValue
      throw ControlError(.internalError, path)
    }
  }
}

private struct ResultEnvelope<Result: Decodable>: Decodable {
  let result: Result
}

/// Everything in a reply except its result.
private struct ReplyEnvelope: Decodable {
  enum Content {
    case result(RequestID)
    case error(RequestID?, ControlError)
    case notification(ControlNotification)
    case unknownNotification
  }

  /// A `ControlError` whose code may be unknown.
  private struct AnyError: Decodable {
    let code: Int
    let message: String
  }

  let content: Content

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: EnvelopeKey.self)
    if container.contains(.error) {
      let error = try container.decode(AnyError.self, forKey: .error)
      let code = ControlError.Code(rawValue: error.code) ?? .internalError
      let id = try container.decodeIfPresent(RequestID.self, forKey: .id)
      content = .error(id, ControlError(code, error.message))
    } else if container.contains(.result) {
      content = .result(try container.decode(RequestID.self, forKey: .id))
    } else {
      switch try container.decode(String.self, forKey: .method) {
      case "viewport":
        content = .notification(.viewport(try container.decode(RowWindow.self, forKey: .params)))
      case "event":
        content = .notification(.event(try container.decode(TransferEvent.self, forKey: .params)))
      case "completed":
        content = .notification(
          .completed(try container.decode(CompletedTransfers.self, forKey: .params)))
      case "resynchronise": content = .notification(.resynchronise)
      default: content = .unknownNotification
      }
    }
  }
}
