/// A value in a request or a reply, as JSON and XML-RPC have them.
package enum RPCValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case text(String)
  case list([RPCValue])
  case object([String: RPCValue])

  package var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  package var list: [RPCValue]? {
    guard case .list(let list) = self else { return nil }
    return list
  }

  package var object: [String: RPCValue]? {
    guard case .object(let object) = self else { return nil }
    return object
  }

  /// A whole number. Some clients send one as a text.
  package var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .real(let number): Int64(exactly: number)
    case .text(let text): Int64(text)
    case .null, .boolean, .list, .object: nil
    }
  }

  /// aria2 writes every number of its answers as a text.
  package static func number(_ number: some BinaryInteger) -> RPCValue { .text(String(number)) }
}

extension RPCValue: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self = .text(text) }
}

extension RPCValue: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: RPCValue...) { self = .list(elements) }
}

extension RPCValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, RPCValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

/// How much a message may contain. Its length is bounded elsewhere; a short text can still stand
/// for a large value.
package enum RPCLimits {
  package static let depthMax = 32
  package static let valueCountMax = 200_000
}
