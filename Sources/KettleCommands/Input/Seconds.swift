/// Parses the seconds of `--timeout` and `--seconds`.
enum Seconds {
  /// One year. A longer time would mean no limit.
  static let max = 31_536_000

  /// In milliseconds.
  static func milliseconds(_ seconds: Double) throws(UsageError) -> Int64 {
    guard seconds >= 0, seconds <= Double(max) else {
      throw UsageError(.value(.seconds(seconds)))
    }
    return Int64(seconds * 1000)
  }
}
