/// When a transfer gets its second connection.
///
/// A connection costs this machine and the server work that a transfer does not repay which one
/// connection ends soon; so the first one shows its speed before others join it. From the second on
/// it is `Fetch.nextPiece` alone that decides.
package struct DivisionPolicy: Sendable, Hashable {
  /// Long enough to tell a fast connection from a slow one. Where eight could have been at work for
  /// so long, seven eighths of it are lost.
  package var speedMilliseconds: Int64 = 100
  /// What the first connection brings within this time, it brings alone.
  package var aloneMillisecondsMax: Int64 = 2500
  /// While it is as fast as that it stays alone, however long it takes: it is faster than a gigabit
  /// of network, and what limits it is this machine, which others would only share.
  package var aloneBytesPerSecondMin: Int64 = 128 << 20

  package init() {}
}
