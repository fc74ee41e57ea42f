import KettleModel

/// The menu of all sort keys of the list.
package struct SortMenu: Hashable, Sendable {
  package let keys: [RowSort.Key]
  package internal(set) var choice: Int

  init(of kind: ListKind, showing sort: RowSort) {
    keys = RowSort.Key.allCases
    choice = keys.firstIndex(of: sort.key) ?? 0
  }

  package var chosen: RowSort.Key? { keys.indices.contains(choice) ? keys[choice] : nil }

  mutating func move(to index: Int) { choice = min(max(index, 0), keys.count - 1) }
}

extension RowSort.Key {
  /// The letter that selects it in the menu; `j`, `k`, `q` and `o` have other meanings there.
  package var letter: Character {
    switch self {
    case .queue: "u"
    case .title: "n"
    case .state: "s"
    case .size: "z"
    case .progress: "p"
    case .speed: "e"
    case .secondsLeft: "t"
    case .connections: "c"
    case .priority: "r"
    case .host: "h"
    case .session: "i"
    case .createdAt: "a"
    case .finishedAt: "f"
    }
  }

  /// Whether to show the largest, fastest, latest or most important first.
  package var beginsDescending: Bool {
    switch self {
    case .size, .progress, .speed, .connections, .priority, .createdAt, .finishedAt: true
    case .queue, .title, .state, .secondsLeft, .host, .session: false
    }
  }
}

/// The menu of the list's sort keys.
extension DashboardModel {
  func draw(_ menu: SortMenu, on canvas: inout Canvas) {
    let box = DialogBox(size: size, width: 26, height: menu.keys.count)
    box.draw(title: Strings.orderTitle, on: &canvas)
    let first = max(0, menu.choice - box.height + 1)
    for (line, key) in menu.keys.dropFirst(first).prefix(box.height).enumerated() {
      let isChosen = first + line == menu.choice
      let row = box.row + line
      box.write(isChosen ? ">" : " ", line: line, on: &canvas, .dialogTitle)
      canvas.write(String(key.letter), row: row, column: box.column + 2, width: 1, .dialogKey)
      canvas.write(
        Strings.name(of: key), row: row, column: box.column + 5, width: box.width - 7, .dialog)
      if key == sort.key {
        canvas.write(
          canvas.look.glyphs.arrow(of: sort), row: row, column: box.column + box.width - 1,
          width: 1, .dialogTitle)
      }
      if isChosen {
        let look = canvas.look
        canvas.restyle(row: row, columns: box.column..<(box.column + box.width)) {
          look.select(&$0, isBar: false)
        }
      }
      canvas.claim(
        row: row, columns: box.column..<(box.column + box.width), for: .choice(first + line))
    }
  }
}

extension GlyphSet {
  /// Down means that the largest comes first.
  package func arrow(of sort: RowSort) -> String { sort.isDescending ? arrowDown : arrowUp }
}
