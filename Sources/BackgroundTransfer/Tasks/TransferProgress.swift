/// How far a task is.
///
/// ```swift
/// for await progress in task.progressUpdates {
///   guard let fraction = progress.fraction else { continue }
///   print("\(Int(fraction * 100)) %, \(progress.bytesPerSecond) bytes a second")
/// }
/// ```
public struct TransferProgress: Hashable, Sendable {
  /// The bytes that are there (download) or were sent (upload).
  public var completedByteCount: Int64
  /// nil when the server did not say.
  public var totalByteCount: Int64?
  /// 0 while it waits.
  public var bytesPerSecond: Int64

  /// From 0 to 1; nil when the total is not known.
  public var fraction: Double? {
    guard let totalByteCount, totalByteCount > 0 else { return nil }
    return min(1, Double(completedByteCount) / Double(totalByteCount))
  }
}
