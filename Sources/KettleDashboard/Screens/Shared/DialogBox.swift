/// A box with a border in the middle of the screen.
struct DialogBox {
  /// Inside the border.
  let row: Int
  let column: Int
  let width: Int
  let height: Int

  /// Uses the requested size, limited by the screen.
  init(size: ScreenSize, width: Int, height: Int) {
    self.width = max(1, min(width, size.columns - 4))
    self.height = max(1, min(height, Self.heightMax(size)))
    column = max(2, (size.columns - self.width) / 2)
    let lowest = ListLayout(size: size).footerTop - 1 - self.height
    row = max(1, min((size.rows - self.height) / 2, lowest))
  }

  /// The keys stay visible below the box, and the title above it unless the screen is small.
  static func heightMax(_ size: ScreenSize) -> Int {
    max(1, ListLayout(size: size).footerTop - (size.rows >= 16 ? 3 : 2))
  }

  func draw(title: String, on canvas: inout Canvas) {
    let glyphs = canvas.look.glyphs
    let (left, right) = (column - 2, column + width + 1)
    let edge = String(repeating: glyphs.horizontal, count: width + 2)
    let across = width + 4
    canvas.write(
      glyphs.corners[0] + edge + glyphs.corners[1], row: row - 1, column: left, width: across,
      .dialogTitle)
    canvas.write(
      " " + title + " ", row: row - 1, column: left + 2, width: width, .dialogTitle)
    for line in (row - 1)...(row + height) {
      canvas.claim(row: line, columns: left..<(left + across), for: .inside)
    }
    for line in row..<(row + height) {
      canvas.fill(row: line, column: left, width: across, .dialog)
      canvas.write(glyphs.vertical, row: line, column: left, width: 1, .dialogTitle)
      canvas.write(glyphs.vertical, row: line, column: right, width: 1, .dialogTitle)
    }
    canvas.write(
      glyphs.corners[2] + edge + glyphs.corners[3], row: row + height, column: left,
      width: across, .dialogTitle)
  }

  func write(_ text: String, line: Int, on canvas: inout Canvas, _ role: Role = .dialog) {
    guard (0..<height).contains(line) else { return }
    canvas.write(text, row: row + line, column: column, width: width, role)
  }
}

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
