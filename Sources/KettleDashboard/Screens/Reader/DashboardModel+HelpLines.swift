/// The keys, from the table of bindings, and the meaning of the symbols.
extension DashboardModel {
  /// At this width and above, the keys fit in two columns.
  private static var twoColumnsWidth: Int { 136 }

  func helpLines(width: Int) -> [ReaderLine] {
    var text = ReaderText(width: width)
    let isWide = width >= Self.twoColumnsWidth
    let columnWidth = isWide ? (width - 2) / 2 : width
    let groups = Binding.Group.allCases.map { helpGroup($0, width: columnWidth) }
      .filter { !$0.isEmpty }
    if isWide {
      for line in Self.sideBySide(groups, leftWidth: columnWidth) { text.add(line) }
    } else {
      for (index, group) in groups.enumerated() {
        if index > 0 { text.add(.blank) }
        for line in group { text.add(line) }
      }
    }
    text.heading(Strings.headingRemapping)
    text.text(Strings.remappingNote)
    text.heading(Strings.headingLeaving)
    text.text(Strings.leavingNote)
    if !serviceNotices.isEmpty {
      text.heading(Strings.headingService)
      for notice in serviceNotices { text.text(notice, .problem) }
    }
    if !settings.problems.isEmpty {
      text.heading(Strings.headingConfiguration)
      for problem in settings.problems { text.text(problem, .problem) }
    }
    return text.lines
  }

  private func helpGroup(_ group: Binding.Group, width: Int) -> [ReaderLine] {
    let bindings = keymap.bindings.filter { $0.group == group }
    guard !bindings.isEmpty else { return [] }
    let layout = HelpLayout(width: width)
    var lines: [ReaderLine] = [.heading(Strings.title(of: group))]
    for binding in bindings {
      let keys = binding.keys.isEmpty ? Strings.noKey : binding.keyNames
      let keyLines = Fold.lines(keys, width: layout.keysWidth - 1)
      let textLines = Fold.lines(binding.description, width: layout.textWidth)
      for index in 0..<max(keyLines.count, textLines.count) {
        lines.append(
          .key(
            names: keyLines.indices.contains(index) ? keyLines[index] : "",
            text: textLines.indices.contains(index) ? textLines[index] : "",
            action: index == 0 ? binding.action : "", layout))
      }
    }
    return lines
  }

  /// Arranges the groups in two columns of similar height.
  private static func sideBySide(
    _ groups: [[ReaderLine]], leftWidth: Int
  ) -> [ReaderLine] {
    let total = groups.reduce(0) { $0 + $1.count + 1 }
    var columns: [[ReaderLine]] = [[], []]
    for group in groups {
      let column = columns[0].count * 2 < total && columns[1].isEmpty ? 0 : 1
      if !columns[column].isEmpty { columns[column].append(.blank) }
      columns[column] += group
    }
    let height = max(columns[0].count, columns[1].count)
    return (0..<height).map { row in
      .pairOfLines(
        columns[0].indices.contains(row) ? columns[0][row] : .blank,
        columns[1].indices.contains(row) ? columns[1][row] : .blank, at: leftWidth + 2)
    }
  }
}

/// The columns of a line about a key.
package struct HelpLayout: Hashable, Sendable {
  package let keysWidth: Int
  package let textWidth: Int
  /// 0 when there is no room for the names of actions.
  package let actionWidth: Int

  init(width: Int) {
    keysWidth = min(15, width / 2)
    // The longest name is `scroll-page-down`.
    actionWidth = width >= 66 ? 16 : 0
    textWidth = max(1, width - keysWidth - (actionWidth > 0 ? actionWidth + 1 : 0))
  }
}
