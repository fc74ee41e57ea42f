/// Separates the data of a chunked body from its framing, by the letter of RFC 9112, section 7.1.
///
/// libcurl is lenient with the framing: it accepts a bare LF as the end of a chunk, `0x1000` as 0,
/// and any byte as the end of a size. Each of these can turn a broken reply into a complete file
/// with wrong bytes. So libcurl only finds the end of the exchange, and this decoder decides which
/// bytes are data. It keeps its state between calls, so the body may be split anywhere.
struct ChunkDecoder: Equatable {
  /// The kind of the next bytes of the body.
  enum Span: Equatable {
    /// Framing, already consumed by the decoder.
    case framing(byteCount: Int)
    /// Data. The caller reports through `consumeData` how much of it was delivered.
    case data(byteCount: Int)
    /// More bytes are needed; nothing was consumed.
    case needsMore
    /// The body has ended. Any remaining bytes do not belong to it.
    case complete
    case broken(String)
  }

  private enum State: Equatable {
    case size(value: Int64, digitCount: Int)
    case sizeBlanks(size: Int64, byteCount: Int)
    case chunkExtension(size: Int64, byteCount: Int)
    case sizeLineFeed(size: Int64)
    case data(remaining: Int64)
    case dataReturn
    case dataLineFeed
    case trailerStart
    case trailerName(byteCount: Int)
    case trailerValue(byteCount: Int)
    case trailerLineFeed
    case lastLineFeed
    case complete
    case broken(String)
  }

  /// Enough for 64 bits; libcurl reads no more than that.
  static let sizeDigitCountMax = 16
  static let extensionByteCountMax = 4096
  /// About the same as libcurl's own limit for one trailer field.
  static let trailerByteCountMax = 4000
  static let trailerCountMax = 100

  private var state = State.size(value: 0, digitCount: 0)
  private var trailerCount = 0

  var isComplete: Bool { state == .complete }

  /// Reads framing up to the next data, the end of the bytes, or the end of the body.
  mutating func next(in bytes: UnsafeRawBufferPointer) -> Span {
    var consumed = 0
    for byte in bytes {
      switch state {
      case .data, .complete, .broken: return span(consumed: consumed, of: bytes.count)
      case .size, .sizeBlanks, .chunkExtension, .sizeLineFeed, .dataReturn, .dataLineFeed,
        .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .lastLineFeed:
        state = state(after: byte)
        consumed += 1
      }
    }
    return span(consumed: consumed, of: bytes.count)
  }

  /// Records that this many bytes of the data announced by `next` were delivered.
  mutating func consumeData(_ byteCount: Int) {
    guard case .data(let remaining) = state else { return }
    let rest = max(remaining - Int64(byteCount), 0)
    state = rest > 0 ? .data(remaining: rest) : .dataReturn
  }

  private func span(consumed: Int, of byteCount: Int) -> Span {
    if case .broken(let reason) = state { return .broken(reason) }
    if consumed > 0 { return .framing(byteCount: consumed) }
    switch state {
    case .complete: return .complete
    case .data(let remaining) where byteCount > 0:
      return .data(byteCount: Int(min(Int64(byteCount), remaining)))
    case .size, .sizeBlanks, .chunkExtension, .sizeLineFeed, .data, .dataReturn, .dataLineFeed,
      .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .lastLineFeed, .broken:
      return .needsMore
    }
  }
}

// MARK: - Framing

extension ChunkDecoder {
  private mutating func state(after byte: UInt8) -> State {
    switch state {
    case .size(let value, let digitCount): Self.size(value, digitCount: digitCount, next: byte)
    case .sizeBlanks(let size, let byteCount):
      Self.sizeBlanks(size, byteCount: byteCount, next: byte)
    case .chunkExtension(let size, let byteCount):
      Self.chunkExtension(size, byteCount: byteCount, next: byte)
    case .sizeLineFeed(let size):
      Self.expectLineFeed(byte, size == 0 ? .trailerStart : .data(remaining: size))
    case .dataReturn:
      byte == Byte.carriageReturn
        ? .dataLineFeed : .broken("a chunk is not as long as its size says")
    case .dataLineFeed: Self.expectLineFeed(byte, .size(value: 0, digitCount: 0))
    case .trailerStart: trailerStart(byte)
    case .trailerName(let byteCount): Self.trailerName(byteCount, byte)
    case .trailerValue(let byteCount): Self.trailerValue(byteCount, byte)
    case .trailerLineFeed: Self.expectLineFeed(byte, .trailerStart)
    case .lastLineFeed: Self.expectLineFeed(byte, .complete)
    case .data, .complete, .broken: state
    }
  }

