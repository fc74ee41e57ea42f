import KettleModel

/// A key in the footer, with its label.
package struct FooterItem: Hashable, Sendable {
  package var key: String
  var action: String
  /// The key that a click on it stands for.
  package var pressed: Key
  package var label: String
  package var group: Action.Group
  package var rank: Int

  var columns: Int { key.count + 1 + label.count }

  enum Section: Hashable, CaseIterable {
    case row, list, everywhere
  }

  var section: Section {
    switch group {
    case .transfer, .reader, .add, .question: .row
    case .all, .finding, .moving: action == "command" ? .everywhere : .list
    case .dashboard: .everywhere
    }
  }

  /// Returns nil when the key has no label or no effect now.
  init?<Owner>(_ binding: Binding<Owner>, of owner: Owner, _ context: ScreenContext) {
    let action = binding.action
    guard let label = binding.label(owner, context), let key = context.keymap.key(of: action.name),
      binding.availability(owner, context).isPossible
    else { return nil }
    self.key = key.name
    self.action = action.name
    pressed = key
    self.label = label
    group = action.group
    rank = action.footerRank
  }
}

/// The available keys, from the tables of bindings: those for the row, then those for the list, then
/// those that lead everywhere.
struct Footer: Hashable, Sendable {
  private let items: [FooterItem]

  init(_ items: [FooterItem]) {
    self.items = FooterItem.Section.allCases.flatMap { section in
      items.filter { $0.section == section }
    }
  }

  func draw(on canvas: inout Canvas, row: Int, height: Int) {
    for (line, items) in lines(height: height, columns: canvas.size.columns - 1).enumerated() {
      var column = 1
      for (index, item) in items.enumerated() {
        if index > 0 {
          let gap = Self.gap(items[index - 1], item)
          if items[index - 1].section != item.section {
            canvas.write(
              canvas.look.glyphs.vertical, row: row + line, column: column + gap / 2, width: 1,
              .box)
          }
          column += gap
        }
        Self.draw(item, on: &canvas, row: row + line, column: column)
        column += item.columns
      }
    }
  }

  private static func draw(_ item: FooterItem, on canvas: inout Canvas, row: Int, column: Int) {
    let end = canvas.size.columns
    let keyWidth = canvas.write(item.key, row: row, column: column, width: end - column, .key)
    let start = column + keyWidth + 1
    let labelWidth = canvas.write(
      item.label, row: row, column: start, width: end - start, .keyLabel)
    canvas.claim(row: row, columns: column..<(start + labelWidth), for: .key(item.pressed))
  }

  /// Fills the lines in order; drops the least important items until the rest fits.
  private func lines(height: Int, columns: Int) -> [[FooterItem]] {
    var items = items
    while true {
      if let lines = Self.fill(items, height: height, columns: columns) { return lines }
      guard let worst = items.indices.max(by: { items[$0].rank < items[$1].rank }) else {
        return []
      }
      items.remove(at: worst)
    }
  }

  private static func fill(
    _ items: [FooterItem], height: Int, columns: Int
  ) -> [[FooterItem]]? {
    var lines: [[FooterItem]] = [[]]
    var used = 0
    for (index, item) in items.enumerated() {
      let last = lines[lines.count - 1].last
      let gap = last.map { Self.gap($0, item) } ?? 0
      let fits = used + gap + item.columns <= columns
      // Starts a line with the next group if the rest fits and two lines are needed anyway.
      let breaksHere =
        lines.count == height - 1 && last.map { $0.section != item.section } == true
        && width(items[...]) > columns && width(items[index...]) <= columns
      if fits, !breaksHere {
        used += gap + item.columns
      } else {
        guard item.columns <= columns, lines.count < height else { return nil }
        lines.append([])
        used = item.columns
      }
      lines[lines.count - 1].append(item)
    }
    return lines
  }

  private static func width(_ items: ArraySlice<FooterItem>) -> Int {
    let gaps = zip(items, items.dropFirst()).reduce(0) { $0 + gap($1.0, $1.1) }
    return items.reduce(gaps) { $0 + $1.columns }
  }

  private static func gap(_ one: FooterItem, _ next: FooterItem) -> Int {
    one.section == next.section ? 2 : 3
  }
}
