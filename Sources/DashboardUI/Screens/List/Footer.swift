import TransferModel

/// The keys that do something now, from the table of bindings.
extension DashboardModel {
  package struct FooterItem: Hashable, Sendable {
    package var key: String
    package var label: String
    package var group: Binding.Group
    package var rank: Int

    var columns: Int { key.utf8.count + 1 + label.utf8.count }
  }

  package var footerItems: [FooterItem] {
    let context = keyContext
    return Bindings.all.compactMap { binding in
      guard binding.contexts.contains(context),
        let label = footerLabel(binding.command) ?? binding.label, let key = binding.keys.first,
        availability(of: binding.command).isPossible
      else { return nil }
      return FooterItem(
        key: key.name, label: label, group: binding.group,
        rank: binding.footerRank)
    }
  }

  /// What a key does for this row, where that is not what it does for others.
  private func footerLabel(_ command: DashboardCommand) -> String? {
    if command == .row(.pause), pauseMeansStart { return Strings.footerGoOn }
    guard marks.isEmpty, let row = cursorRow else { return nil }
    switch (command, row.state) {
    case (.row(.start), .failed): return Strings.footerTryAgain
    case (.row(.start), .waiting): return Strings.footerTryNow
    case (.row(.relink), _) where row.wantsLink: return Strings.footerNewLink
    case (.row, _), (.mark, _), (.all, _), (.move, _), (.edit, _), (.details, _), (.take, _),
      (.add, _), (.addNow, _),
      (.enterNow, _),
      (.back, _),
      (.confirm, _), (.cancel, _), (.help, _), (.redraw, _), (.suspend, _), (.leave, _):
      return nil
    }
  }

  func drawFooter(on canvas: inout Canvas, row: Int, height: Int) {
    for (line, items) in footerLines(height: height).enumerated() {
      var column = 1
      var group: Binding.Group?
      for item in items {
        if let group { column += group == item.group ? 2 : 3 }
        group = item.group
        column += canvas.put(
          item.key, row: row + line, column: column, width: size.columns - column, .key)
        column += 1
        column += canvas.put(
          item.label, row: row + line, column: column, width: size.columns - column, .keyLabel)
      }
    }
  }

  /// Fills the lines in order; while not all fit, the least needed go.
  func footerLines(height: Int) -> [[FooterItem]] {
    var items = footerItems
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
    for item in items {
      let last = lines[lines.count - 1].last
      let gap = last.map { $0.group == item.group ? 2 : 3 } ?? 0
      if used + gap + item.columns <= columns {
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
}

extension TransferSnapshot {
  /// Only a fresh link helps it on.
  fileprivate var wantsLink: Bool { reason == .needsLink || error?.code == .linkExpired }
}
