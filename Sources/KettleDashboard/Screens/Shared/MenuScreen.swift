/// A box with lines to choose from.
protocol MenuScreen: Screen {
  /// The index of the chosen line.
  var choice: Int { get set }
  var choiceCount: Int { get }
}

extension MenuScreen {
  static var movingBindings: [Binding<Self>] {
    [
      Binding(.menuUp) { menu, _ in menu.move(.up) },
      Binding(.menuDown) { menu, _ in menu.move(.down) },
    ]
  }

  var keyContext: KeyContext { .menu }
  var extent: ScreenExtent { .box }

  mutating func scroll(by step: Int, _ context: ScreenContext) -> [ScreenRequest] {
    move(step > 0 ? .down : .up)
  }

  private mutating func move(_ movement: Movement) -> [ScreenRequest] {
    let last = max(0, choiceCount - 1)
    choice = min(max(movement.target(from: choice, page: 5, last: last), 0), last)
    return []
  }

  /// Marks a line of the box as a choice, which a click selects. Its texts are drawn before.
  func drawChoice(_ index: Int, line: Int, in box: DialogBox, on canvas: inout Canvas) {
    let row = box.row + line
    let columns = box.column..<(box.column + box.width)
    box.write(index == choice ? ">" : " ", line: line, on: &canvas, .dialogTitle)
    if index == choice {
      let look = canvas.look
      canvas.restyle(row: row, columns: columns) { look.select(&$0, isBar: false) }
    }
    canvas.claim(row: row, columns: columns, for: .choice(index))
  }
}
