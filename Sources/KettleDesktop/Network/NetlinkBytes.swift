/// Numbers in the byte order of this machine, as the kernel writes them (netlink(7)), each read
/// only when all its bytes are there.
extension ArraySlice<UInt8> {
  /// The number that begins `offset` bytes behind the start; nil when it is cut off.
  func number<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type = Number.self)
    -> Number?
  {
    let size = MemoryLayout<Number>.size
    guard offset >= 0, count >= size, offset <= count - size else { return nil }
    var number = Number.zero
    let bytes = part(offset, offset + size)
    Swift.withUnsafeMutableBytes(of: &number) { $0.copyBytes(from: bytes) }
    return number
  }

  /// The part from `lower` up to and not including `upper`, both counted from the start; empty
  /// where there is nothing.
  func part(_ lower: Int, _ upper: Int) -> ArraySlice<UInt8> {
    dropFirst(Swift.max(0, lower)).prefix(Swift.max(0, upper - Swift.max(0, lower)))
  }
}

extension Array<UInt8> {
  mutating func append<Number: FixedWidthInteger>(number: Number) {
    Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
  }
}

/// Netlink puts each header and attribute at a multiple of four bytes.
func netlinkAligned(_ length: Int) -> Int { (length + 3) & ~3 }
