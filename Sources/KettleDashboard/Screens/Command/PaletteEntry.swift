import KettleModel

/// One line of the palette: something that can be done, by the command that does it.
struct PaletteEntry: Hashable, Sendable {
  /// As it is typed.
  let command: String
  /// The key that does the same; empty without one.
  let key: String
  /// A sentence without a period.
  let meaning: String
  let work: TypedCommand
  /// Whether words can follow, so that Tab adds a space.
  let takesWords: Bool
  private let name: FuzzyText
  private let otherNames: [FuzzyText]
  private let sentence: FuzzyText

  init(
    _ command: String, key: String = "", meaning: String, work: TypedCommand,
    otherWords: [String] = [], takesWords: Bool = false
  ) {
    self.command = command
    self.key = key
    self.meaning = meaning
    self.work = work
    self.takesWords = takesWords
    name = FuzzyText(command)
    otherNames = otherWords.map(FuzzyText.init)
    sentence = FuzzyText(meaning)
  }

  /// Entries with the same command are rare, and their texts are long.
  func hash(into hasher: inout Hasher) { hasher.combine(command) }

  /// Where a pattern matched: the smaller one is the better one.
  struct Rank: Hashable, Comparable {
    enum Field: Int, Hashable { case name, otherName, sentence }

    let kind: FuzzyMatch.Kind
    let field: Field
    let match: FuzzyMatch

    static func < (one: Rank, other: Rank) -> Bool {
      (one.kind, one.field.rawValue, one.match) < (other.kind, other.field.rawValue, other.match)
    }
  }

  /// A sentence has so many letters that those of most patterns are scattered in it; only its words
  /// count, and less than a name.
  private static let sentencePatternMin = 3

  func rank(_ pattern: FuzzyPattern, typedCount: Int) -> Rank? {
    var ranks: [Rank] = []
    if let match = FuzzyMatch(of: pattern, in: name) {
      ranks.append(Rank(kind: match.kind, field: .name, match: match))
    }
    for text in otherNames {
      guard let match = FuzzyMatch(of: pattern, in: text), match.kind <= .consecutive else {
        continue
      }
      ranks.append(Rank(kind: match.kind, field: .otherName, match: match))
    }
    if ranks.isEmpty, typedCount >= Self.sentencePatternMin,
      let match = FuzzyMatch(of: pattern, in: sentence), match.kind <= .consecutive
    {
      ranks.append(Rank(kind: .consecutive, field: .sentence, match: match))
    }
    return ranks.min()
  }
}

/// The entries that match what was typed, the best one first.
struct PaletteMatches: Hashable, Sendable {
  struct Line: Hashable, Sendable {
    let entry: PaletteEntry
    /// The characters of the command that match.
    let places: [Int]
  }

  let lines: [Line]

  /// Entries that match equally well stay in their order.
  init(of text: String, among entries: [PaletteEntry]) {
    let pattern = FuzzyPattern(text)
    guard !pattern.isEmpty else {
      lines = entries.map { Line(entry: $0, places: []) }
      return
    }
    let count = text.count
    let ranked = entries.enumerated().compactMap { index, entry in
      entry.rank(pattern, typedCount: count).map { (rank: $0, index: index) }
    }
    lines = ranked.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map { rank, index in
      Line(entry: entries[index], places: rank.field == .name ? rank.match.places : [])
    }
  }

  /// - Parameter typed: What was typed, if it is a command: it comes first.
  init(of text: String, among entries: [PaletteEntry], typed: PaletteEntry?) {
    let found = PaletteMatches(of: text, among: entries).lines
    guard let typed else {
      lines = found
      return
    }
    let same = found.first { $0.entry.work == typed.work }
    let rest = found.filter { $0.entry.work != typed.work }
    lines = [same ?? Line(entry: typed, places: [])] + rest
  }
}
