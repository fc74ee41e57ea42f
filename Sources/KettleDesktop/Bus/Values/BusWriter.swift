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
