/// The progress of a task.
///
/// ```swift
/// for await progress in task.progressUpdates {
///   guard let fraction = progress.fraction else { continue }
///   print("\(Int(fraction * 100)) %, \(progress.bytesPerSecond) bytes a second")
/// }
/// ```
public struct TransferProgress: Hashable, Sendable {
  /// The number of bytes received (download) or sent (upload).
  public var completedByteCount: Int64
  /// The total number of bytes; nil when the server did not state it.
  public var totalByteCount: Int64?
  /// The speed in bytes per second; 0 while the task waits.
  public var bytesPerSecond: Int64

  /// The completed part, from 0 to 1; nil when the total is unknown.
  public var fraction: Double? {
    guard let totalByteCount, totalByteCount > 0 else { return nil }
    return min(1, Double(completedByteCount) / Double(totalByteCount))
  }
}
