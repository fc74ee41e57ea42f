import KettleSystem

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

/// Passes the progress of a task to everyone who reads it.
final class ProgressFeed: Sendable {
  private struct State {
    var newest: TransferProgress?
    var isOver = false
    var readers: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
    var nextReader = 0
  }

  private let state = Mutex(State())

  /// Sends the newest progress, if there is any. After the last one the streams end.
  func send(_ progress: TransferProgress?, isLast: Bool) {
    let readers = state.withLock { state in
      state.newest = progress
      state.isOver = isLast
      defer { if isLast { state.readers = [:] } }
      return Array(state.readers.values)
    }
    for reader in readers {
      if let progress { reader.yield(progress) }
      if isLast { reader.finish() }
    }
  }

  /// Returns a stream that begins with the newest progress. A slow reader misses values.
  func makeStream() -> AsyncStream<TransferProgress> {
    let (stream, reader) = AsyncStream.makeStream(
      of: TransferProgress.self, bufferingPolicy: .bufferingNewest(1))
    let (number, newest, isOver) = state.withLock { state in
      defer { state.nextReader += 1 }
      if !state.isOver { state.readers[state.nextReader] = reader }
      return (state.nextReader, state.newest, state.isOver)
    }
    reader.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
    }
    if let newest { reader.yield(newest) }
    if isOver { reader.finish() }
    return stream
  }
}
