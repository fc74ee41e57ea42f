import KettleDashboard
import KettleModel

/// Tells clicks from double clicks. The first click is reported without waiting for a second.
struct ClickTimer {
  static let doubleClickMilliseconds: Int64 = 400

  private var last: (press: PointerPress, at: MonotonicTime)?

  mutating func event(_ press: PointerPress, at now: MonotonicTime) -> MouseEvent {
    switch press.button {
    case .wheelUp:
      last = nil
      return MouseEvent(.wheelUp, row: press.row, column: press.column)
    case .wheelDown:
      last = nil
      return MouseEvent(.wheelDown, row: press.row, column: press.column)
    case .left: break
    }
    if let last, now.milliseconds(since: last.at) <= Self.doubleClickMilliseconds,
      last.press.row == press.row, abs(last.press.column - press.column) <= 1
    {
      // A third click starts over.
      self.last = nil
      return MouseEvent(.doubleClick, row: press.row, column: press.column)
    }
    last = (press, now)
    return MouseEvent(.click, row: press.row, column: press.column)
  }
}
