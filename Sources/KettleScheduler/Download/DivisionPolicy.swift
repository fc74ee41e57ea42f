/// When a transfer gets further connections.
///
/// A connection costs this machine and the server work that does not pay off for a transfer that
/// ends soon. So the first connection shows its speed before others join it. How many join is
/// decided by `ConnectionGrowth`, what each fetches by `ActiveDownload.nextPiece`.
package struct DivisionPolicy: Sendable, Hashable {
  /// Long enough to distinguish a fast connection from a slow one. If eight could have worked in
  /// this time, seven eighths of it are lost.
  package var speedMilliseconds: Int64 = 100
  /// What the present connections can deliver within this time, they deliver alone.
  package var aloneMillisecondsMax: Int64 = 1000
  /// At this speed it stays alone, however long it takes: it is faster than a gigabit network, and
  /// its limit is this machine, which further connections would only share.
  package var aloneBytesPerSecondMin: Int64 = 128 << 20
  /// How many connections a transfer has at most that does not ask for a number of its own.
  package var connectionsMax = 16

  package init() {}
}
