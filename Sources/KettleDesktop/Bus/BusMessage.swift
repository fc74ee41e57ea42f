import KettleModel

/// One message, in either direction (D-Bus Specification, "Message Protocol").
package struct BusMessage: Hashable, Sendable {
  /// The called method or the emitted signal.
  package struct Member: Hashable, Sendable {
    package var path: String
    package var interface: String?
    package var name: String

    package init(path: String, interface: String?, name: String) {
      self.path = path
      self.interface = interface
      self.name = name
    }
  }

  package enum Kind: Hashable, Sendable {
    case call(Member)
    case reply(to: UInt32)
    case failure(name: String, to: UInt32)
    case signal(Member)
    /// A kind that a later version of the bus may define; skipped.
    case unknown(UInt8)
  }

  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let noReplyExpected = Flags(rawValue: 1)
    /// The bus does not start a service for it.
    package static let noAutoStart = Flags(rawValue: 2)
  }

  package var kind: Kind
  package var flags: Flags = []
  /// Numbers the messages of one sender, from 1.
  package var serial: UInt32
  package var destination: String?
  /// Set by the bus, so it can be trusted.
  package var sender: String?
  package var body: [BusValue] = []

  package init(_ kind: Kind, serial: UInt32) {
    self.kind = kind
    self.serial = serial
  }
}

// MARK: - Encoding

extension BusMessage {
  package func encoded(_ order: BusByteOrder = .little) throws(BusFault) -> [UInt8] {
    var body = BusWriter(order: order)
    for value in self.body { try body.append(value) }
    var writer = BusWriter(order: order)
    writer.append(number: order.rawValue)
    writer.append(number: typeNumber)
    writer.append(number: flags.rawValue)
    writer.append(number: BusMessageStart.version)
    guard serial > 0, body.bytes.count <= BusLimits.messageByteCountMax else {
      throw serial > 0 ? .tooLarge : .malformed
    }
    writer.append(number: UInt32(body.bytes.count))
    writer.append(number: serial)
    try writer.append(.array(of: .structure([.byte, .variant]), fields))
    writer.pad(to: 8)
    let bytes = writer.bytes + body.bytes
    guard bytes.count <= BusLimits.messageByteCountMax else { throw .tooLarge }
    return bytes
  }

  private var typeNumber: UInt8 {
    switch kind {
    case .call: 1
    case .reply: 2
    case .failure: 3
    case .signal: 4
    case .unknown(let number): number
    }
  }

  private var fields: [BusValue] {
    var fields: [BusValue] = []
    func add(_ field: BusHeaderField, _ value: BusValue?) {
      guard let value else { return }
      fields.append(.structure([.byte(field.rawValue), .variant(value)]))
    }
    switch kind {
    case .call(let member), .signal(let member):
      add(.path, .objectPath(member.path))
      add(.interface, member.interface.map { .string($0) })
      add(.member, .string(member.name))
    case .reply(let serial): add(.replySerial, .uint32(serial))
    case .failure(let name, let serial):
      add(.errorName, .string(name))
      add(.replySerial, .uint32(serial))
    case .unknown: break
    }
    add(.destination, destination.map { .string($0) })
    add(.sender, sender.map { .string($0) })
    if !body.isEmpty { add(.signature, .signature(body.map(\.type.text).joined())) }
    return fields
  }
}

// MARK: - Decoding

/// The fixed-size beginning of every message.
struct BusMessageStart {
  static let byteCount = 16
  static let version: UInt8 = 1

  let order: BusByteOrder
  let type: UInt8
  let flags: UInt8
  let serial: UInt32
  let bodyByteCount: Int
  /// The fields follow the start; the body begins at the next multiple of eight.
  let fieldsByteCount: Int

  var messageByteCount: Int {
    ((Self.byteCount + fieldsByteCount + 7) & ~7) + bodyByteCount
  }

