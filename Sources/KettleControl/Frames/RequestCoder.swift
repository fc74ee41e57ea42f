import FoundationEssentials

/// Writes requests as lines (the client's side) and reads them (the service's side).
///
/// The form is JSON-RPC 2.0, one message per line, without batches.
package struct RequestCoder: Sendable {
  private let encoder = LineEncoder()
  private let decoder = JSONDecoder()

  package init() {}

  /// Writes a request, without its line feed.
  package func encode<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params, id: Int64
  ) throws -> [UInt8] {
    // Method names are Kettle's own and need no escapes.
    var line = Array("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(Method.name)\"".utf8)
    if Method.Params.self != Nothing.self {
      line += try Array(",\"params\":".utf8) + encoder.encode(params)
    }
    line.append(UInt8(ascii: "}"))
    return line
  }

  /// Reads one line from a client.
  package func decode(_ line: [UInt8]) -> ReceivedRequest {
    if let problem = JSONShape.problem(in: line) {
      return .refused(nil, ControlError(.parseError, problem.rawValue))
    }
    do {
      let envelope = try decoder.decode(RequestEnvelope.self, from: Data(line))
      return envelope.received
    } catch {
      return .refused(nil, ControlError(.parseError, "JSON"))
    }
  }
}

/// A decoded line from a client.
package enum ReceivedRequest: Hashable, Sendable {
  case request(RequestID, ControlRequest)
  /// Reply with this error; the id is nil if the line does not contain it.
  case refused(RequestID?, ControlError)
  /// A notification. The protocol has none from clients, and no reply is expected (JSON-RPC 2.0,
  /// section 4.1).
  case notification
}

/// One request, read in a single pass. Only invalid JSON throws; every other problem becomes a
/// reply to the client.
private struct RequestEnvelope: Decodable {
  let received: ReceivedRequest

  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: EnvelopeKey.self) else {
      // A number, a string, or an array, which is a batch.
      received = .refused(nil, ControlError(.invalidRequest, "object"))
      return
    }
    received = Self.read(container)
  }

  private static func read(
    _ container: KeyedDecodingContainer<EnvelopeKey>
  ) -> ReceivedRequest {
    let hasID = container.contains(.id) && (try? container.decodeNil(forKey: .id)) != true
    let id = hasID ? try? container.decode(RequestID.self, forKey: .id) : nil
    if hasID, id == nil { return .refused(nil, ControlError(.invalidRequest, "id")) }
    guard (try? container.decode(String.self, forKey: .jsonrpc)) == jsonRPCVersion else {
      return .refused(id, ControlError(.invalidRequest, "jsonrpc"))
    }
    guard let method = try? container.decode(String.self, forKey: .method) else {
      return .refused(id, ControlError(.invalidRequest, "method"))
    }
    guard let id else { return .notification }
    do {
      let request = try ControlRequest.read(method: method, from: container, paramsKey: .params)
      guard let request else {
        return .refused(id, ControlError(.methodNotFound, shown(method)))
      }
      return .request(id, request)
    } catch let error as ControlError {
      return .refused(id, error)
    } catch let error as DecodingError {
      let code: ControlError.Code = error.isRefusal ? .refusedSpec : .invalidParams
      return .refused(id, ControlError(code, shown(error.path)))
    } catch {
      return .refused(id, ControlError(.invalidParams, EnvelopeKey.params.rawValue))
    }
  }

  /// A name as long as the line would make the reply equally long.
  private static func shown(_ text: String) -> String {
    String(decoding: text.utf8.prefix(200), as: UTF8.self)
  }
}
