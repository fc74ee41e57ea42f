import KettleDashboard
import Testing

struct DisplayWidthTests {
  @Test(
    arguments: [
      ("a", 1), ("é", 1), ("…", 1), ("█", 1), ("▶", 1), ("✔", 1), ("Ж", 1), ("א", 1), ("ก", 1),
      ("\u{0301}", 0), ("\u{0E31}", 0), ("\u{FE0F}", 0), ("\u{200D}", 0), ("\u{20DD}", 0),
      ("\u{1160}", 0), ("ᄀ", 2), ("文", 2), ("ア", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("🚀", 2),
      ("⌚", 2), ("⚡", 2), ("\u{303F}", 1), ("𠀀", 2), ("〈", 2), ("\u{1F1E9}", 1), ("─", 1),
      ("\u{E000}", 1), ("\u{3FFFD}", 2), ("\u{10FFFF}", 1),
    ] as [(Unicode.Scalar, Int)])
  func `each scalar has its terminal width`(scalar: Unicode.Scalar, width: Int) {
    #expect(DisplayWidth.columns(of: scalar) == width)
  }
}
