import KettleModel

/// The available keys, from the table of bindings.
extension DashboardModel {
  package struct FooterItem: Hashable, Sendable {
    package var key: String
    /// The key that a click on it stands for.
    package var pressed: Key
    package var label: String
    package var group: Binding.Group
    package var rank: Int
    /// Whether it applies to the row or the marks; otherwise its space stays empty.
    package var isPossible: Bool
    /// The width of the longest label that the key has for any row.
    var columns: Int
  }

  /// The keys that currently have an effect.
  package var footerItems: [FooterItem] { footerSlots.filter(\.isPossible) }

  /// Includes keys that have no effect on the row under the cursor: as the cursor moves, each key
  /// keeps its position and only appears or disappears.
  private var footerSlots: [FooterItem] {
    let context = keyContext
    // On a narrow screen, showing the available keys is worth more than fixed positions.
    let keepsPositions =
      context == .list && link.isConnected && rowCount > 0 && size.columns >= 80
    return keymap.bindings.compactMap { binding in
      let label = footerLabel(binding.command) ?? binding.label
      guard binding.contexts.contains(context), let label, let key = binding.keys.first else {
        return nil
      }
      let isPossible = availability(of: binding.command).isPossible
      guard isPossible || keepsPositions else { return nil }
      if binding.command == .row(.removeWithFile), cursorNeedsLink { return nil }
      let others = keepsPositions ? binding.otherLabels : []
      let labels = [label, binding.label ?? label] + others
      let longest = labels.map(\.count).max() ?? 0
      return FooterItem(
        key: key.name, pressed: key, label: label, group: binding.group,
        rank: binding.footerRank, isPossible: isPossible, columns: key.name.count + 1 + longest)
    }
  }

  /// Returns the key's label for this row when it differs from the usual label.
  private func footerLabel(_ command: DashboardCommand) -> String? {
    if command == .row(.pause), pauseMeansStart { return Strings.footerResume }
    guard marks.isEmpty, let row = cursorRow else { return nil }
    if command == .row(.start), row.state == .failed || row.state == .waiting {
      return Strings.footerRetry
    }
    return command == .row(.relink) && cursorNeedsLink ? Strings.footerNewLink : nil
  }

  /// Whether only a new link can help the transfer under the cursor.
  private var cursorNeedsLink: Bool {
    guard marks.isEmpty, let row = cursorRow else { return false }
    return row.reason == .needsLink || row.error?.code == .linkExpired
  }

  func drawFooter(on canvas: inout Canvas, row: Int, height: Int) {
    for (line, items) in footerLines(height: height).enumerated() {
      var column = 1
      for (index, item) in items.enumerated() {
        if index > 0 { column += Self.gap(items[index - 1], item) }
        if item.isPossible { draw(item, on: &canvas, row: row + line, column: column) }
        column += item.columns
      }
    }
  }

  private func draw(_ item: FooterItem, on canvas: inout Canvas, row: Int, column: Int) {
    let keyWidth = canvas.write(
      item.key, row: row, column: column, width: size.columns - column, .key)
    let start = column + keyWidth + 1
    let labelWidth = canvas.write(
      item.label, row: row, column: start, width: size.columns - start, .keyLabel)
    canvas.claim(row: row, columns: column..<(start + labelWidth), for: .key(item.pressed))
  }

  /// Fills the lines in order; drops the least important items until the rest fits.
  private func footerLines(height: Int) -> [[FooterItem]] {
    var items = footerSlots
    while true {
      if let lines = Self.fill(items, height: height, columns: size.columns - 1) { return lines }
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
        lines.count == height - 1 && last.map { $0.group != item.group } == true
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
    one.group == next.group ? 2 : 3
  }
}
