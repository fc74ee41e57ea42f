/// Reads the number of seconds of `--timeout` and `--seconds`.
enum Seconds {
  /// A year; what is meant to take longer is meant to take for ever.
  static let max = 31_536_000

  /// In milliseconds.
  static func milliseconds(_ seconds: Double) throws(UsageError) -> Int64 {
    guard seconds >= 0, seconds <= Double(max) else {
      throw UsageError(.value(.seconds(seconds)))
    }
    return Int64(seconds * 1000)
  }
}
