/// The columns of the table that `list` prints on a terminal. If they do not all fit, the least
/// important are left out first.
struct ListColumns: Hashable, Sendable {
  enum Column: Hashable, Sendable, CaseIterable {
    case id, state, file, bar, done, size, speed, ready, host
  }

  private(set) var ranges: [Column: Range<Int>] = [:]

  /// No columns.
  init() {}

  /// - Parameters:
  ///   - width: The width of the terminal.
  ///   - widths: What the rows need. A column that needs nothing is left out.
  ///   - reason: What the state needs together with its reason. It is shown before a host is, and
  ///     before a name gets more than its share.
  init(width: Int, widths: [Column: Int], reason: Int) {
    let state = widths[.state, default: 0]
    let file = widths[.file, default: 0]
    let fileMin = min(file, max(Self.fileMin, width / 4))
    var columns = Column.allCases.filter { widths[$0, default: 0] > 0 }
    /// The room for the state and the file.
    func room() -> Int {
      columns.reduce(width) { room, column in
        let isShared = column == .state || column == .file
        return room - Self.gap(before: column, in: columns)
          - (isShared ? 0 : widths[column, default: 0])
      }
    }
    for least in Self.leastImportant {
      if room() >= (columns.contains(.host) ? reason : state) + fileMin { break }
      columns.removeAll { $0 == least }
    }
    let stateWidth = max(state, min(reason, room() - fileMin))
    let fileWidth = min(file, max(1, room() - stateWidth))
    var next = 0
    for column in columns {
      next += Self.gap(before: column, in: columns)
      let end =
        switch column {
        case .state: next + stateWidth
        case .file: next + fileWidth
        case .id, .bar, .done, .size, .speed, .ready, .host: next + widths[column, default: 0]
        }
      ranges[column] = next..<end
      next = end
    }
  }

  private static let fileMin = 24
  private static let leastImportant: [Column] = [.host, .size, .bar, .speed, .ready, .done]

  private static func gap(before column: Column, in columns: [Column]) -> Int {
    if column == columns.first { return 0 }
    return column == .done && columns.contains(.bar) ? 1 : 2
  }
}
