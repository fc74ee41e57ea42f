import KettleDashboard
import Testing

struct FrameTests {
  @Test func `overwriting half of a wide character blanks the other half`() {
    var frame = Frame(size: ScreenSize(columns: 4, rows: 1))
    frame.write("文", width: 2, row: 0, column: 1, style: .plain)
    frame.write("x", width: 1, row: 0, column: 2, style: .plain)
    #expect(frame.row(0).map(\.text) == [" ", " ", "x", " "])
    frame.write("文", width: 2, row: 0, column: 1, style: .plain)
    frame.write("x", width: 1, row: 0, column: 1, style: .plain)
    #expect(frame.row(0).map(\.text) == [" ", "x", " ", " "])
    #expect(frame.row(0).allSatisfy { $0.width == 1 })
  }

  @Test func `a wide character over two others blanks both their outer halves`() {
    var frame = Frame(size: ScreenSize(columns: 4, rows: 1))
    frame.write("文", width: 2, row: 0, column: 0, style: .plain)
    frame.write("件", width: 2, row: 0, column: 2, style: .plain)
    frame.write("传", width: 2, row: 0, column: 1, style: .plain)
    #expect(frame.row(0).map(\.text) == [" ", "传", "", " "])
  }

  @Test func `nothing is written outside the frame`() {
    let blank = Frame(size: ScreenSize(columns: 2, rows: 1))
    var frame = blank
    let answers = [
      frame.write("文", width: 2, row: 0, column: 1, style: .plain),
      frame.write("x", width: 1, row: 1, column: 0, style: .plain),
      frame.write("x", width: 1, row: 0, column: -1, style: .plain),
      frame.write("x", width: 1, row: -1, column: 0, style: .plain),
    ]
    #expect(!answers.contains(true))
    #expect(frame == blank)
  }

  @Test func `a screen size is clamped to a minimum and a maximum`() {
    #expect(ScreenSize(columns: 0, rows: -4) == ScreenSize(columns: 1, rows: 1))
    #expect(ScreenSize(columns: 65_535, rows: 65_535).columns == 2000)
  }
}
