import KettleDashboard
import KettleModel
import Testing

/// A row always has as many columns as the screen, measured by the width that terminals give each
/// character.
struct RowWidthTests {
  private static let texts = [
    "plain", "文件传输指南", "e\u{301}o\u{308}\u{323}n\u{303}", "👩‍👩‍👧‍👦", "👍🏽👍🏿", "🇩🇪🇫🇷",
    "✔\u{FE0F}☎\u{FE0F}❤\u{FE0F}",
    "①②③○●◎★☆", "§±×÷αβЖ", "ﷺ", "ｱｲｳＡＢＣ", "한국어\u{1100}\u{1161}\u{11A8}", "ก็ที่นี่", "नमस्ते", "שָׁלוֹם",
    "a\u{200D}b\u{200B}c\u{2060}d", "\u{202E}abc", "\u{AD}x", "\u{3000}x\u{2003}x",
    "\u{FFFD}\u{FFFF}",
    "𝔘𝔫𝔦", "\u{1F1E6}", "\u{1B}[31m\u{9B}m\u{0}\u{7F}", "\u{20E3}1\u{20E3}", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!",
    "\u{E0020}\u{E007F}x",
    "㍿㌔", "🫠🫨🪿", "\u{115F}\u{1160}x", "\u{2E3A}\u{2E3B}", "\u{1F3FB}",
  ]

  @Test(arguments: texts)
  func `the width of truncated text is the sum of its character widths`(text: String) {
    for charset in [Charset.utf8, .ascii] {
      for width in 0...12 {
        let shown = ShownText(text, charset: charset, columnsMax: width)
        #expect(shown.columns <= width)
        #expect(shown.glyphs.reduce(0) { $0 + $1.width } == shown.columns)
        for glyph in shown.glyphs {
          let measured = glyph.text.unicodeScalars.reduce(0) {
            $0 + DisplayWidth.columns(of: $1)
          }
          #expect(measured == glyph.width, "\(glyph)")
          #expect(charset == .utf8 || glyph.text.utf8.allSatisfy { $0 < 128 })
        }
      }
    }
  }

  @Test(arguments: texts)
  func `every row of the list is as wide as the screen`(text: String) {
    let rows = (0..<6).map {
      Sample.row(Int64($0), titled: String(repeating: text, count: $0 + 1), state: .running)
    }
    for columns in [36, 53, 80, 141] {
      for look in [Look.text, .ascii] {
        let frame = Sample.model(columns: columns, rows: 12, showing: rows).screen(look)
        for number in 0..<frame.size.rows {
          let row = frame.row(number)
          #expect(row.reduce(0) { $0 + Int($1.width) } == columns)
          let measured = row.flatMap { Array($0.text.unicodeScalars) }
            .reduce(0) { $0 + DisplayWidth.columns(of: $1) }
          #expect(measured == columns, "row \(number) at \(columns)")
        }
      }
    }
  }

  @Test func `overwriting preserves the row width`() {
    for start in 0..<8 {
      for text in ["x", "xyz", "文", "文x文"] {
        var canvas = Canvas(size: ScreenSize(columns: 10, rows: 1), look: .text)
        canvas.write("文文文文文", row: 0, column: 0, width: 10)
        canvas.write(text, row: 0, column: start, width: 10)
        canvas.fill(row: 0, column: start + 1, width: 1, .plain, with: "█")
        let row = canvas.frame.row(0)
        #expect(row.reduce(0) { $0 + Int($1.width) } == 10)
        #expect(canvas.frame.lines[0].unicodeScalars.contains("█"))
      }
    }
  }

  @Test func `a cell holds a character and up to three combining marks`() {
    let cell = Cell(text: "e\u{301}\u{302}\u{303}\u{304}", width: 1, style: .plain)
    #expect(cell.text == "e\u{301}\u{302}\u{303}")
    #expect(cell.combining == ["\u{301}", "\u{302}", "\u{303}"])
    let far = Cell(text: "文\u{E01EF}\u{1E94A}", width: 2, style: .plain)
    #expect(far.text == "文\u{E01EF}\u{1E94A}")
    #expect(Cell.rightHalf(.plain).text == "")
    #expect(Cell.blank.text == " ")
    #expect(MemoryLayout<Cell>.stride <= 24)
  }
}
