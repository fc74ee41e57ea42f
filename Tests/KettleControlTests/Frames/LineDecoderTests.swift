import KettleControl
import SeededNumbers
import Testing

struct LineDecoderTests {
  private func decode(
    _ text: String, with decoder: inout LineDecoder, into lines: inout [[UInt8]]
  ) throws(LineDecoder.Overlong) {
    let bytes = bytes(text)
    try decoder.decode(bytes.span, into: &lines)
  }

  private func lines(
    of pieces: [String], byteCountMax: Int = 100
  ) throws(LineDecoder.Overlong) -> [String] {
    var decoder = LineDecoder(byteCountMax: byteCountMax)
    var lines: [[UInt8]] = []
    for piece in pieces { try decode(piece, with: &decoder, into: &lines) }
    return lines.map(text)
  }

  @Test func `several lines in one piece are returned one by one`() throws {
    #expect(try lines(of: ["one\ntwo\nthree\n"]) == ["one", "two", "three"])
  }

  @Test func `a line in many pieces is returned once it is complete`() throws {
    #expect(try lines(of: ["o", "n", "e"]) == [])
    #expect(try lines(of: ["o", "n", "e", "\nt", "wo\n"]) == ["one", "two"])
  }

  @Test func `empty lines are skipped`() throws {
    #expect(try lines(of: ["\n\n\na\n", "\n", "\nb\n\n"]) == ["a", "b"])
  }

  @Test func `a line of exactly the maximum passes and one byte more does not`() throws {
    #expect(try lines(of: ["12345\n"], byteCountMax: 5) == ["12345"])
    #expect(throws: LineDecoder.Overlong(byteCountMax: 5)) {
      try lines(of: ["123456\n"], byteCountMax: 5)
    }
  }

  // Fault 116
  @Test func `an endless line is refused above the maximum`() {
    var decoder = LineDecoder(byteCountMax: 1000)
    var lines: [[UInt8]] = []
    var taken = 0
    #expect(throws: LineDecoder.Overlong.self) {
      while taken < 10_000 {
        try decode(String(repeating: " ", count: 300), with: &decoder, into: &lines)
        taken += 300
      }
    }
    #expect(taken == 900)
    #expect(!decoder.hasPartialLine)
  }

  @Test func `the lines before one that is too long are not lost`() {
    var decoder = LineDecoder(byteCountMax: 4)
    var lines: [[UInt8]] = []
    #expect(throws: LineDecoder.Overlong.self) {
      try decode("one\ntwo\n12345", with: &decoder, into: &lines)
    }
    #expect(lines.map(text) == ["one", "two"])
  }

  @Test func `the decoder knows whether it holds a partial line`() throws {
    var decoder = LineDecoder(byteCountMax: 100)
    var lines: [[UInt8]] = []
    #expect(!decoder.hasPartialLine)
    try decode("a\nb", with: &decoder, into: &lines)
    #expect(decoder.hasPartialLine)
    try decode("\n", with: &decoder, into: &lines)
    #expect(!decoder.hasPartialLine)
  }

  @Test func `the lines do not depend on how the stream is cut`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let stream = (0..<Int.random(in: 0...80, using: &random)).map { _ in
        UInt8(ascii: Bool.random(using: &random) ? "x" : "\n")
      }
      let expected = stream.split(separator: UInt8(ascii: "\n")).map(Array.init)
      let endsInside = stream.last == UInt8(ascii: "x")
      var decoder = LineDecoder(byteCountMax: 100)
      var lines: [[UInt8]] = []
      var rest = stream[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...rest.count, using: &random)
        let piece = rest.prefix(count)
        try decoder.decode(piece.span, into: &lines)
        rest = rest.dropFirst(count)
      }
      #expect(lines == (endsInside ? Array(expected.dropLast()) : expected), "seed \(seed)")
    }
  }
}
