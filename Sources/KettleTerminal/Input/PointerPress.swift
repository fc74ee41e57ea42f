/// A button of the mouse that was pressed, or a step of its wheel.
struct PointerPress: Hashable {
  enum Button: Hashable {
    case left, wheelUp, wheelDown
  }

  var button: Button
  /// From 0.
  var row: Int
  var column: Int

  /// `Esc [ < code ; column ; row M` (xterm's SGR form, mode 1006); `m` is the release of a button,
  /// which is nothing here, as are other buttons and movements.
  init?(parameters: some StringProtocol, final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";").map { Int($0) }
    guard final == "M", numbers.count == 3, let code = numbers[0], let column = numbers[1],
      let row = numbers[2]
    else { return nil }
    self.init(code: code, rowFromOne: row, columnFromOne: column)
  }

  /// Three characters, each 32 more than its number: the code, the column and the row from 1.
  init?(oldForm scalars: [Unicode.Scalar]) {
    guard scalars.count == 3 else { return nil }
    let numbers = scalars.map { Int($0.value) - 32 }
    self.init(code: numbers[0], rowFromOne: numbers[2], columnFromOne: numbers[1])
  }

  private init?(code: Int, rowFromOne: Int, columnFromOne: Int) {
    // What is between is Shift (4), Alt (8) and Control (16), and a movement (32).
    switch code {
    case 0: button = .left
    case 64: button = .wheelUp
    case 65: button = .wheelDown
    default: return nil
    }
    // Before anything is reckoned with them: they may be any numbers.
    let places = 1...10_000
    guard places.contains(rowFromOne), places.contains(columnFromOne) else { return nil }
    row = rowFromOne - 1
    column = columnFromOne - 1
  }
}
