extension FileName {
  /// The last segment of a path if it is already safe, as nearly all are; nil means undecided. A
  /// fast path, because the name of every added transfer is displayed.
  package static func plainLastSegment(of path: Span<UInt8>) -> String? {
    var start = path.count
    while start > 0, path[start - 1] != UInt8(ascii: "/") { start -= 1 }
    let name = path.extracting(start..<path.count)
    guard name.count > 0, name.count <= sanitizedByteCountMax else { return nil }
    var stemCount = name.count
    for index in name.indices {
      let byte = name[index]
      guard isPlain(byte), index > 0 || isLetterOrDigit(byte) else { return nil }
      if byte == UInt8(ascii: "."), stemCount == name.count { stemCount = index }
    }
    guard name[name.count - 1] != UInt8(ascii: ".") else { return nil }
    // `con.txt` and `lpt1` have stems of this length, and few other names do.
    guard stemCount != 3, stemCount != 4 else { return nil }
    return name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"): true
    default: isLetterOrDigit(byte)
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
