import KettleModel

/// Reads both clocks; the engine's only source of time, so that a test can control it.
package protocol EngineClock: Sendable {
  func now() -> Moment
  /// Calls `wake` once, not before `deadline`. A later call replaces an earlier one; nil cancels
  /// it.
  func wake(at deadline: MonotonicTime?, _ wake: @escaping @Sendable () -> Void)
}
