/// Where the columns of the table are. What does not fit is left out, the least needed first.
package struct TableColumns: Hashable, Sendable {
  /// The cursor's mark; the sign of the state is beside it.
  package static let markColumn = 0
  package static let symbolColumn = 1

  package private(set) var file = 4..<5
  package private(set) var bar: Range<Int>?
  package private(set) var percent = 0..<0
  package private(set) var size: Range<Int>?
  package private(set) var speed = 0..<0
  package private(set) var left: Range<Int>?
  package private(set) var connections: Range<Int>?

  /// Words in place of the numbers may take all from the speed to the end of the line.
  package private(set) var words = 0..<0

  private struct Choice {
    var bar = false
    var size = false
    var left = false
    var connections = false

    static let order = [
      Choice(bar: true, size: true, left: true, connections: true),
      Choice(bar: true, size: true, left: true),
      Choice(bar: true, left: true),
      Choice(bar: true),
      Choice(),
    ]
  }

  package init(width: Int) {
    for choice in Choice.order where place(choice, width: width) { return }
  }

  /// False when the file's name, or the bar, would be too short to be of use.
  private mutating func place(_ choice: Choice, width: Int) -> Bool {
    var fixed = 4 + (2 + 5) + (2 + 11) + 1
    if choice.bar { fixed += 1 }
    if choice.size { fixed += 2 + 12 }
    if choice.left { fixed += 2 + 8 }
    if choice.connections { fixed += 2 + 5 }
    let room = width - fixed
    guard !choice.bar || room >= 26 else { return false }
    let barWidth = choice.bar ? min(max(10, room / 3), 32) : 0
    var next = 4
    func column(_ width: Int, gap: Int = 2) -> Range<Int> {
      defer { next += width + gap }
      return next..<(next + width)
    }
    file = column(max(1, room - barWidth))
    if choice.bar { bar = column(barWidth, gap: 1) }
    percent = column(5)
    if choice.size { size = column(12) }
    words = next..<max(next + 1, width)
    speed = column(11)
    if choice.left { left = column(8) }
    if choice.connections { connections = column(5) }
    return true
  }
}
