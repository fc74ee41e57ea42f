import KettleModel

extension Viewport {
  /// What the dashboard asks for as it begins.
  static func unfiltered(first: Int, count: Int, tag: Int = 0) -> Viewport {
    Viewport(filter: RowFilter(scope: .uncleared), first: first, count: count, tag: tag)
  }
}
