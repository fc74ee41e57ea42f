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
    case .transfer, .reader, .add, .choice, .question: .row
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

/// The available keys, from the tables of bindings: those for the row, then those for the list,
/// then those that lead everywhere.
struct Footer: Hashable, Sendable {
  private let items: [FooterItem]

  init(_ items: [FooterItem]) {
    self.items = FooterItem.Section.allCases.flatMap { section in
      items.filter { $0.section == section }
    }
  }

  func draw(on canvas: inout Canvas, row: Int) {
    let room = canvas.size.columns - 1
    let least = canvas.size.columns < 100 ? Self.narrowGap : Self.wideGap
    let items = fitting(columns: room, gap: least)
    let gap = Self.width(items, gap: Self.wideGap) <= room ? Self.wideGap : least
    var column = 1
    for (index, item) in items.enumerated() {
      if index > 0 {
        if items[index - 1].section == item.section {
          column += gap
        } else {
          canvas.write(
            canvas.look.glyphs.vertical, row: row, column: column + 1, width: 1, .box)
          column += Self.sectionGap
        }
      }
      Self.draw(item, on: &canvas, row: row, column: column)
      column += item.columns
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

  /// Drops the least important items until the rest fits.
  private func fitting(columns: Int, gap: Int) -> [FooterItem] {
    var items = items
    while Self.width(items, gap: gap) > columns,
      let worst = items.indices.max(by: { items[$0].rank < items[$1].rank })
    {
      items.remove(at: worst)
    }
    return items
  }

  private static let wideGap = 2
  private static let narrowGap = 1
  /// With a line in its middle.
  private static let sectionGap = 3

  private static func width(_ items: [FooterItem], gap: Int) -> Int {
    let gaps = zip(items, items.dropFirst()).reduce(0) {
      $0 + ($1.0.section == $1.1.section ? gap : sectionGap)
    }
    return items.reduce(gaps) { $0 + $1.columns }
  }
}
