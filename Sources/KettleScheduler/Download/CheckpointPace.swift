import KettleModel

/// Decides when the received bytes of a running transfer are synced and recorded.
///
/// A kill or a power cut costs what arrived since the last checkpoint: about a second's worth, or
/// 8 MiB if that is more. A checkpoint costs the same however much it records, so a slow transfer
/// makes one only every few seconds.
package struct CheckpointPace: Sendable, Hashable {
  package struct Limits: Sendable, Hashable {
    /// From this many new bytes on, the short interval applies.
    package var byteCountMin: Int64 = 8 << 20
    /// The time between checkpoints while many bytes arrive. With the engine's tick and the sync,
    /// a checkpoint is recorded about a second after the one before.
    package var fastMilliseconds: Int64 = 750
    /// The time between checkpoints while few arrive.
    package var slowMilliseconds: Int64 = 5000

    package init() {}
  }

  private enum Phase: Sendable, Hashable {
    case resting
    /// Bytes are being synced.
    case syncing
    /// The record of the synced bytes is on its way to the store.
    case recording
  }

  private var phase = Phase.resting
  private var takenAt: MonotonicTime
  private var takenByteCount: Int64 = 0

  /// - Parameter now: when the file was opened.
  package init(since now: MonotonicTime) { takenAt = now }

  /// Begins a checkpoint if one is due, and returns whether it did.
  ///
  /// - Parameter receivedByteCount: all bytes received since the file was opened.
  package mutating func begin(
    receivedByteCount: Int64, _ limits: Limits, at now: MonotonicTime
  ) -> Bool {
    let newByteCount = receivedByteCount - takenByteCount
    guard phase == .resting, newByteCount > 0 else { return false }
    let age = now.milliseconds(since: takenAt)
    let pause =
      newByteCount >= limits.byteCountMin ? limits.fastMilliseconds : limits.slowMilliseconds
    guard age >= min(pause, limits.slowMilliseconds) else { return false }
    phase = .syncing
    takenAt = now
    takenByteCount = receivedByteCount
    return true
  }

  /// Notes that the bytes are synced and their record is on its way to the store. No other
  /// checkpoint begins before it is there: a store that cannot be written must not collect them.
  package mutating func submit() { phase = .recording }

  /// Notes that the store has a record of the transfer.
  package mutating func recorded() { if phase == .recording { phase = .resting } }

  /// Ends a checkpoint that has nothing to record.
  package mutating func end() { phase = .resting }
}
