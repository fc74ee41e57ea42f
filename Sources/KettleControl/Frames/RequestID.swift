/// What a client puts on a request to know the reply by (JSON-RPC 2.0, section 4); it is echoed.
package enum RequestID: Hashable, Sendable {
  case number(Int64)
  case string(String)
}

extension RequestID: Codable {
  /// Refuses anything but a whole number of 64 bits and a string.
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
