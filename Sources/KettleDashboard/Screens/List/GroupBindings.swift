import KettleModel

/// The keys that fold the groups of the list.
enum GroupBindings {
  static let all: [Binding<ListScreen>] = [
    Binding(
      "fold", .moving, in: [.list], keys: [.left], help: "Fold the group: only its heading stays",
      when: { list, _ in Availability(unless: list.whyNotFold(isFolded: false)) },
      do: { list, context in list.toggleFold(context) }),
    Binding(
      "unfold", .moving, in: [.list], keys: [.right], help: "Show the rows of a folded group",
      when: { list, _ in Availability(unless: list.whyNotFold(isFolded: true)) },
      do: { list, context in list.toggleFold(context) }),
  ]
}

/// The heading of a group: its name, the number of its rows, and a line to the right edge.
struct GroupHeading {
  let listed: ListedGroup
  /// The order within the group.
  let sort: RowSort
  /// Writes the time at which a queue opens or closes.
  let time: (WallTime) -> String

  func draw(on canvas: inout Canvas, row: Int, nameColumn: Int) {
    let glyphs = canvas.look.glyphs
    let width = canvas.size.columns
    let fold = listed.isFolded ? glyphs.folded : glyphs.unfolded
    canvas.write(fold, row: row, column: TableColumns.symbolColumn, width: 1, .quiet)
    let text = Strings.heading(of: listed, isNewestFirst: isNewestFirst, time: time)
    let used = canvas.write(
      text, row: row, column: nameColumn, width: max(0, width - nameColumn - 1), role)
    let start = nameColumn + used + 1
    guard start < width - 1 else { return }
    let line = String(repeating: glyphs.horizontal, count: width - 1 - start)
    canvas.write(line, row: row, column: start, width: width - 1 - start, .quiet)
  }

  private var isNewestFirst: Bool {
    listed.group == .done && sort.key == .queue && !sort.isDescending
  }

  /// Only what needs the user stands out.
  private var role: Role {
    switch listed.group {
    case .work(.running), .work(.next), .work(.done), .work(.failed), .queue, .noQueue: .quiet
    case .work(.needsUser): .waiting
    }
  }
}
