import SeededNumbers
import Testing

@testable import KettleCurl

struct ChunkDecoderTests {
  private enum End: Equatable {
    case needsMore
    case complete(unreadByteCount: Int)
    case broken(String)
  }

  /// Decodes the pieces, and consumes at most `step` bytes of data at a time.
  private func decode(_ pieces: [[UInt8]], step: Int = .max) -> (data: [UInt8], end: End) {
    var (decoder, data) = (ChunkDecoder(), [UInt8]())
    for (index, piece) in pieces.enumerated() {
      var rest = piece[...]
      while !rest.isEmpty {
        switch rest.withUnsafeBytes({ decoder.next(in: $0) }) {
        case .framing(let count): rest = rest.dropFirst(count)
        case .data(let count):
          let taken = min(count, step)
          data += rest.prefix(taken)
          rest = rest.dropFirst(taken)
          decoder.consumeData(taken)
        case .needsMore: rest = []
        case .complete:
          let later = pieces[(index + 1)...].reduce(0) { $0 + $1.count }
          return (data, .complete(unreadByteCount: rest.count + later))
        case .broken(let reason): return (data, .broken(reason))
        }
      }
    }
    return (data, decoder.isComplete ? .complete(unreadByteCount: 0) : .needsMore)
  }

  private func decode(_ text: String) -> (data: [UInt8], end: End) { decode([Array(text.utf8)]) }

  // Fault 27
  @Test(arguments: [
    ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
    ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
    ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("0005\r\nhello\r\n000\r\n\r\n", "hello"),
    ("0000000000000002\r\nhi\r\n0\r\n\r\n", "hi"), ("2;a=b\r\nhi\r\n0;c\r\n\r\n", "hi"),
    ("2 \t;a=\"\t\u{FC}\"\r\nhi\r\n0\r\n\r\n", "hi"), ("2  \r\nhi\r\n0\t\r\n\r\n", "hi"),
    ("2\r\n\r\n\r\n2\r\n0\r\r\n0\r\n\r\n", "\r\n0\r"), ("2\r\nhi\r\n0\r\nA: b\r\nC:\r\n\r\n", "hi"),
  ])
  func `valid chunks are decoded`(text: String, data: String) {
    let decoded = decode(text)
    #expect(decoded.data == Array(data.utf8))
    #expect(decoded.end == .complete(unreadByteCount: 0))
  }

  private static let size = "a chunk size is not a hexadecimal number"
  private static let length = "a chunk is not as long as its size says"

  // Fault 27
  @Test(arguments: [
    ("\r\n", size), ("zz\r\n", size), ("-5\r\nhello\r\n", size), ("+10\r\n", size),
    (" 10\r\n", size),
    ("0x10\r\n", size), ("10,\r\n", size), ("10 20\r\n", size), ("10\n", size),
    ("1\u{0}0\r\n", size),
    (";a\r\n", size), ("8000000000000000\r\n", "a chunk size is too large"),
    ("00000000000000001\r\n", "a chunk size is too large"), ("10\ra", "a CR without LF"),
    ("1" + String(repeating: " ", count: 17), "a chunk size is followed by too many blanks"),
    ("10;ext\n", "a chunk extension contains a control character"),
    ("10;a\u{7F}\r\n", "a chunk extension contains a control character"),
    ("10;a\rb\r\n", "a CR without LF"), ("6\r\nhello\r\n0\r\n\r\n", length),
    ("4\r\nhello\r\n", length),
    ("5\r\nhello\n", length), ("5\r\nhello0\r\n\r\n", length), ("5\r\nhello\r0", "a CR without LF"),
    ("0\r\n\n", "a trailer has no name"), ("0\r\n\r\r", "a CR without LF"),
    ("0\r\nbad\r\n\r\n", "a trailer has no name"), ("0\r\n: b\r\n\r\n", "a trailer has no name"),
    ("0\r\n a: b\r\n", "a trailer has no name"),
    ("0\r\na: b\n", "a trailer contains a control character"),
    ("0\r\na: b\rc", "a CR without LF"),
  ])
  func `malformed chunks are rejected`(text: String, reason: String) {
    #expect(decode(text).end == .broken(reason))
    // The same, split into single bytes.
    #expect(decode(text.utf8.map { [$0] }).end == .broken(reason))
  }

