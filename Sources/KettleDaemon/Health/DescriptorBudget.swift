/// Divides the process's descriptors (RLIMIT_NOFILE), so that a client can always connect, however
/// many downloads run.
struct DescriptorBudget: Hashable, Sendable {
  /// The store and its readers, the log, the event loops, the lock, the listening sockets and those
  /// that watch the network and the desktop.
  private static let reservedCount = 32
  /// A connection to a server has a socket, and at times a file and a host lookup.
  private static let countPerConnection = 3

  let clientCountMax: Int
  let connectionCountMax: Int

  init(limit: Int) {
    clientCountMax = min(max(limit / 4, 4), 256)
    let rest = limit - Self.reservedCount - clientCountMax
    connectionCountMax = max(rest / Self.countPerConnection, 1)
  }
}
