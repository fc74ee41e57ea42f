import KettleModel

/// The keys, from the table of actions; those of the screen below come first.
struct HelpScreen: ReaderScreen {
  /// The group of the screen from which the help was opened; nil for the list.
  private let first: Action.Group?
  var scrolled = 0
  var search = ReaderSearch()

  init(above context: KeyContext) { first = context == .reader ? .reader : nil }

  static let bindings = BindingTable(readerBindings)

  var title: String { Strings.helpTitle }

  /// At this width and above, the keys fit in two columns.
  private static let twoColumnsWidth = 136

  func lines(_ layout: ReaderLayout, _ context: ScreenContext) -> [ReaderLine] {
    let width = layout.textWidth
    var text = ReaderText(width: width)
    let isWide = width >= Self.twoColumnsWidth
    let columnWidth = isWide ? (width - 2) / 2 : width
    let others = Action.Group.allCases.filter { $0 != first }
    let groups = (first.map { [$0] + others } ?? others)
      .map { Self.lines(of: $0, width: columnWidth, context.keymap) }.filter { !$0.isEmpty }
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
    text.problems(Strings.headingService, context.service.notices)
    text.problems(Strings.headingConfiguration, context.settings.problems)
    return text.lines
  }

  private static func lines(
    of group: Action.Group, width: Int, _ keymap: Keymap
  ) -> [ReaderLine] {
    let actions = keymap.actions.filter { $0.group == group }
    guard !actions.isEmpty else { return [] }
    let layout = HelpLayout(width: width)
    var lines: [ReaderLine] = [.heading(Strings.title(of: group))]
    for action in actions {
      let keys = action.keys.isEmpty ? Strings.noKey : action.keyNames
      let keyLines = Fold.lines(keys, width: layout.keysWidth - 1)
      let textLines = Fold.lines(action.help, width: layout.textWidth)
      for index in 0..<max(keyLines.count, textLines.count) {
        lines.append(
          .key(
            names: keyLines.indices.contains(index) ? keyLines[index] : "",
            text: textLines.indices.contains(index) ? textLines[index] : "",
            action: index == 0 ? action.name : "", layout))
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

extension ReaderText {
  fileprivate mutating func problems(_ heading: String, _ sentences: [String]) {
    guard !sentences.isEmpty else { return }
    self.heading(heading)
    for sentence in sentences { text(sentence, .problem) }
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

/// Help, and the report of a reset.
extension Strings {
  static func linesShown(_ first: Int, _ last: Int, of count: Int) -> String {
    "lines \(first) to \(last) of \(count)"
  }

  static let helpTitle = "Keys"
  static let reportTitle = "Reset"
  static let noKey = ":"
  static let headingRemapping = "Changing keys"
  static let remappingNote =
    "The [keys] table of the configuration file binds actions to other keys, for example "
    + "pause = \"z\" or start = [\"s\", \"F5\"]."
  static let headingLeaving = "Leaving"
  static let leavingNote =
    "The transfers run in the service: they continue after the dashboard, the terminal or the "
    + "login session ends. Run kettle to see them again."
  static let markdownNote =
    "This page is generated from the dashboard's table of key bindings."

  static func title(of group: Action.Group) -> String {
    switch group {
    case .transfer: "The marked transfers, or the one under the cursor"
    case .finding: "Marking, filtering, searching and sorting"
    case .all: "All transfers"
    case .moving: "Moving"
    case .reader: "Details and other screens"
    case .add: "Dialogs"
    case .choice: "Choosing the files of a collection"
    case .question: "Questions"
    case .dashboard: "The dashboard"
    }
  }
}
