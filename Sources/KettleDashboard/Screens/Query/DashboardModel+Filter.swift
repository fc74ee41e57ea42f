import KettleModel

/// The filter of the view.
extension DashboardModel {
  /// Applies the filter after each character; after an invalid text the last valid one stays.
  mutating func filterWhileTyping(_ field: QueryField, at now: Moment) -> [DashboardEffect] {
    if FilterQuery.isBeginningOfCondition(field.text) { return [] }
    return setFilter(field.text, wanted: field.startID, at: now)
  }

  /// - Parameter wanted: The transfer that the cursor moves to if it matches the filter.
  mutating func setFilter(
    _ text: String, wanted: TransferID?, at now: Moment
  ) -> [DashboardEffect] {
    guard case .success(let query) = FilterQuery.parse(text) else { return [] }
    let before = view.filter
    view.setFilter(text, query)
    guard view.filter != before else { return [] }
    if marks.dependsOnFilter {
      marks.removeAll()
      showNotice(Strings.marksOfOtherFilter, at: now)
    }
    return showOtherList(wanted: wanted)
  }

  /// Handles a click on a count: shows only this state; a second click shows all again.
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
