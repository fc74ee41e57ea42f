import KettleDashboard
import Testing

struct ProgressBarTests {
  private func text(_ fill: ProgressBar.Fill, width: Int, _ look: Look = .text) -> String {
    var canvas = Canvas(size: ScreenSize(columns: width + 1, rows: 1), look: look)
    ProgressBar(fill: fill, role: .progress).draw(on: &canvas, row: 0, column: 0, width: width)
    return canvas.frame.lines[0]
  }

  @Test(arguments: [
    (0.0, ""), (0.0001, "▏"), (0.125, "▌"), (0.5, "██"), (0.61, "██▍"), (0.999, "███▉"),
    (1.0, "████"), (7.0, "████"), (-1.0, ""),
  ])
  func `a bar is exact to an eighth of a cell and full only when complete`(
    part: Double, expected: String
  ) {
    #expect(text(.part(part), width: 4) == expected)
  }

  @Test(arguments: [
    (0.0, "[        ]"), (0.5, "[####>   ]"), (0.999, "[#######>]"), (1.0, "[########]"),
  ])
  func `without Unicode a bar has brackets`(part: Double, expected: String) {
    #expect(text(.part(part), width: 10, .ascii) == expected)
  }

  @Test func `the indeterminate bar moves to the end and back`() {
    let places = (0..<10).map { MovingBar.columns(step: $0, width: 7).lowerBound }
    #expect(places == [0, 1, 2, 3, 4, 3, 2, 1, 0, 1])
    #expect(text(.moving(step: 2), width: 9, .ascii) == "[  ===  ]")
  }

  @Test func `the indeterminate bar stays within any width`() {
    for width in 0..<6 {
      for step in [Int64.min, -1, 0, 1, 5, .max] {
        let place = MovingBar.columns(step: step, width: width)
        #expect(place.lowerBound >= 0 && place.upperBound <= width)
      }
    }
  }
}
