import KettleModel

/// The marked transfers: some by name, or all that a filter passes but some.
///
/// A list of a million is marked without naming a million.
package struct Marks: Hashable, Sendable {
  /// Marked, or, when all but these are, not marked.
  private var ids: Set<TransferID> = []
  /// Set when all are marked that pass it, except `ids`.
  private var filter: RowFilter?

  package init() {}

  package var isEmpty: Bool { filter == nil && ids.isEmpty }

  package func contains(_ id: TransferID) -> Bool { ids.contains(id) != (filter != nil) }

  /// How many they are in a list in which `matchingCount` pass the filter; more when some of those
  /// that are not marked do not pass it.
  package func count(matchingCount: Int) -> Int {
    filter == nil ? ids.count : max(0, matchingCount - ids.count)
  }

  /// nil when nothing is marked.
  package var selection: TransferSelection? {
    if let filter { return .matching(filter, except: ids.sorted()) }
    return ids.isEmpty ? nil : .ids(ids.sorted())
  }

  func areAll(passing filter: RowFilter) -> Bool { self.filter == filter && ids.isEmpty }

  /// Whether what is marked is known by the filter alone and would be other transfers under
  /// another one.
  var dependsOnFilter: Bool { filter != nil }

  mutating func toggle(_ id: TransferID) {
    if ids.remove(id) == nil { ids.insert(id) }
  }

  mutating func markAll(passing filter: RowFilter) {
    ids = []
    self.filter = filter
  }

  mutating func removeAll() { self = Marks() }

  mutating func invert(within filter: RowFilter) {
    self.filter = self.filter == nil ? filter : nil
  }

  /// Forgets transfers that are no longer there.
  mutating func forget(_ gone: some Sequence<TransferID>) { ids.subtract(gone) }

  /// Forgets all but these, which are all that there are.
  mutating func keep(only present: some Sequence<TransferID>) { ids.formIntersection(present) }
}
