import KettleModel

extension Viewport {
  /// The viewport that the dashboard requests at the start.
  static func unfiltered(first: Int, count: Int, tag: Int = 0) -> Viewport {
    Viewport(
      filter: RowFilter(scope: .uncleared, membership: .none), sort: RowSort(isGrouped: true),
      first: first,
      count: count, tag: tag)
  }
}
