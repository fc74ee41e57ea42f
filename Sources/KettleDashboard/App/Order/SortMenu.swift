import KettleModel

/// The menu of all sort keys of the list.
package struct SortMenu: Hashable, Sendable {
  package let keys: [RowSort.Key]
  package internal(set) var choice: Int

  init(of kind: ListKind, showing sort: RowSort) {
    keys = RowSort.Key.allCases
    choice = keys.firstIndex(of: sort.key) ?? 0
  }

  package var chosen: RowSort.Key? { keys.indices.contains(choice) ? keys[choice] : nil }

  mutating func move(to index: Int) { choice = min(max(index, 0), keys.count - 1) }
}

extension RowSort.Key {
  /// The letter that selects it in the menu; `j`, `k`, `q` and `o` have other meanings there.
  package var letter: Character {
    switch self {
    case .queue: "u"
    case .title: "n"
    case .state: "s"
    case .size: "z"
    case .progress: "p"
    case .speed: "e"
    case .secondsLeft: "t"
    case .connections: "c"
    case .priority: "r"
    case .host: "h"
    case .session: "i"
    case .createdAt: "a"
    case .finishedAt: "f"
    }
  }

  /// Whether to show the largest, fastest, latest or most important first.
  package var beginsDescending: Bool {
    switch self {
    case .size, .progress, .speed, .connections, .priority, .createdAt, .finishedAt: true
    case .queue, .title, .state, .secondsLeft, .host, .session: false
    }
  }
}
