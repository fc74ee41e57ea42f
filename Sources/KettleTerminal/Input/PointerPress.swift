/// A mouse button press or a wheel step.
struct PointerPress: Hashable {
  enum Button: Hashable {
    case left, wheelUp, wheelDown
  }

  var button: Button
  /// From 0.
  var row: Int
  var column: Int

  /// Parses `Esc [ < code ; column ; row M` (xterm's SGR form, mode 1006). Returns nil for `m`, the
  /// release of a button, and for other buttons and movements.
  init?(parameters: some StringProtocol, final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";").map { Int($0) }
    guard final == "M", numbers.count == 3, let code = numbers[0], let column = numbers[1],
      let row = numbers[2]
    else { return nil }
    self.init(code: code, rowFromOne: row, columnFromOne: column)
  }

  /// Parses three characters, each 32 more than its number: the code, and column and row from 1.
  init?(oldForm scalars: [Unicode.Scalar]) {
    guard scalars.count == 3 else { return nil }
    let numbers = scalars.map { Int($0.value) - 32 }
    self.init(code: numbers[0], rowFromOne: numbers[2], columnFromOne: numbers[1])
  }

  private init?(code: Int, rowFromOne: Int, columnFromOne: Int) {
    // The bits in between are Shift (4), Alt (8), Control (16) and movement (32).
    switch code {
    case 0: button = .left
    case 64: button = .wheelUp
    case 65: button = .wheelDown
    default: return nil
    }
    // Checked before any arithmetic: the numbers can be anything.
    let places = 1...10_000
    guard places.contains(rowFromOne), places.contains(columnFromOne) else { return nil }
    row = rowFromOne - 1
    column = columnFromOne - 1
  }
}
