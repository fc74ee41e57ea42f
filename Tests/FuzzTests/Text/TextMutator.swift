import SeededNumbers

/// Mutates the words, numbers and signs of a text, and occasionally its bytes.
struct TextMutator: Sendable {
  private enum Edit: CaseIterable {
    case drop, repeatOnce, repeatOften, swap, replace, insert, number, copyFromOther, cut, byte
  }

  private static let byteCountMax = 16 * 1024
  /// Texts that often break parsers.
  private static let nasty =
    [
      "", "\0", "\r", "\n", "\r\n", "\t", "\u{1b}[2J", "\u{7f}", "\u{202e}", "\u{feff}", "é",
      "e\u{301}", "😀", "\u{2028}", "\u{85}", "\"", "'", "\\", "\\u0000", "\\ud800", "$'", "`",
      "{", "}", "[", "]", "(", ")", "=", ":", ",", ";", "#", "%", "%00", "%zz", "..", "/", "//",
      "-", "--", "null", "true", "1e999", "-0", "0x10", "nan", "9223372036854775807",
      "9223372036854775808", "-9223372036854775809", "18446744073709551616", "0.1",
    ].map { Array($0.utf8) } + [
      [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80], [0xC0, 0x80],
      [UInt8](repeating: 65, count: 5000), [UInt8](repeating: 91, count: 300),
    ]

  private let words: [[UInt8]]
  private let sampleTokens: [[ArraySlice<UInt8>]]

  init(words: [String], samples: [[UInt8]]) {
    sampleTokens = samples.map(Self.tokens)
    let found = Set(sampleTokens.joined().map { [UInt8]($0) })
    self.words = words.map { Array($0.utf8) } + found.sorted { $0.lexicographicallyPrecedes($1) }
  }

  func mutated(
    _ text: [UInt8], times count: Int, _ random: inout SeededGenerator
  ) -> [UInt8] {
    var tokens = Self.tokens(text)
    for _ in 0..<count { edit(&tokens, &random) }
    return Array(tokens.joined().prefix(Self.byteCountMax))
  }

  private func edit(_ tokens: inout [ArraySlice<UInt8>], _ random: inout SeededGenerator) {
    guard let index = tokens.indices.randomElement(using: &random) else {
      tokens = [token(&random)]
      return
    }
    switch Edit.allCases.randomElement(using: &random) ?? .drop {
    case .drop:
      let count = Int.random(in: 1...8, using: &random)
      tokens.removeSubrange(index..<min(tokens.count, index + count))
    case .repeatOnce: tokens.insert(tokens[index], at: index)
    case .repeatOften:
      let piece = tokens[index..<min(tokens.count, index + Int.random(in: 1...12, using: &random))]
      // Long inputs are slow, so most are short.
      let doublings = min(
        Int.random(in: 1...9, using: &random), Int.random(in: 1...9, using: &random))
      tokens.insert(contentsOf: repeatElement(piece, count: 1 << doublings).joined(), at: index)
    case .swap: tokens.swapAt(index, Int.random(in: tokens.indices, using: &random))
    case .replace: tokens[index] = token(&random)
    case .insert: tokens.insert(token(&random), at: index)
    case .number: tokens[index] = Self.number(near: tokens[index], &random)
    case .copyFromOther:
      let other = sampleTokens.randomElement(using: &random) ?? []
      let start = Int.random(in: 0...other.count, using: &random)
      let piece = other[start...].prefix(Int.random(in: 1...12, using: &random))
      tokens.insert(contentsOf: piece, at: index)
    case .cut: tokens.removeSubrange(index...)
    case .byte: Self.changeByte(of: &tokens[index], &random)
    }
  }

  private func token(_ random: inout SeededGenerator) -> ArraySlice<UInt8> {
    (Bool.random(using: &random) ? words : Self.nasty).randomElement(using: &random)?[...] ?? []
  }

  private static func number(
    near token: ArraySlice<UInt8>, _ random: inout SeededGenerator
  ) -> ArraySlice<UInt8> {
    guard let number = Int64(String(decoding: token, as: UTF8.self)) else {
      return nasty.randomElement(using: &random)?[...] ?? []
    }
    let step = Int64.random(in: -2...2, using: &random)
    return Array(String(Bool.random(using: &random) ? number &+ step : number &* step).utf8)[...]
  }

  private static func changeByte(of token: inout ArraySlice<UInt8>, _ random: inout SeededGenerator)
  {
    guard let index = token.indices.randomElement(using: &random) else { return }
    token[index] =
      Bool.random(using: &random)
      ? UInt8.random(in: 0...255, using: &random)
      : token[index] ^ 1 << UInt8.random(in: 0..<8, using: &random)
  }

  // MARK: Tokens

  private enum Kind { case word, blank, other, foreign }

  /// Words and numbers, blanks, and single signs; joined, they are the text.
  static func tokens(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    var tokens: [ArraySlice<UInt8>] = []
    var start = 0
    while start < text.count {
      let kind = kind(text[start])
      var end = start + 1
      while kind != .other, end < text.count, Self.kind(text[end]) == kind { end += 1 }
      tokens.append(text[start..<end])
      start = end
    }
    return tokens
  }

  private static func kind(_ byte: UInt8) -> Kind {
    switch byte {
    case 48...57, 65...90, 97...122, 95: .word
    case 32, 9: .blank
    case 128...: .foreign
    default: .other
    }
  }

  // MARK: Simplifying

  /// Variants of the text without one of its parts, from halves down to single bytes.
  static func simplifications(of text: [UInt8]) -> [[UInt8]] {
    var candidates: [[UInt8]] = []
    var size = (text.count + 1) / 2
    while size > 0, candidates.count < 400 {
      for start in stride(from: 0, to: text.count, by: size) {
        candidates.append(Array(text[..<start] + text[min(text.count, start + size)...]))
      }
      size = size == 1 ? 0 : (size + 1) / 2
    }
    return candidates
  }
}
