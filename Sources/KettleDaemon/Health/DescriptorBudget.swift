/// Divides the process's descriptors (RLIMIT_NOFILE), so that a client can always connect, however
/// many downloads run.
struct DescriptorBudget: Hashable, Sendable {
  /// The store, the log, the event loops, the lock and the listening sockets.
  private static let reservedCount = 24
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
