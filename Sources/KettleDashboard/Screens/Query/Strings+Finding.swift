import KettleModel

/// Filter, search, order, history.
extension Strings {
  static let filterTitle = "Filter"
  static let searchTitle = "Search"
  static let orderTitle = "Sort by"
  /// The line of the menu that changes the groups.
  static func groupsChoice(_ grouping: RowSort.Grouping?) -> String {
    switch grouping {
    case .work: "groups: by state"
    case .queues: "groups: by queue"
    case .directories: "groups: directory"
    case nil: "groups: none"
    }
  }
  static let historyShown = "History, {history} goes back"
  static let clearHint = "{clear} clears it"

  static func title(of purpose: QueryField.Purpose) -> String {
    switch purpose {
    case .filter: filterTitle
    case .search: searchTitle
    }
  }

  static func filterShown(_ text: String, count: Int) -> String {
    filterTitle + ": \(text) (\(CountText.text(count)))"
  }

  static func searchShown(_ text: String, _ hits: SearchHits?) -> String {
    searchTitle + ": \(text)" + (hits.map { " (" + Self.hits($0) + ")" } ?? "")
  }

  static func hits(_ hits: SearchHits) -> String {
    if hits.count == 0 { return "no match" }
    guard let position = hits.position else {
      return hits.count == 1 ? "1 match" : "\(CountText.text(hits.count)) matches"
    }
    return Self.hit(position, of: hits.count)
  }

  private static func hit(_ position: Int, of count: Int) -> String {
    "\(CountText.text(position)) of \(CountText.text(count))"
  }

  /// The position of the cursor in the list.
  static func position(_ index: Int, of count: Int) -> String {
    CountText.text(index) + "/" + CountText.text(count)
  }

  static func sortedBy(_ sort: RowSort) -> String {
    "by " + sort.key.name + (sort.isDescending ? ", descending" : "")
  }

  static func grouping(_ grouping: RowSort.Grouping?) -> String {
    switch grouping {
    case .work: "by state"
    case .queues: "by queue"
    case .directories: "by directory"
    case nil: "without groups"
    }
  }
  static let queueReversed = "the queue in reverse"
  static let following = "following"
  static let frozen = "FROZEN, {freeze} resumes"

  // MARK: - Hints and problems

  static let filterHints = [
    "words 'whole ^begin end$ !not  state:failed,waiting needs:you host:example.org queue:night",
    "'whole ^begin end$ !not  state:failed needs:you host:example.org queue:night",
    "'whole ^begin end$ !not state: host:",
  ]
  static let searchHints = [
    "Words in the name, URL or path, 'whole ^begin end$ !not state:failed; n and N find more",
    "'whole ^begin end$ !not state:failed; n and N find more", "Words; n and N find more",
  ]

  /// From the longest form to the shortest.
  ///
  /// - Parameter meant: the condition that the word probably stands for.
  static func meant(
    _ meant: String, insteadOf word: String, _ hits: SearchHits?, tab: String
  ) -> [String] {
    let offer = tab + ": " + meant
    guard let hits else { return [offer] }
    if hits.count > 0 { return [Self.hits(hits) + "; " + offer, offer] }
    return ["Nothing has \(quoted(word)) in its name; \(offer)", "Nothing; " + offer, offer]
  }
  static let searching = "searching…"

