import KettleModel

/// The members of every JSON-RPC 2.0 message.
enum EnvelopeKey: String, CodingKey {
  case jsonrpc, id, method, params, result, error
}

/// The value of `jsonrpc` in every message.
let jsonRPCVersion = "2.0"

extension DecodingError {
  /// The path of the value that could not be read, such as `params.transfers[0].url`.
  var path: String {
    let keys: [any CodingKey] =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .dataCorrupted(let context):
        context.codingPath
      case .keyNotFound(let key, let context): context.codingPath + [key]
      @unknown default: []
      }
    return keys.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }
}

extension DecodingError {
  /// Whether a text was read that cannot be the name of a file.
  var isOfFileName: Bool {
    guard case .dataCorrupted(let context) = self else { return false }
    return context.underlyingError is FileNameProblem
  }
}

/// The identifier by which a client matches a reply to its request (JSON-RPC 2.0, section 4). The
/// service echoes it.
package enum RequestID: Hashable, Sendable {
  case number(Int64)
  case string(String)
}

extension RequestID: Codable {
  /// Accepts only a 64-bit integer or a string.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .string(text)
    } else {
      self = .number(try container.decode(Int64.self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    }
  }
}
