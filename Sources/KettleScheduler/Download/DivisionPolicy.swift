/// When a transfer gets its second connection.
///
/// A connection costs this machine and the server work that does not pay off for a transfer that
/// ends soon. So the first connection shows its speed before others join it. From the second on,
/// `ActiveDownload.nextPiece` alone decides.
package struct DivisionPolicy: Sendable, Hashable {
  /// Long enough to distinguish a fast connection from a slow one. If eight could have worked in
  /// this time, seven eighths of it are lost.
  package var speedMilliseconds: Int64 = 100
  /// What the first connection can deliver within this time, it delivers alone.
  package var aloneMillisecondsMax: Int64 = 2500
  /// At this speed it stays alone, however long it takes: it is faster than a gigabit network, and
  /// its limit is this machine, which further connections would only share.
  package var aloneBytesPerSecondMin: Int64 = 128 << 20

  package init() {}
}
