/// Numbers in this machine's byte order, as the kernel writes them (netlink(7)), each read only
/// when all its bytes are present.
extension ArraySlice<UInt8> {
  /// Returns the number at `offset` bytes from the start, or nil when it is cut off.
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

  /// Returns the part from `lower` up to but not including `upper`, both from the start; empty
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

/// Netlink aligns each header and attribute to four bytes.
func netlinkAligned(_ length: Int) -> Int { (length + 3) & ~3 }