  /// From the longest form to the shortest.
  static func forms(of problem: FilterQuery.Problem) -> [String] {
    switch problem {
    case .unknownKey(let name):
      [
        "Unknown \(quoted(name + ":")); use state:, host:, queue:, session:, needs:you or hook:failed",
        "Use state: host: queue: session: needs:you",
      ]
    case .unknownState(let name):
      [
        "Unknown state \(quoted(name)); use one of "
          + TransferState.allCases.map(countWord).joined(separator: ", "),
        "Use one of " + TransferState.allCases.map(countWord).joined(separator: " "),
        "Unknown state \(quoted(name))",
      ]
    case .hasOneForm(.hook), .missingValue(.hook):
      ["\"hook:\" has one form, hook:failed", "Write hook:failed"]
    case .hasOneForm, .missingValue(.needs):
      ["\"needs:\" has one form, needs:you", "Write needs:you"]
    case .missingValue(.state): ["\"state:\" needs a state, as in state:failed"]
    case .missingValue(.host):
      [
        "\"host:\" needs a host, as in host:example.org", "\"host:\" needs a host",
      ]
    case .missingValue(.queue), .unusableQueue:
      [
        "\"queue:\" needs the name of a queue, as in queue:night", "\"queue:\" needs a name",
      ]
    case .missingValue(.collection), .unknownCollection:
      [
        "\"collection:\" needs the number of a collection, as in collection:12",
        "\"collection:\" needs a number",
      ]
    case .missingValue(.session):
      [
        "\"session:\" needs the name of a session, as in session:kettle",
        "\"session:\" needs a name",
      ]
    case .missingValue(.on):
      ["\"on:\" needs the name of a machine, as in on:nas", "\"on:\" needs a name"]
    case .second(let key): ["Only one \(key.rawValue): is allowed"]
    case .cannotExclude(let key): ["! works with words and with state:, not with \(key.rawValue):"]
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.sanitizedForDisplay(limit: 40) + "\""
  }

  // MARK: - Results

  static func notFound(_ text: String) -> String { "No match for \(quoted(text))" }

  static func wrapped(isBackwards: Bool) -> String {
    isBackwards ? "continued from the last row" : "continued from the first row"
  }

  static func foundElsewhere(_ text: String, inURL: Bool) -> String {
    quoted(text) + (inURL ? " is in its URL" : " is in its path")
  }

  static func frozenSearch(_ text: String) -> String {
    "No match for \(quoted(text)) in the frozen rows; Z resumes"
  }

  static let searchEnded = "search ended"
  static let filterEnded = "filter cleared"
  static let marksEnded = "marks cleared"
  static let marksOfOtherFilter = "marks cleared: they applied to the previous filter"
  static let followingOn = "following this transfer; {follow} stops"
  static let followingOff = "no longer following"
  static let frozenOn = "the rows are frozen; {freeze} resumes"
  static let frozenOff = "live again"

  // MARK: - Reasons why a key does nothing

  static let noSearchYet = "there is no search yet; {search} starts one"
  static let nothingToClear = "nothing to clear"
  static let nothingMatches = "nothing matches the filter; {clear} clears it"
  static let historyIsEmpty = "nothing is finished yet; {history} goes back"
  static let nothingFinished = "nothing is finished"
  static let historyIsNotCleared =
    "the history cannot be cleared; {remove} removes a transfer"
  static let historyHasNoQueue = "finished transfers are not in the queue"
  static let nothingNeedsYou = "nothing needs you"
  static let historyNeedsNothing = "finished transfers need nothing; {history} goes back"
  static let frozenEdge = "the rows are frozen, so no others are loaded; {freeze} resumes"
  static let onlyFilesHaveDirectories =
    "only the files of a collection are grouped by directory; {unfold} on its row shows them"
  static let highestPriority = "it already has high priority"
  static let lowestPriority = "it already has low priority"

  static let neighboursAreHidden =
    "the filter hides rows in between; Esc clears it, {queue-top} and {queue-bottom} still work"

  static func notInQueueOrder(_ sort: RowSort) -> String {
    "the list is sorted by \(sort.key.name); {sort-menu} u sorts it by the queue"
  }

  // MARK: - Empty lists

  static func nothingMatches(_ text: String, _ keymap: Keymap) -> [String] {
    let meant = QueryCompletion(of: text, among: QueryNames()).meant
    let offer = meant.map { "{filter}, then {complete}: " + $0 }
    return ["Nothing matches the filter", text, keymap.filled(offer ?? clearHint)]
  }

  static let emptyHistory = [
    "Nothing is finished yet",
    "finished transfers stay here, even after {clear-finished} clears them; {history} goes back",
  ]
}

/// Marks, and controls over many transfers.
extension Strings {
  static let allAreMarked = "all are already marked"
  static let nothingIsMarked = "nothing is marked; {mark} marks a row"
  static let linkIsForOne = "a link applies to one transfer; {unmark-all} clears the marks"
  static let markedRowOutOfSight = "the marked row is not loaded; move to it first"

  static func marked(_ count: Int) -> String { "\(CountText.text(count)) marked" }

  /// - Parameter reason: Why none of them can; nil when they have different reasons.
  static func noneOfMarked(_ count: Int, because reason: String?) -> String {
    let none = "not possible for any of the \(CountText.text(count)) marked"
    return reason.map { none + ": " + $0 } ?? none
  }
}
