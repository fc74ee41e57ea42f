/// Writes values as JSON in one pass, with the keys of each object in order, as `JSONEncoder` does
/// with `sortedKeys` and `withoutEscapingSlashes`.
///
/// That encoder makes an object for each value before it writes any, which takes most of the time
/// in which a service answers a long list. This one writes at once. It puts an object's members
/// into order when the object ends, and no member is written twice.
struct LineEncoder: Sendable {
  /// Throws for a number that is not finite, and what the value throws.
  func encode(_ value: some Encodable) throws -> [UInt8] {
    let output = LineOutput()
    try output.write(value)
    return output.text.bytes
  }
}

/// Where the encoders of a value and of all values in it write.
private final class LineOutput {
  var text = LineText()

  /// Writes any value. One that encodes nothing is an empty object.
  func write(_ value: some Encodable) throws {
    let (start, depth) = (text.bytes.count, text.depth)
    try value.encode(to: LineValueEncoder(output: self, depth: depth))
    if text.bytes.count == start { text.open(isObject: true, at: depth) }
    text.close(to: depth)
  }
}

/// The text written so far, and the objects and arrays in it that are not closed yet.
///
/// A container says by its depth where it writes: what is open below it ends then.
private struct LineText {
  private struct Frame {
    var isObject: Bool
    /// Where its brackets begin.
    var start: Int
    /// Of an object: an index of `members`.
    var firstMember: Int
    var count = 0
    var isInOrder = true
  }

  private struct Member {
    var key: String
    var start: Int
  }

  private(set) var bytes: [UInt8] = []
  private var frames: [Frame] = []
  /// Of all open objects.
  private var members: [Member] = []

  var depth: Int { frames.count }

  // MARK: Objects and arrays

  /// Opens the object or array of a value, or returns to it: a value may ask for it several times.
  mutating func open(isObject: Bool, at depth: Int) {
    if frames.count > depth { return close(to: depth + 1) }
    frames.append(Frame(isObject: isObject, start: bytes.count, firstMember: members.count))
    bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
  }

