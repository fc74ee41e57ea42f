import KettleModel

/// The filter of the view.
extension DashboardModel {
  /// With every character; a text that is no filter leaves the last one that was.
  mutating func filterWhileTyping(_ field: QueryField, at now: Moment) -> [DashboardEffect] {
    if FilterQuery.isBeginningOfCondition(field.text) { return [] }
    return setFilter(field.text, wanted: field.startID, at: now)
  }

  /// - Parameter wanted: Where the cursor goes when it passes the filter.
  mutating func setFilter(
    _ text: String, wanted: TransferID?, at now: Moment
  ) -> [DashboardEffect] {
    guard case .success(let query) = FilterQuery.parse(text) else { return [] }
    let before = view.filter
    view.setFilter(text, query)
    guard view.filter != before else { return [] }
    if marks.dependsOnFilter {
      marks.removeAll()
      say(Strings.marksOfOtherFilter, at: now)
    }
    return showOther(wanted: wanted)
  }

  /// A click on a count: only these, and a second one ends it.
  package mutating func filter(by state: TransferState, at now: Moment) -> [DashboardEffect] {
    let isOn: Bool =
      switch FilterQuery.parse(view.filterText) {
      case .success(let query): query.states == [state]
      case .failure: false
      }
    let text = FilterQuery.text(view.filterText, withState: isOn ? nil : state)
    return setFilter(text, wanted: cursorID, at: now)
  }
}
