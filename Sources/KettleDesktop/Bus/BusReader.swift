/// Decodes values from bytes and never reads past the end.
struct BusReader {
  private let bytes: ArraySlice<UInt8>
  private let order: BusByteOrder
  /// Counted from the start of `bytes`, where alignment begins.
  private(set) var offset = 0

  init(_ bytes: ArraySlice<UInt8>, order: BusByteOrder) {
    self.bytes = bytes
    self.order = order
  }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func values(_ types: [BusType]) throws(BusFault) -> [BusValue] {
    var values: [BusValue] = []
    for type in types { values.append(try value(type, depth: 0)) }
    return values
  }

  mutating func value(_ type: BusType, depth: Int) throws(BusFault) -> BusValue {
    guard depth <= BusLimits.depthMax else { throw .tooLarge }
    try skipPadding(to: type.alignment)
    switch type {
    case .byte: return .byte(try number())
    case .boolean:
      let number: UInt32 = try number()
      guard number <= 1 else { throw .malformed }
      return .boolean(number == 1)
    case .int16: return .int16(try number())
    case .uint16: return .uint16(try number())
    case .int32: return .int32(try number())
    case .uint32: return .uint32(try number())
    case .int64: return .int64(try number())
    case .uint64: return .uint64(try number())
    case .double: return .double(Double(bitPattern: try number()))
    case .string: return .string(try string())
    case .objectPath:
      let path = try string()
      guard BusValue.isObjectPath(path) else { throw .malformed }
      return .objectPath(path)
    case .signature:
      let text = try signature()
      guard BusSignature.parse(text) != nil else { throw .malformed }
      return .signature(text)
    case .descriptor: return .descriptor(try number())
    case .variant: return .variant(try variant(depth: depth))
    case .array(let element): return try array(of: element, depth: depth)
    case .structure(let types):
      var members: [BusValue] = []
      for type in types { members.append(try value(type, depth: depth + 1)) }
      return .structure(members)
    case .entry(let key, let value):
      return .entry(
        key: try self.value(key, depth: depth + 1), value: try self.value(value, depth: depth + 1))
    }
  }

  /// Padding must be nul, so that nothing is hidden in it.
  mutating func skipPadding(to alignment: Int) throws(BusFault) {
    let padding = (alignment - offset % alignment) % alignment
    guard try readBytes(padding).allSatisfy({ $0 == 0 }) else { throw .malformed }
  }

  mutating func skip(_ count: Int) throws(BusFault) { _ = try readBytes(count) }

  private mutating func readBytes(_ count: Int) throws(BusFault) -> ArraySlice<UInt8> {
    guard count >= 0, count <= bytes.count - offset else { throw .cutOff }
    let taken = bytes.dropFirst(offset).prefix(count)
    offset += count
    return taken
  }

  mutating func number<Number: FixedWidthInteger>() throws(BusFault) -> Number {
    let taken = try readBytes(MemoryLayout<Number>.size)
    var number = Number.zero
    withUnsafeMutableBytes(of: &number) { $0.copyBytes(from: taken) }
    return order == .little ? Number(littleEndian: number) : Number(bigEndian: number)
  }

  private mutating func string() throws(BusFault) -> String {
    let count: UInt32 = try number()
    return try text(Int(count))
  }

  private mutating func signature() throws(BusFault) -> String {
    let count: UInt8 = try number()
    return try text(Int(count))
  }

  /// UTF-8 without a nul, followed by a nul.
  private mutating func text(_ count: Int) throws(BusFault) -> String {
    let content = try readBytes(count)
    guard try readBytes(1).first == 0, !content.contains(0),
      let text = String(validating: content, as: UTF8.self)
    else { throw .malformed }
    return text
  }

  private mutating func variant(depth: Int) throws(BusFault) -> BusValue {
    guard let types = BusSignature.parse(try signature()), let type = types.first,
      types.count == 1
    else { throw .malformed }
    return try value(type, depth: depth + 1)
  }

  private mutating func array(of element: BusType, depth: Int) throws(BusFault) -> BusValue {
    let byteCount: UInt32 = try number()
    // The padding is not part of the length.
    try skipPadding(to: element.alignment)
    guard byteCount <= bytes.count - offset else { throw .cutOff }
    let end = offset + Int(byteCount)
    var values: [BusValue] = []
    // Each element has at least one byte, so this ends.
    while offset < end { values.append(try value(element, depth: depth + 1)) }
    guard offset == end else { throw .malformed }
    return .array(of: element, values)
  }
}

/// Encodes values, and none that a receiver could not decode.
struct BusWriter {
  private(set) var bytes: [UInt8] = []
  private let order: BusByteOrder

  init(order: BusByteOrder) { self.order = order }

  mutating func append(_ value: BusValue, depth: Int = 0) throws(BusFault) {
    guard depth <= BusLimits.depthMax, bytes.count <= BusLimits.messageByteCountMax else {
      throw .tooLarge
    }
    pad(to: value.type.alignment)
    switch value {
    case .byte(let byte): bytes.append(byte)
    case .boolean(let boolean): append(number: UInt32(boolean ? 1 : 0))
    case .int16(let number): append(number: number)
    case .uint16(let number): append(number: number)
    case .int32(let number): append(number: number)
    case .uint32(let number): append(number: number)
    case .int64(let number): append(number: number)
    case .uint64(let number): append(number: number)
    case .double(let number): append(number: number.bitPattern)
    case .string(let text): try append(text)
    case .objectPath(let path):
      guard BusValue.isObjectPath(path) else { throw .malformed }
      try append(path)
    case .signature(let text): try append(signature: text)
    case .descriptor(let number): append(number: number)
    case .variant(let value):
      try append(signature: value.type.text)
      try append(value, depth: depth + 1)
    case .array(let element, let values): try append(values, of: element, depth: depth)
    case .structure(let members):
      guard !members.isEmpty else { throw .malformed }
      for member in members { try append(member, depth: depth + 1) }
    case .entry(let key, let value):
      guard key.type.isBasic else { throw .malformed }
      try append(key, depth: depth + 1)
      try append(value, depth: depth + 1)
    }
  }

  mutating func pad(to alignment: Int) {
    let padding = (alignment - bytes.count % alignment) % alignment
    bytes += repeatElement(0, count: padding)
  }

  mutating func append<Number: FixedWidthInteger>(number: Number) {
    let ordered = order == .little ? number.littleEndian : number.bigEndian
    withUnsafeBytes(of: ordered) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ text: String) throws(BusFault) {
    guard text.utf8.count <= BusLimits.messageByteCountMax else { throw .tooLarge }
    guard !text.utf8.contains(0) else { throw .malformed }
    append(number: UInt32(text.utf8.count))
    bytes += text.utf8
    bytes.append(0)
  }

  private mutating func append(signature: String) throws(BusFault) {
    guard BusSignature.parse(signature) != nil else { throw .malformed }
    bytes.append(UInt8(signature.utf8.count))
    bytes += signature.utf8
    bytes.append(0)
  }

  private mutating func append(
    _ values: [BusValue], of element: BusType, depth: Int
  ) throws(BusFault) {
    let lengthOffset = bytes.count
    append(number: UInt32.zero)
    pad(to: element.alignment)
    let start = bytes.count
    for value in values {
      guard value.type == element else { throw .malformed }
      try append(value, depth: depth + 1)
    }
    var length = BusWriter(order: order)
    length.append(number: UInt32(truncatingIfNeeded: bytes.count - start))
    bytes.replaceSubrange(lengthOffset..<lengthOffset + 4, with: length.bytes)
  }
}