  private static func expectLineFeed(_ byte: UInt8, _ next: State) -> State {
    byte == Byte.lineFeed ? next : .broken("a CR without LF")
  }

  private static func size(_ value: Int64, digitCount: Int, next byte: UInt8) -> State {
    if let digit = hexadecimalDigit(byte) {
      guard digitCount < sizeDigitCountMax, value <= Int64.max >> 4 else {
        return .broken("a chunk size is too large")
      }
      return .size(value: value << 4 | digit, digitCount: digitCount + 1)
    }
    guard digitCount > 0 else { return .broken("a chunk size is not a hexadecimal number") }
    return sizeBlanks(value, byteCount: 0, next: byte)
  }

  /// Blanks may precede a semicolon (`BWS`). Some servers also pad every size with blanks to the
  /// same width, which leaves the size unambiguous.
  private static func sizeBlanks(_ size: Int64, byteCount: Int, next byte: UInt8) -> State {
    switch byte {
    case Byte.carriageReturn: .sizeLineFeed(size: size)
    case Byte.semicolon: .chunkExtension(size: size, byteCount: 0)
    case Byte.space, Byte.tab:
      byteCount < sizeDigitCountMax
        ? .sizeBlanks(size: size, byteCount: byteCount + 1)
        : .broken("a chunk size is followed by too many blanks")
    default: .broken("a chunk size is not a hexadecimal number")
    }
  }

  private static func chunkExtension(
    _ size: Int64, byteCount: Int, next byte: UInt8
  ) -> State {
    if byte == Byte.carriageReturn { return .sizeLineFeed(size: size) }
    guard isText(byte) else { return .broken("a chunk extension contains a control character") }
    guard byteCount < extensionByteCountMax else { return .broken("a chunk extension is too long") }
    return .chunkExtension(size: size, byteCount: byteCount + 1)
  }

  private mutating func trailerStart(_ byte: UInt8) -> State {
    if byte == Byte.carriageReturn { return .lastLineFeed }
    trailerCount += 1
    guard trailerCount <= Self.trailerCountMax else { return .broken("it has too many trailers") }
    return Self.trailerName(0, byte)
  }

  private static func trailerName(_ byteCount: Int, _ byte: UInt8) -> State {
    if byte == Byte.colon, byteCount > 0 { return .trailerValue(byteCount: byteCount + 1) }
    guard byte > Byte.space, byte < Byte.delete, byte != Byte.colon else {
      return .broken("a trailer has no name")
    }
    guard byteCount < trailerByteCountMax else { return .broken("a trailer is too long") }
    return .trailerName(byteCount: byteCount + 1)
  }

  private static func trailerValue(_ byteCount: Int, _ byte: UInt8) -> State {
    if byte == Byte.carriageReturn { return .trailerLineFeed }
    guard isText(byte) else { return .broken("a trailer contains a control character") }
    guard byteCount < trailerByteCountMax else { return .broken("a trailer is too long") }
    return .trailerValue(byteCount: byteCount + 1)
  }
}

// MARK: - Bytes

extension ChunkDecoder {
  private enum Byte {
    static let tab: UInt8 = 9
    static let lineFeed: UInt8 = 10
    static let carriageReturn: UInt8 = 13
    static let space: UInt8 = 32
    static let colon: UInt8 = 58
    static let semicolon: UInt8 = 59
    static let delete: UInt8 = 127
  }

  private static func isText(_ byte: UInt8) -> Bool {
    byte == Byte.tab || (byte >= Byte.space && byte != Byte.delete)
  }

  private static func hexadecimalDigit(_ byte: UInt8) -> Int64? {
    switch byte {
    case 48...57: Int64(byte) - 48
    case 65...70: Int64(byte) - 55
    case 97...102: Int64(byte) - 87
    default: nil
    }
  }
}
