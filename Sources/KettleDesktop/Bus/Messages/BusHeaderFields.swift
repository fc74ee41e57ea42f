/// The numbers of the header fields (D-Bus Specification, "Header Fields").
enum BusHeaderField: UInt8 {
  case path = 1
  case interface, member, errorName, replySerial, destination, sender, signature
}

/// The fields of a parsed header.
struct BusHeaderFields {
  private(set) var destination: String?
  private(set) var sender: String?
  /// The types of the body.
  private(set) var signature = ""
  private var path: String?
  private var interface: String?
  private var member: String?
  private var errorName: String?
  private var replySerial: UInt32?

  init(_ value: BusValue) throws(BusFault) {
    guard case .array(_, let elements) = value else { throw .malformed }
    for element in elements {
      guard case .structure(let parts) = element, case .byte(let number)? = parts.first,
        case .variant(let content)? = parts.last, number > 0
      else { throw .malformed }
      // Skip fields of later versions.
      guard let field = BusHeaderField(rawValue: number) else { continue }
      try set(field, to: content)
    }
  }

  private mutating func set(_ field: BusHeaderField, to value: BusValue) throws(BusFault) {
    switch (field, value) {
    case (.path, .objectPath(let text)): path = text
    case (.interface, .string(let text)): interface = text
    case (.member, .string(let text)): member = text
    case (.errorName, .string(let text)): errorName = text
    case (.replySerial, .uint32(let number)): replySerial = number
    case (.destination, .string(let text)): destination = text
    case (.sender, .string(let text)): sender = text
    case (.signature, .signature(let text)): signature = text
    case (.path, _), (.interface, _), (.member, _), (.errorName, _), (.replySerial, _),
      (.destination, _), (.sender, _), (.signature, _):
      throw .malformed
    }
  }

  /// Returns the kind, after checking that its mandatory fields are present.
  func kind(ofType type: UInt8) throws(BusFault) -> BusMessage.Kind {
    switch type {
    case 1:
      guard let path, let member else { throw .malformed }
      return .call(BusMessage.Member(path: path, interface: interface, name: member))
    case 2:
      guard let replySerial else { throw .malformed }
      return .reply(to: replySerial)
    case 3:
      guard let errorName, let replySerial else { throw .malformed }
      return .failure(name: errorName, to: replySerial)
    case 4:
      guard let path, let interface, let member else { throw .malformed }
      return .signal(BusMessage.Member(path: path, interface: interface, name: member))
    default: return .unknown(type)
    }
  }
}
