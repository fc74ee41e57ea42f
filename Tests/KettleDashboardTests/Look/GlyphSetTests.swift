import KettleModel
import Testing

@testable import KettleDashboard

struct GlyphSetTests {
  private func symbols(_ glyphs: GlyphSet) -> [String] {
    let lists = [
      Array(glyphs.states.values), glyphs.levels, glyphs.eighths, glyphs.corners,
      [
        glyphs.arrowDown, glyphs.arrowUp, glyphs.receivedCell, glyphs.missingCell,
        glyphs.horizontal, glyphs.vertical, glyphs.good, glyphs.bad, glyphs.mark,
        glyphs.scrollbarThumb, glyphs.scrollbarTrack, glyphs.cursor, glyphs.barDone,
        glyphs.barRest, glyphs.barTip, glyphs.dash, glyphs.dot, glyphs.dotRest, glyphs.tick,
        glyphs.flag, glyphs.kettle, glyphs.separator,
      ],
      glyphs.titleEnds,
    ]
    return Array(lists.joined())
  }

  /// All fonts for Latin and Greek in the Debian package console-setup-linux have these, and all
  /// for Cyrillic but those without `·`.
  @Test func `the console gets only symbols that its fonts have`() {
    let found = Set("▶·↓↑█░▒─│┌┐└┘")
    for symbol in symbols(.console) {
      #expect(symbol.count == 1 && symbol.allSatisfy { $0.isASCII || found.contains($0) })
    }
    #expect(found.contains(Character(PartsMap.requestedCell(.console))))
    #expect(ShownText.cutMark(.console) == "~")
  }

  @Test(arguments: [GlyphSet.utf8, .console, .ascii])
  func `each state has a symbol of its own`(glyphs: GlyphSet) {
    #expect(Set(TransferState.allCases.map(glyphs.symbol)).count == TransferState.allCases.count)
    #expect(!glyphs.states.values.contains(" "))
  }
}
