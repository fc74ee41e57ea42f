import KettleDashboard
import KettleModel
import Testing

/// Names that are too long for their column.
struct NameCutTests {
  private func cut(_ name: String, _ columns: Int, _ charset: Charset = .utf8) -> String {
    ShownText(name, charset: charset, columnsMax: columns, cut: .middle).glyphs.map(\.text).joined()
  }

  @Test(arguments: [
    ("debian-12.5.0-amd64-DVD-1.iso", 20, "debian-12.5…VD-1.iso"),
    ("linux-6.12.3-with-firmware.tar.xz", 24, "linux-6.12.3…ware.tar.xz"),
    ("rustc-1.82.0-src.tar.xz", 23, "rustc-1.82.0-src.tar.xz"),
    ("A stream without a length", 20, "A stream with…length"),
    ("short.iso", 9, "short.iso"), ("too-short.iso", 8, "too-sho…"),
  ])
  func `the extension stays`(name: String, columns: Int, shown: String) {
    #expect(cut(name, columns) == shown)
  }

  @Test func `wide characters are not halved`() {
    let shown = ShownText(
      "東京の夜景_4K_完全版.mkv", charset: .utf8, columnsMax: 15, cut: .middle)
    #expect(shown.columns <= 15)
    #expect(shown.glyphs.map(\.text).joined().hasSuffix(".mkv"))
    #expect(shown.glyphs.reduce(0) { $0 + $1.width } == shown.columns)
  }

  @Test func `without Unicode the mark is ASCII`() {
    #expect(cut("debian-12.5.0-amd64-DVD-1.iso", 20, .ascii) == "debian-12.5~VD-1.iso")
  }

  @Test(arguments: 0...40)
  func `the width is never exceeded`(columns: Int) {
    for name in [
      String(repeating: "文x", count: 400), "a.b.c.d.e.f.g", String(repeating: ".", count: 99),
    ] {
      let shown = ShownText(name, charset: .utf8, columnsMax: columns, cut: .middle)
      #expect(shown.columns <= columns)
    }
  }
}
