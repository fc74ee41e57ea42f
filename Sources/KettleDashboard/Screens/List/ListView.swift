import KettleModel

package enum ListKind: Hashable, Sendable, CaseIterable {
  /// All transfers except finished ones that were cleared.
  case transfers
  /// All finished transfers, including cleared ones.
  case history
}

/// One view of the list: the filter, the order and the marks, which it keeps while the other view
/// is shown.
package struct ListView: Hashable, Sendable {
  package let kind: ListKind
  /// The filter as typed; a text that is not a filter is not stored.
  package internal(set) var filterText = ""
  /// The parsed `filterText`.
  private(set) var query = RowFilter()
  /// The arrangement of the list, also while the files of a collection are shown.
  private(set) var ofList: Arrangement
  private var ofFiles = Arrangement(sort: Self.naturalSortOfFiles)
  /// The columns that the user does not want to see.
  package internal(set) var hiddenColumns: Set<TableColumn> = []
  package internal(set) var marks = Marks()
  /// The transfer under the cursor when the other view was opened.
  var cursorID: TransferID?
  /// The screen line of that transfer.
  var cursorLine = 0

  init(_ kind: ListKind) {
    self.kind = kind
    ofList = Arrangement(sort: Self.naturalSort(of: kind))
  }

  /// The order of rows, and the groups without their rows.
  struct Arrangement: Hashable, Sendable {
    var sort: RowSort
    var folded: Set<ListGroup> = []

    /// nil if no group is folded.
    var foldedInOrder: [ListGroup]? {
      folded.isEmpty ? nil : folded.sorted { $0.sortKey < $1.sortKey }
    }
  }

  var arrangement: Arrangement {
    get { showsFiles ? ofFiles : ofList }
    set { if showsFiles { ofFiles = newValue } else { ofList = newValue } }
  }

  package internal(set) var sort: RowSort {
    get { arrangement.sort }
    set { arrangement.sort = newValue }
  }

  package internal(set) var folded: Set<ListGroup> {
    get { arrangement.folded }
    set { arrangement.folded = newValue }
  }

  static func naturalSort(of kind: ListKind) -> RowSort {
    switch kind {
    case .transfers: RowSort(isGrouped: true)
    case .history: RowSort(key: .finishedAt, isDescending: true)
    }
  }

  private static let naturalSortOfFiles = RowSort(grouping: .directories)

  package var isFiltered: Bool { query != RowFilter() }

  /// The filter that is sent to the service.
  package var filter: RowFilter {
    var filter = query
    // A collection stands for its files, unless the user looks into it.
    if filter.membership == .any { filter.membership = .none }
    switch kind {
    case .transfers: filter.scope = .uncleared
    case .history:
      filter.states = (query.states ?? [.completed]).filter { $0 == .completed }
    }
    return filter
  }

  /// The collection whose files are shown; nil for the whole list.
  var openCollection: TransferID? {
    if case .of(let id) = query.membership { id } else { nil }
  }

  /// Whether the rows are the files of a collection. Only they are in groups by directory.
  var showsFiles: Bool { kind == .transfers && openCollection != nil }

  /// By state, by queue, flat, and so on; files by directory too.
  var nextGrouping: RowSort.Grouping? {
    switch sort.grouping {
    case .work: .queues
    case .queues: nil
    case nil: showsFiles ? .directories : .work
    case .directories: .work
    }
  }

  /// The columns that `<` and `>` step through, from left to right.
  func columnKeys(columns: Int) -> [RowSort.Key] {
    switch kind {
    case .transfers:
      [.queue, .state] + TableColumns(width: columns, hidden: hiddenColumns).keys
    case .history: HistoryColumns(width: columns).keys
    }
  }

  /// The order in words; nil when it is the default one or a column name shows it.
  func sortText(columns: Int) -> String? {
    let natural = showsFiles ? Self.naturalSortOfFiles : Self.naturalSort(of: kind)
    guard sort != natural else { return nil }
    if sort.grouping != natural.grouping, sort.key == .queue, !sort.isDescending {
      return Strings.grouping(sort.grouping)
    }
    if sort.key == .queue { return sort.isDescending ? Strings.queueReversed : nil }
    return columnKeys(columns: columns).contains(sort.key) ? nil : Strings.sortedBy(sort)
  }

  /// The order in a word, for the border of the box.
  var orderText: String {
    guard sort.key == .queue else { return Strings.sortedBy(sort) }
    return sort.isDescending ? Strings.queueReversed : Strings.queueOrder
  }

  /// Returns the order by a key; by the current key again, it is reversed.
  func sorted(by key: RowSort.Key) -> RowSort {
    let isDescending = key == sort.key ? !sort.isDescending : key.beginsDescending
    return RowSort(key: key, isDescending: isDescending, grouping: sort.grouping)
  }

  /// Returns the order by the next or previous column; wraps around at the ends.
  func sorted(byColumn step: Int, columns: Int) -> RowSort {
    let keys = columnKeys(columns: columns)
    let next =
      keys.firstIndex(of: sort.key).map { ($0 + step + keys.count) % keys.count }
      ?? (step > 0 ? 0 : keys.count - 1)
    guard keys.indices.contains(next) else { return sort }
    return RowSort(
      key: keys[next], isDescending: keys[next].beginsDescending, grouping: sort.grouping)
  }

  mutating func setFilter(_ text: String, _ query: RowFilter) {
    let before = openCollection
    filterText = text
    self.query = query
    if openCollection != before { ofFiles.folded = [] }
  }
}

extension ListGroup {
  /// The place among folded groups.
  fileprivate var sortKey: String {
    switch self {
    case .work(let group): "0\(group.rank)"
    case .queue(let name): "1" + name.text
    case .noQueue: "2"
    case .directory(let path): "3" + path
    }
  }
}