  /// Begins the next member of the innermost object above `depth`.
  mutating func beginMember(_ key: String, at depth: Int) {
    beginElement(at: depth)
    if frames[depth].count > 1, let last = members.last, key < last.key {
      frames[depth].isInOrder = false
    }
    members.append(Member(key: key, start: bytes.count))
    write(key)
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func beginElement(at depth: Int) {
    close(to: depth + 1)
    if frames[depth].count > 0 { bytes.append(UInt8(ascii: ",")) }
    frames[depth].count += 1
  }

  func elementCount(at depth: Int) -> Int { frames.count > depth ? frames[depth].count : 0 }

  mutating func close(to depth: Int) {
    while frames.count > depth, let frame = frames.popLast() {
      if frame.isObject {
        if !frame.isInOrder { sortMembers(of: frame) }
        members.removeLast(members.count - frame.firstMember)
      }
      bytes.append(frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }
  }

  private mutating func sortMembers(of frame: Frame) {
    let own = members[frame.firstMember...]
    let ends = own.dropFirst().map { $0.start - 1 } + [bytes.count]
    let sorted = zip(own, ends).sorted { $0.0.key < $1.0.key }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count - frame.start)
    for (member, end) in sorted {
      if !text.isEmpty { text.append(UInt8(ascii: ",")) }
      text += bytes[member.start..<end]
    }
    bytes.replaceSubrange((frame.start + 1)..., with: text)
  }

  // MARK: Values

  mutating func writeNull() { bytes.append(contentsOf: "null".utf8) }

  mutating func write(_ value: Bool) { bytes.append(contentsOf: (value ? "true" : "false").utf8) }

  mutating func write(number: some BinaryInteger & CustomStringConvertible) {
    var text = number.description
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  mutating func write(number: some BinaryFloatingPoint & CustomStringConvertible) throws {
    guard number.isFinite else {
      throw EncodingError.invalidValue(
        number, .init(codingPath: [], debugDescription: "JSON has no such number"))
    }
    let text = number.description
    bytes.append(contentsOf: (text.hasSuffix(".0") ? text.dropLast(2) : text[...]).utf8)
  }

  /// Writes a string with the escapes that JSON requires (RFC 8259, section 7).
  mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      var plainFrom = 0
      for (index, byte) in utf8.enumerated() {
        guard byte < 32 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
          continue
        }
        bytes.append(contentsOf: utf8[plainFrom..<index])
        plainFrom = index + 1
        escape(byte)
      }
      bytes.append(contentsOf: utf8[plainFrom...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    let letter: Unicode.Scalar? =
      switch byte {
      case UInt8(ascii: "\""): "\""
      case UInt8(ascii: "\\"): "\\"
      case 0x08: "b"
      case 0x0C: "f"
      case UInt8(ascii: "\n"): "n"
      case UInt8(ascii: "\r"): "r"
      case UInt8(ascii: "\t"): "t"
      default: nil
      }
    bytes.append(UInt8(ascii: "\\"))
    if let letter { return bytes.append(UInt8(ascii: letter)) }
    let digits = String(byte, radix: 16)
    bytes.append(contentsOf: (digits.utf8.count == 1 ? "u000" : "u00").utf8)
    bytes.append(contentsOf: digits.utf8)
  }
}

/// The encoder of one value.
private struct LineValueEncoder: Encoder {
  let output: LineOutput
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    output.text.open(isObject: true, at: depth)
    return KeyedEncodingContainer(LineObject(output: output, depth: depth))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    output.text.open(isObject: false, at: depth)
    return LineArray(output: output, depth: depth)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    LineSingleValue(output: output)
  }
}

private struct LineSingleValue: SingleValueEncodingContainer {
  let output: LineOutput
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { output.text.writeNull() }
  func encode(_ value: Bool) { output.text.write(value) }
  func encode(_ value: String) { output.text.write(value) }
  func encode(_ value: Double) throws { try output.text.write(number: value) }
  func encode(_ value: Float) throws { try output.text.write(number: value) }
  func encode(_ value: Int) { output.text.write(number: value) }
  func encode(_ value: Int8) { output.text.write(number: value) }
  func encode(_ value: Int16) { output.text.write(number: value) }
  func encode(_ value: Int32) { output.text.write(number: value) }
  func encode(_ value: Int64) { output.text.write(number: value) }
  func encode(_ value: UInt) { output.text.write(number: value) }
  func encode(_ value: UInt8) { output.text.write(number: value) }
  func encode(_ value: UInt16) { output.text.write(number: value) }
  func encode(_ value: UInt32) { output.text.write(number: value) }
  func encode(_ value: UInt64) { output.text.write(number: value) }
  func encode(_ value: some Encodable) throws { try output.write(value) }
}

private struct LineObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: LineOutput
  let depth: Int
  var codingPath: [any CodingKey] { [] }

  private func value(_ key: Key) -> LineSingleValue {
    output.text.beginMember(key.stringValue, at: depth)
    return LineSingleValue(output: output)
  }

  func encodeNil(forKey key: Key) { value(key).encodeNil() }
  func encode(_ value: Bool, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: String, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Double, forKey key: Key) throws { try self.value(key).encode(value) }
  func encode(_ value: Int, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: Int64, forKey key: Key) { self.value(key).encode(value) }
  func encode(_ value: some Encodable, forKey key: Key) throws { try self.value(key).encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    superEncoder(forKey: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    superEncoder(forKey: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    output.text.beginMember("super", at: depth)
    return LineValueEncoder(output: output, depth: output.text.depth)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    output.text.beginMember(key.stringValue, at: depth)
    return LineValueEncoder(output: output, depth: output.text.depth)
  }
}

private struct LineArray: UnkeyedEncodingContainer {
  let output: LineOutput
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var count: Int { output.text.elementCount(at: depth) }

  private var next: LineSingleValue {
    output.text.beginElement(at: depth)
    return LineSingleValue(output: output)
  }

  func encodeNil() { next.encodeNil() }
  func encode(_ value: Bool) { next.encode(value) }
  func encode(_ value: String) { next.encode(value) }
  func encode(_ value: Double) throws { try next.encode(value) }
  func encode(_ value: Int) { next.encode(value) }
  func encode(_ value: Int64) { next.encode(value) }
  func encode(_ value: some Encodable) throws { try next.encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    superEncoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    superEncoder().unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    output.text.beginElement(at: depth)
    return LineValueEncoder(output: output, depth: output.text.depth)
  }
}
