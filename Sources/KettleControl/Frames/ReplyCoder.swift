import FoundationEssentials

/// Writes what the service says as lines (the service's side) and reads it (the client's side).
package struct ReplyCoder: Sendable {
  private let encoder = JSONEncoder.forLines()
  private let decoder = JSONDecoder()

  package init() {}

  /// Writes the reply to a request that was done. A result that JSON has no form for (a number
  /// that is none) becomes an error, because a request without any reply would wait for ever.
  package func encode(result: some Encodable, to id: RequestID) -> [UInt8] {
    do {
      return try message(id: id, .result, encoder.encode(result))
    } catch {
      return encode(error: ControlError(.internalError, "result"), to: id)
    }
  }

  /// Writes the reply to a request that was refused; `id` is nil when it is not known.
  package func encode(error: ControlError, to id: RequestID?) -> [UInt8] {
    let body = (try? encoder.encode(error)) ?? Data()
    return message(id: id, .error, body)
  }

  /// Writes a notification; nil when JSON has no form for it.
  package func encode(_ notification: ControlNotification) -> [UInt8]? {
    let params: Data? =
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

  private func message(id: RequestID?, _ key: EnvelopeKey, _ body: Data) -> [UInt8] {
    var line = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
    switch id {
    case .number(let number): line += Array(String(number).utf8)
    case .string(let text): line += (try? encoder.encode(text)) ?? Data("null".utf8)
    case nil: line += Array("null".utf8)
    }
    line += Array(",\"\(key.rawValue)\":".utf8)
    line += body
    line.append(UInt8(ascii: "}"))
    return line
  }
}

extension ReplyCoder {
  /// Reads one line of the service.
  package func decode(_ line: [UInt8]) -> ReceivedReply {
    guard JSONShape.problem(in: line) == nil,
      let head = try? decoder.decode(ReplyEnvelope.self, from: Data(line))
    else { return .unreadable }
    switch head.content {
    case .result(let id): return .result(id, UnreadResult(line: line))
    case .error(let id, let error): return .error(id, error)
    case .notification(let notification): return .notification(notification)
    case .unknownNotification: return .unknownNotification
    }
  }
}

/// What one line of the service turned out to be.
package enum ReceivedReply: Hashable, Sendable {
  case result(RequestID, UnreadResult)
  /// The id is nil when the service could not tell which request it refused.
  case error(RequestID?, ControlError)
  case notification(ControlNotification)
  /// A younger service may say things that we do not know.
  case unknownNotification
  case unreadable
}

/// The result of a reply before it is known what type it has: only the one who asked knows.
package struct UnreadResult: Hashable, Sendable {
  fileprivate let line: [UInt8]

  /// Reads the result; an `internalError` of ours when it is not a `Result`.
  package func decode<Result: Decodable>(
    _ type: Result.Type = Result.self
  ) throws(ControlError) -> Result {
    do {
      return try JSONDecoder().decode(ResultEnvelope<Result>.self, from: Data(line)).result
    } catch {
      let place = (error as? DecodingError)?.place ?? EnvelopeKey.result.rawValue
      throw ControlError(.internalError, place)
    }
  }
}

private struct ResultEnvelope<Result: Decodable>: Decodable {
  let result: Result
}

/// Everything of a reply but its result.
private struct ReplyEnvelope: Decodable {
  enum Content {
    case result(RequestID)
    case error(RequestID?, ControlError)
    case notification(ControlNotification)
    case unknownNotification
  }

  /// A `ControlError` whose code may be one that we do not know.
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
