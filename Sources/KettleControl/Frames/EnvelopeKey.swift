/// The members of every JSON-RPC 2.0 message.
enum EnvelopeKey: String, CodingKey {
  case jsonrpc, id, method, params, result, error
}

/// The value of `jsonrpc` in every message.
let jsonRPCVersion = "2.0"

extension DecodingError {
  /// The path of the value that could not be read, such as `params.transfers[0].url`.
  var place: String {
    let path: [any CodingKey] =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .dataCorrupted(let context):
        context.codingPath
      case .keyNotFound(let key, let context): context.codingPath + [key]
      @unknown default: []
      }
    return path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }
}
