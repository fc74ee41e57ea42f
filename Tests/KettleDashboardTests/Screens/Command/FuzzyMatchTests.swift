import Testing

@testable import KettleDashboard

struct FuzzyMatchTests {
  private func match(_ pattern: String, _ text: String) -> FuzzyMatch? {
    FuzzyMatch(of: FuzzyPattern(pattern), in: FuzzyText(text))
  }

  private func order(_ pattern: String, _ texts: String...) -> [String] {
    let found = texts.compactMap { text in match(pattern, text).map { ($0, text) } }
    return found.sorted { $0.0 < $1.0 }.map(\.1)
  }

  @Test(arguments: [
    ("pause", "pause", FuzzyMatch.Kind.whole), ("clear finished", "clear-finished", .whole),
    ("pau", "Pause-all", .prefix), ("clf", "clear-finished", .wordStarts),
    ("cf", "clear-finished", .wordStarts), ("fin", "clear-finished", .wordStarts),
    ("art", "start", .consecutive), ("stt", "start", .scattered),
  ])
  func `every kind of match`(pattern: String, text: String, kind: FuzzyMatch.Kind) {
    #expect(match(pattern, text)?.kind == kind)
  }

  @Test(arguments: [("", "pause"), ("pausee", "pause"), ("esuap", "pause"), ("x", "")])
  func `what does not match`(pattern: String, text: String) {
    #expect(match(pattern, text) == nil)
  }

  @Test func `the order is prefix, word starts, consecutive letters, scattered ones`() {
    #expect(
      order("st", "sort-left", "first", "sort time", "start", "st")
        == ["st", "start", "sort time", "first", "sort-left"])
  }

  @Test func `the places are those of the letters`() {
    #expect(match("clf", "clear-finished")?.places == [0, 1, 6])
    #expect(match("art", "start")?.places == [2, 3, 4])
    #expect(match("ab", "xa xa ab")?.places == [6, 7])
    #expect(match("ét", "été")?.places == [0, 1])
    #expect(match("stt", "start stt")?.places == [6, 7, 8])
  }

  @Test func `a thousand entries are matched while a key is pressed`() {
    let entries = (0..<1000).map { number in
      PaletteEntry(
        "theme number \(number) of the many", meaning: "Use the theme \(number)",
        work: .theme("\(number)"), otherWords: ["colors \(number)"])
    }
    let clock = ContinuousClock()
    let time = clock.measure {
      for text in ["t", "th", "the", "thme", "tnm99", "many", "eeeeeeee"] {
        _ = PaletteMatches(of: text, among: entries)
      }
    }
    // Seven keys in a debug build on a busy machine.
    #expect(time < .seconds(2), "\(time)")
    #expect(PaletteMatches(of: "theme number 999 of", among: entries).lines.count == 1)
  }

  @Test func `entries that match equally well stay in their order`() {
    let entries = ["b1", "b3", "b2"].map { PaletteEntry($0, meaning: "", work: .theme($0)) }
    #expect(
      PaletteMatches(of: "b", among: entries).lines.map(\.entry.command) == ["b1", "b3", "b2"])
  }

  @Test func `names count more than other words, and those more than sentences`() {
    let entries = [
      PaletteEntry("one", meaning: "Move to the front", work: .theme("1")),
      PaletteEntry("two", meaning: "", work: .theme("2"), otherWords: ["front"]),
      PaletteEntry("front", meaning: "", work: .theme("3")),
      PaletteEntry("fraction-output", meaning: "", work: .theme("4")),
    ]
    #expect(
      PaletteMatches(of: "front", among: entries).lines.map(\.entry.command)
        == ["front", "two", "one", "fraction-output"])
  }
}
