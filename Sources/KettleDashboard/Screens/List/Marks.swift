import KettleModel

/// The marked transfers: either a set of IDs, or all that match a filter except some.
///
/// This marks a list of a million without a million IDs.
package struct Marks: Hashable, Sendable {
  /// The marked transfers; with a filter, the ones that are not marked.
  private var ids: Set<TransferID> = []
  /// Set when all transfers that match it are marked, except `ids`.
  private var filter: RowFilter?

  package init() {}

  package var isEmpty: Bool { filter == nil && ids.isEmpty }

  package func contains(_ id: TransferID) -> Bool { ids.contains(id) != (filter != nil) }

  /// Returns the number of marked transfers in a list in which `matchingCount` match the filter.
  /// The result is too low when some of the excluded transfers no longer match it.
  package func count(matchingCount: Int) -> Int {
    filter == nil ? ids.count : max(0, matchingCount - ids.count)
  }

  /// nil when nothing is marked.
  package var selection: TransferSelection? {
    if let filter { return .matching(filter, except: ids.sorted()) }
    return ids.isEmpty ? nil : .ids(ids.sorted())
  }

  func areAll(matching filter: RowFilter) -> Bool { self.filter == filter && ids.isEmpty }

  /// Whether the marks are defined by the filter, so that another filter would mark other
  /// transfers.
  var dependsOnFilter: Bool { filter != nil }

  mutating func toggle(_ id: TransferID) {
    if ids.remove(id) == nil { ids.insert(id) }
  }

  mutating func markAll(matching filter: RowFilter) {
    ids = []
    self.filter = filter
  }

  mutating func removeAll() { self = Marks() }

  mutating func invert(within filter: RowFilter) {
    self.filter = self.filter == nil ? filter : nil
  }

  /// Removes transfers that no longer exist.
  mutating func forget(_ gone: some Sequence<TransferID>) { ids.subtract(gone) }

  /// Removes all except these, which are all that exist.
  mutating func keep(only present: some Sequence<TransferID>) { ids.formIntersection(present) }
}
