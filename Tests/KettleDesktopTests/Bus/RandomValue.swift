import SeededNumbers

@testable import KettleDesktop

/// Random types and values of a message.
enum RandomValue {
  static func type(_ generator: inout SeededGenerator, depth: Int = 0) -> BusType {
    let basics: [BusType] = [
      .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string,
      .objectPath, .signature, .descriptor,
    ]
    let basic = basics.randomElement(using: &generator) ?? .byte
    guard depth < 4 else { return basic }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: return .variant
    case 1: return .array(type(&generator, depth: depth + 1))
    case 2: return .array(.entry(basic, type(&generator, depth: depth + 1)))
    case 3:
      let count = Int.random(in: 1...3, using: &generator)
      return .structure((0..<count).map { _ in type(&generator, depth: depth + 1) })
    default: return basic
    }
  }

  static func value(
    of type: BusType, _ generator: inout SeededGenerator, depth: Int = 0
  ) -> BusValue {
    switch type {
    case .byte: .byte(.random(in: .min ... .max, using: &generator))
    case .boolean: .boolean(.random(using: &generator))
    case .int16: .int16(.random(in: .min ... .max, using: &generator))
    case .uint16: .uint16(.random(in: .min ... .max, using: &generator))
    case .int32: .int32(.random(in: .min ... .max, using: &generator))
    case .uint32: .uint32(.random(in: .min ... .max, using: &generator))
    case .int64: .int64(.random(in: .min ... .max, using: &generator))
    case .uint64: .uint64(.random(in: .min ... .max, using: &generator))
    case .double: .double(.random(in: -1e300...1e300, using: &generator))
    case .string:
      .string(["", "a", "Kessel über Nacht", "🫖"].randomElement(using: &generator) ?? "")
    case .objectPath: .objectPath(["/", "/a", "/a_1/B"].randomElement(using: &generator) ?? "/")
    case .signature: .signature(["", "s", "a{sv}", "(ii)"].randomElement(using: &generator) ?? "")
    case .descriptor: .descriptor(.random(in: 0...9, using: &generator))
    case .variant:
      .variant(
        value(of: self.type(&generator, depth: depth + 2), &generator, depth: depth + 2))
    case .array(let element):
      .array(
        of: element,
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in
          value(of: element, &generator, depth: depth + 1)
        })
    case .structure(let members):
      .structure(members.map { value(of: $0, &generator, depth: depth + 1) })
    case .entry(let key, let content):
      .entry(
        key: value(of: key, &generator, depth: depth + 1),
        value: value(of: content, &generator, depth: depth + 1))
    }
  }

  static func message(_ generator: inout SeededGenerator) -> BusMessage {
    let member = BusMessage.Member(path: "/org/example", interface: "org.example", name: "Boil")
    let kinds: [BusMessage.Kind] = [
      .call(member), .signal(member), .reply(to: 7), .failure(name: "org.example.Cold", to: 7),
    ]
    var message = BusMessage(
      kinds.randomElement(using: &generator) ?? .reply(to: 1),
      serial: .random(in: 1 ... .max, using: &generator))
    message.flags = [[], .noAutoStart, .noReplyExpected].randomElement(using: &generator) ?? []
    message.destination = Bool.random(using: &generator) ? "org.example" : nil
    message.sender = Bool.random(using: &generator) ? ":1.42" : nil
    message.body = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
      value(of: type(&generator), &generator)
    }
    return message
  }
}