  /// Returns nil until all its bytes have arrived.
  init?(_ bytes: ArraySlice<UInt8>) throws(BusFault) {
    guard let first = bytes.first else { return nil }
    guard let order = BusByteOrder(rawValue: first) else { throw .malformed }
    guard bytes.count >= Self.byteCount else { return nil }
    self.order = order
    var reader = BusReader(bytes.dropFirst().prefix(Self.byteCount - 1), order: order)
    type = try reader.number()
    flags = try reader.number()
    let version: UInt8 = try reader.number()
    let bodyByteCount: UInt32 = try reader.number()
    serial = try reader.number()
    let fieldsByteCount: UInt32 = try reader.number()
    guard version == Self.version, serial > 0, type > 0 else { throw .malformed }
    self.bodyByteCount = Int(bodyByteCount)
    self.fieldsByteCount = Int(fieldsByteCount)
    guard messageByteCount <= BusLimits.messageByteCountMax else { throw .tooLarge }
  }
}

extension BusMessage {
  /// Parses one complete message.
  init(bytes: ArraySlice<UInt8>) throws(BusFault) {
    guard let start = try BusMessageStart(bytes), start.messageByteCount <= bytes.count else {
      throw .cutOff
    }
    guard start.messageByteCount == bytes.count else { throw .malformed }
    var reader = BusReader(bytes, order: start.order)
    // The length of the fields is the last number of the start.
    try reader.skip(BusMessageStart.byteCount - 4)
    let fields = try BusHeaderFields(
      try reader.value(.array(.structure([.byte, .variant])), depth: 0))
    try reader.skipPadding(to: 8)
    self.init(try fields.kind(ofType: start.type), serial: start.serial)
    flags = Flags(rawValue: start.flags)
    destination = fields.destination
    sender = fields.sender
    guard let types = BusSignature.parse(fields.signature) else { throw .malformed }
    // The body begins at a multiple of eight, so it is aligned like the message.
    body = try reader.values(types)
    guard reader.isAtEnd else { throw .malformed }
  }
}

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

/// Splits the bytes from the bus into messages.
package struct BusMessageSplitter {
  private var bytes: ArraySlice<UInt8> = []

  package init() {}

  package mutating func append(_ more: some Collection<UInt8>) {
    // The bytes already read are freed with the old array.
    bytes = ArraySlice(Array(bytes) + more)
  }

  /// Returns the next complete message, or nil until more has arrived. After a fault no later
  /// message can be found.
  package mutating func next() throws(BusFault) -> BusMessage? {
    guard let byteCount = try BusMessageStart(bytes)?.messageByteCount, byteCount <= bytes.count
    else { return nil }
    let message = bytes.prefix(byteCount)
    bytes = bytes.dropFirst(byteCount)
    return try BusMessage(bytes: message)
  }
}

/// The authentication before the first message: our identity is what the kernel reports (D-Bus
/// Specification, "Authentication Protocol", EXTERNAL).
struct BusHandshake {
  static let lineByteCountMax = 1024

  enum Step: Hashable {
    /// More input is needed.
    case wait
    /// Send this; messages follow, and `rest` arrived after the handshake.
    case begin(send: [UInt8], rest: [UInt8])
    case refused
  }

  private var line: [UInt8] = []

  /// The first bytes sent. A server that sees no credentials looks at the leading nul.
  static func greeting(userID: UInt32) -> [UInt8] {
    let digits = String(userID).utf8.hexadecimal
    return [0] + Array("AUTH EXTERNAL \(digits)\r\n".utf8)
  }

  mutating func receive(_ bytes: some Collection<UInt8>) -> Step {
    line += bytes
    guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else {
      return line.count > Self.lineByteCountMax ? .refused : .wait
    }
    let words = line[..<end].split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
    guard end <= Self.lineByteCountMax, words.first?.elementsEqual("OK".utf8) == true else {
      return .refused
    }
    return .begin(send: Array("BEGIN\r\n".utf8), rest: Array(line[(end + 1)...]))
  }
}
