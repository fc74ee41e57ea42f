/// A chunked body (RFC 9112, section 7.1), with at most one framing error.
package struct ChunkScript: Hashable, Sendable {
  package enum Flaw: Hashable, Sendable {
    /// A chunk is announced as this many bytes longer than it is.
    case announcedTooLong(by: Int)
    /// A chunk is announced as this many bytes shorter than it is.
    case announcedTooShort(by: Int)
    /// A chunk size has this prefix before its digits.
    case sizePrefix(String)
    /// A chunk has an extension that contains a bare LF.
    case lineFeedInExtension
    /// No line end follows a chunk.
    case noLineEnd
    /// The empty chunk that ends the body is missing.
    case noLastChunk
  }

  package var chunkByteCount: Int
  package var flaw: Flaw?
  /// The offset in the body of the chunk with the error.
  package var flawOffset: Int64

  package init(chunkByteCount: Int = 1000, flaw: Flaw? = nil, at flawOffset: Int64 = 0) {
    self.chunkByteCount = chunkByteCount
    self.flaw = flaw
    self.flawOffset = flawOffset
  }

  /// The part of the body that begins at `offset`, as chunks.
  package func encoded(_ bytes: [UInt8], from offset: Int64 = 0) -> [UInt8] {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: chunkByteCount) {
      let chunk = bytes[start..<min(start + chunkByteCount, bytes.count)]
      let flaw = offset + Int64(start) == flawOffset ? flaw : nil
      text += Self.sizeLine(chunk.count, flaw) + chunk
      if flaw != .noLineEnd { text += [13, 10] }
    }
    return text
  }

  /// What ends the body.
  package var end: [UInt8] { flaw == .noLastChunk ? [] : Array("0\r\n\r\n".utf8) }

  private static func sizeLine(_ byteCount: Int, _ flaw: Flaw?) -> [UInt8] {
    var announced = byteCount
    var (prefix, lineExtension) = ("", "")
    switch flaw {
    case .announcedTooLong(let count): announced += count
    case .announcedTooShort(let count): announced -= count
    case .sizePrefix(let text): prefix = text
    case .lineFeedInExtension: lineExtension = ";a\nb"
    case .noLineEnd, .noLastChunk, nil: break
    }
    return Array((prefix + String(announced, radix: 16) + lineExtension + "\r\n").utf8)
  }
}
