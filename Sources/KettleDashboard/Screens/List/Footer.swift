import KettleModel

/// The keys that do something, from the table of bindings.
extension DashboardModel {
  package struct FooterItem: Hashable, Sendable {
    package var key: String
    /// What a click on it presses.
    package var pressed: Key
    package var label: String
    package var group: Binding.Group
    package var rank: Int
    /// Whether it does something for the row, or the marks; else its place stays empty.
    package var isPossible: Bool
    /// Room for the longest label that the key has for any row.
    var columns: Int
  }

  /// The keys that do something as things are.
  package var footerItems: [FooterItem] { footerPlaces.filter(\.isPossible) }

  /// With the keys that do nothing for the row under the cursor: as it moves, each key stays where
  /// it is, and only comes and goes.
  private var footerPlaces: [FooterItem] {
    let context = keyContext
    // On a narrow screen what does something is worth more than the order.
    let keepsPlaces =
      context == .list && link.isConnected && rowCount > 0 && size.columns >= 80
    return keymap.bindings.compactMap { binding in
      let label = footerLabel(binding.command) ?? binding.label
      guard binding.contexts.contains(context), let label, let key = binding.keys.first else {
        return nil
      }
      let isPossible = availability(of: binding.command).isPossible
      guard isPossible || keepsPlaces else { return nil }
      if binding.command == .row(.removeWithFile), cursorWantsLink { return nil }
      let others = keepsPlaces ? Strings.footerLabels(binding.command) : []
      let labels = [label, binding.label ?? label] + others
      let longest = labels.map(\.count).max() ?? 0
      return FooterItem(
        key: key.name, pressed: key, label: label, group: binding.group,
        rank: binding.footerRank, isPossible: isPossible, columns: key.name.count + 1 + longest)
    }
  }

  /// What a key does for this row, where that is not what it does for others.
  private func footerLabel(_ command: DashboardCommand) -> String? {
    if command == .row(.pause), pauseMeansStart { return Strings.footerGoOn }
    guard marks.isEmpty, let row = cursorRow else { return nil }
    switch (command, row.state) {
    case (.row(.start), .failed), (.row(.start), .waiting): return Strings.footerRetry
    case (.row(.relink), _) where cursorWantsLink: return Strings.footerNewLink
    case (.row, _), (.mark, _), (.view, _), (.queue, _), (.takeField, _), (.choose, _), (.all, _),
      (.move, _), (.edit, _), (.details, _), (.take, _), (.add, _), (.addNow, _),
      (.enterNow, _),
      (.back, _),
      (.confirm, _), (.cancel, _), (.help, _), (.redraw, _), (.suspend, _), (.leave, _):
      return nil
    }
  }

  /// Only a fresh link helps it on.
  private var cursorWantsLink: Bool {
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
    let keyWidth = canvas.put(
      item.key, row: row, column: column, width: size.columns - column, .key)
    let start = column + keyWidth + 1
    let labelWidth = canvas.put(
      item.label, row: row, column: start, width: size.columns - start, .keyLabel)
    canvas.claim(row: row, columns: column..<(start + labelWidth), for: .key(item.pressed))
  }

  /// Fills the lines in order; while not all fit, the least needed go.
  private func footerLines(height: Int) -> [[FooterItem]] {
    var items = footerPlaces
    while true {
      if let lines = Self.fill(items, height: height, columns: size.columns - 2) { return lines }
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
      // A line of its own for what follows, when that is all and two lines are needed anyway.
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