  // Fault 27
  @Test func `extensions and trailers are bounded`() {
    let long = String(repeating: "x", count: ChunkDecoder.extensionByteCountMax)
    #expect(decode("1;\(long)\r\n").end == .needsMore)
    #expect(decode("1;\(long)x").end == .broken("a chunk extension is too long"))
    let field = "n:" + String(repeating: "x", count: ChunkDecoder.trailerByteCountMax - 2)
    #expect(decode("0\r\n\(field)\r\n\r\n").end == .complete(unreadByteCount: 0))
    #expect(decode("0\r\n\(field)x").end == .broken("a trailer is too long"))
    #expect(decode("0\r\nn\(String(field.dropFirst(2)))xx").end == .broken("a trailer is too long"))
    let fields = String(repeating: "a:b\r\n", count: ChunkDecoder.trailerCountMax)
    #expect(decode("0\r\n\(fields)\r\n").end == .complete(unreadByteCount: 0))
    #expect(decode("0\r\n\(fields)a").end == .broken("it has too many trailers"))
  }

  @Test func `the largest chunk size does not overflow`() {
    #expect(decode("7fffffffffffffff\r\nhello").end == .needsMore)
    #expect(decode("7fffffffffffffff\r\nhello").data == Array("hello".utf8))
  }

  @Test func `text after the end is not parsed`() {
    let decoded = decode("2\r\nhi\r\n0\r\n\r\n2\r\nho")
    #expect(decoded.data == Array("hi".utf8))
    #expect(decoded.end == .complete(unreadByteCount: 5))
  }

  // Fault 27
  @Test func `a body is complete with its last byte, however it is split`() {
    let bytes = Array("5;a=b\r\nhello\r\n1\r\n\r\r\n0 \r\nX: y\r\n\r\n".utf8)
    for cut in bytes.indices {
      let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
      #expect(decode([pieces[0]]).end == .needsMore, "cut at \(cut)")
      for step in 1...6 {
        let decoded = decode(pieces, step: step)
        #expect(decoded.data == Array("hello\r".utf8), "cut at \(cut)")
        #expect(decoded.end == .complete(unreadByteCount: 0), "cut at \(cut)")
      }
    }
  }

  @Test func `unconsumed bytes are reported again`() {
    var decoder = ChunkDecoder()
    let bytes = Array("5\r\nhello\r\n".utf8)
    bytes.withUnsafeBytes { bytes in
      let rest = { UnsafeRawBufferPointer(rebasing: bytes[$0...]) }
      #expect(decoder.next(in: bytes) == .framing(byteCount: 3))
      #expect(decoder.next(in: rest(3)) == .data(byteCount: 5))
      #expect(decoder.next(in: rest(3)) == .data(byteCount: 5))
      decoder.consumeData(2)
      #expect(decoder.next(in: rest(5)) == .data(byteCount: 3))
      decoder.consumeData(3)
      #expect(decoder.next(in: rest(8)) == .framing(byteCount: 2))
      #expect(decoder.next(in: rest(10)) == .needsMore)
    }
  }

  @Test func `random bodies are decoded regardless of their chunks and splits`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let body = (0..<Int.random(in: 0...400, using: &random)).map { _ in
        [13, 10, 48, 59, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)
          ?? 0
      }
      let encoded = encode(body, &random)
      var (pieces, start) = ([[UInt8]](), 0)
      while start < encoded.count {
        let end = min(start + Int.random(in: 1...60, using: &random), encoded.count)
        pieces.append(Array(encoded[start..<end]))
        start = end
      }
      let decoded = decode(pieces, step: Int.random(in: 1...50, using: &random))
      #expect(decoded.data == body, "seed \(seed)")
      #expect(decoded.end == .complete(unreadByteCount: 0), "seed \(seed)")
    }
  }

  private func encode(_ body: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var (encoded, start) = ([UInt8](), 0)
    while start < body.count {
      let end = min(start + Int.random(in: 1...40, using: &random), body.count)
      let zeros = String(repeating: "0", count: Int.random(in: 0...3, using: &random))
      let size = String(end - start, radix: 16, uppercase: Bool.random(using: &random))
      let suffix = ["", ";a=b", " ; c"].randomElement(using: &random) ?? ""
      encoded += Array("\(zeros)\(size)\(suffix)\r\n".utf8) + body[start..<end] + [13, 10]
      start = end
    }
    let trailer = Bool.random(using: &random) ? "A: b\r\n" : ""
    return encoded + Array("0\r\n\(trailer)\r\n".utf8)
  }
}
