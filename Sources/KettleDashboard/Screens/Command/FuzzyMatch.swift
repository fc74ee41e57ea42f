/// What was typed, prepared for matching many texts. Case does not matter, and a hyphen is a blank.
struct FuzzyPattern: Hashable, Sendable {
  fileprivate let letters: [UInt32]

  init(_ text: String) {
    let trimmed = text.drop { $0 == " " }
    letters = FuzzyText(String(trimmed)).letters
  }

  var isEmpty: Bool { letters.isEmpty }
}

/// A text that is searched in, prepared for many patterns.
struct FuzzyText: Hashable, Sendable {
  fileprivate let letters: [UInt32]

  private static let blank: UInt32 = 0x20

  /// - Parameter text: Each character is one letter of it: combining ones are left out.
  init(_ text: String) {
    letters = text.lowercased().map { character in
      let scalar = character.unicodeScalars.first?.value ?? Self.blank
      return scalar == 0x2D || scalar == 0x5F ? Self.blank : scalar
    }
  }

  fileprivate func isWordStart(_ index: Int) -> Bool {
    index == 0 || letters[index - 1] == Self.blank
  }
}

/// How well a text matches: the smaller one is the better one.
///
/// First come texts that are what was typed, then those that begin with it, then those in which
/// each part begins a word (`clf` in `clear-finished`), then those that contain it, and last those
/// that contain its letters in this order.
struct FuzzyMatch: Hashable, Sendable, Comparable {
  enum Kind: Int, Hashable, Sendable, Comparable, CaseIterable {
    case whole, prefix, wordStarts, consecutive, scattered

    static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
  }

  let kind: Kind
  /// The indices of the characters that match.
  let places: [Int]

  init?(of pattern: FuzzyPattern, in text: FuzzyText) {
    let (wanted, letters) = (pattern.letters, text.letters)
    guard !wanted.isEmpty, wanted.count <= letters.count,
      let scattered = Self.scattered(wanted, in: letters)
    else { return nil }
    if letters.starts(with: wanted) {
      kind = letters.count == wanted.count ? .whole : .prefix
      places = Array(wanted.indices)
    } else if let found = Self.wordStarts(wanted, in: text) {
      (kind, places) = (.wordStarts, found)
    } else if let start = Self.consecutive(wanted, in: letters) {
      (kind, places) = (.consecutive, Array(start..<(start + wanted.count)))
    } else {
      (kind, places) = (.scattered, scattered)
    }
  }

  static func < (one: FuzzyMatch, other: FuzzyMatch) -> Bool {
    (one.kind, one.runCount, one.span, one.places.first ?? 0)
      < (other.kind, other.runCount, other.span, other.places.first ?? 0)
  }

  /// The number of separate parts.
  private var runCount: Int {
    zip(places, places.dropFirst()).reduce(1) { $0 + ($1.1 == $1.0 + 1 ? 0 : 1) }
  }

  private var span: Int { (places.last ?? 0) - (places.first ?? 0) }

  /// The letters one after another. From the first place where they end, the shortest stretch back.
  private static func scattered(_ wanted: [UInt32], in letters: [UInt32]) -> [Int]? {
    var next = 0
    var end = 0
    for (index, letter) in letters.enumerated() where letter == wanted[next] {
      next += 1
      end = index
      if next == wanted.count { break }
    }
    guard next == wanted.count else { return nil }
    var places: [Int] = []
    var index = end
    for letter in wanted.reversed() {
      while letters[index] != letter { index -= 1 }
      places.append(index)
      index -= 1
    }
    return places.reversed()
  }

  private static func consecutive(_ wanted: [UInt32], in letters: [UInt32]) -> Int? {
    (0...(letters.count - wanted.count)).first { letters[$0...].starts(with: wanted) }
  }

  /// Each part continues the part before it or begins a word. Tries the longest parts first, and
  /// remembers what leads nowhere.
  private static func wordStarts(_ wanted: [UInt32], in text: FuzzyText) -> [Int]? {
    var search = WordStartSearch(wanted: wanted, text: text)
    return search.places(from: 0, after: -1)
  }
}

private struct WordStartSearch {
  let wanted: [UInt32]
  let text: FuzzyText
  private var dead: Set<Int> = []

  init(wanted: [UInt32], text: FuzzyText) {
    self.wanted = wanted
    self.text = text
  }

  /// - Parameter last: the place of the letter before; -1 for none.
  mutating func places(from next: Int, after last: Int) -> [Int]? {
    guard next < wanted.count else { return [] }
    let state = next * (text.letters.count + 1) + last + 1
    guard !dead.contains(state) else { return nil }
    for index in text.letters.indices.dropFirst(last + 1)
    where text.letters[index] == wanted[next]
      && (index == last + 1 && last >= 0 || text.isWordStart(index))
    {
      if let rest = places(from: next + 1, after: index) { return [index] + rest }
    }
    dead.insert(state)
    return nil
  }
}
