import KettleModel

/// Filter, search, order, history.
extension Strings {
  static let filterTitle = "Filter"
  static let searchTitle = "Search"
  static let orderTitle = "Sort by"
  static let historyShown = "History, {history} goes back"
  static let escClears = "{clear} clears it"

  static func title(of purpose: QueryField.Purpose) -> String {
    switch purpose {
    case .filter: filterTitle
    case .search: searchTitle
    }
  }

  static func filterShown(_ text: String, count: Int) -> String {
    filterTitle + ": \(text) (\(count))"
  }

  static func searchShown(_ text: String) -> String { searchTitle + ": \(text)" }

  static func sortedBy(_ sort: RowSort) -> String {
    "by " + name(of: sort.key) + (sort.isDescending ? ", the most first" : "")
  }

  static let queueFromEnd = "the queue from its end"
  static let following = "following"
  static let frozen = "FROZEN, {freeze} goes on"

  static func name(of key: RowSort.Key) -> String {
    switch key {
    case .queue: "order of the queue"
    case .title: "name"
    case .state: "state"
    case .size: "size"
    case .progress: "progress"
    case .speed: "speed"
    case .secondsLeft: "time left"
    case .connections: "connections"
    case .priority: "priority"
    case .host: "host"
    case .session: "session"
    case .createdAt: "time of adding"
    case .finishedAt: "time of finishing"
    }
  }

  // MARK: - What stands beside the field

  static let filterHints = [
    "state:failed,waiting  host:example.org  session:kettle  words  \"two words\"",
    "state:  host:  session:  words",
  ]
  static let searchHints = [
    "Words of the name, the URL or the path; n and N go on", "Words; n and N go on",
  ]
  static let searching = "searching…"

  /// From the longest form to the shortest.
  static func forms(of problem: FilterQuery.Problem) -> [String] {
    switch problem {
    case .unknownKey(let name):
      [
        "There is no \(quoted(name + ":")); there are state:, host: and session:",
        "Not one of state: host: session:",
      ]
    case .unknownState(let name):
      [
        "There is no state \(quoted(name)); there are "
          + TransferState.allCases.map(countWord).joined(separator: ", "),
        "Not one of " + TransferState.allCases.map(countWord).joined(separator: " "),
        "There is no state \(quoted(name))",
      ]
    case .missingValue(.state): ["state: needs a state, as in state:failed"]
    case .missingValue(.host): ["host: needs a host, as in host:example.org", "host: needs a host"]
    case .missingValue(.session):
      ["session: needs the name of a session, as in session:kettle", "session: needs a name"]
    case .second(let key): ["Only one \(key.rawValue): can be asked for"]
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.sanitizedForDisplay(limit: 40) + "\""
  }

  // MARK: - Answers

  static func notFound(_ text: String) -> String { "Nothing here has \(quoted(text))" }

  static func wrapped(isBackwards: Bool) -> String {
    isBackwards ? "went on from the last row" : "went on from the first row"
  }

  static func foundElsewhere(_ text: String, inURL: Bool) -> String {
    quoted(text) + (inURL ? " is in its URL" : " is in its path")
  }

  static func frozenSearch(_ text: String) -> String {
    "None of the frozen rows has \(quoted(text)); Z goes on"
  }

  static let searchEnded = "the search is ended"
  static let filterEnded = "the filter is taken away"
  static let marksEnded = "the marks are taken away"
  static let marksOfOtherFilter = "the marks are taken away: they were for all of the other filter"
  static let followingOn = "the view follows this transfer; {follow} stops that"
  static let followingOff = "the view stays where it is"
  static let frozenOn = "the rows are frozen; {freeze} goes on"
  static let frozenOff = "the rows go on"

  // MARK: - Reasons

  static let noSearchYet = "there is no search yet; {search} begins one"
  static let nothingToClear = "there is no search, no filter and no mark to end"
  static let nothingPasses = "nothing passes the filter; {clear} clears it"
  static let historyIsEmpty = "nothing is finished yet; {history} goes back"
  static let nothingFinished = "nothing is finished"
  static let historyIsNotCleared =
    "nothing is cleared from the history; {remove} takes one off the list"
  static let historyHasNoQueue = "what is finished is not in the queue"
  static let frozenEdge = "the rows are frozen and no others are there; {freeze} goes on"
  static let highestPriority = "it has high priority already"
  static let lowestPriority = "it has low priority already"

  static let neighboursAreHidden =
    "the filter hides rows between; Esc ends the filter, {queue-top} and {queue-bottom} still work"

  static func notInQueueOrder(_ sort: RowSort) -> String {
    "the list is sorted by \(name(of: sort.key)); {sort-menu} u sorts it by the queue"
  }

  // MARK: - Without rows

  static func nothingPasses(_ text: String, _ keymap: Keymap) -> [String] {
    ["Nothing passes the filter", text, keymap.filled(escClears)]
  }

  static let emptyHistory = [
    "Nothing is finished yet",
    "what is finished is kept here, also when {clear-finished} cleared it; {history} goes back",
  ]
}
