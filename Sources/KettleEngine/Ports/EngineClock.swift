import KettleModel

/// Reads both clocks; the only source of time for the engine, so that a test can turn it by hand.
package protocol EngineClock: Sendable {
  func now() -> Moment
  /// Calls `wake` once, not before `deadline`; a later call replaces an earlier one, nil ends it.
  func wake(at deadline: MonotonicTime?, _ wake: @escaping @Sendable () -> Void)
}
