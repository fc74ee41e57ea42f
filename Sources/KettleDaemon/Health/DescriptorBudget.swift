/// How the descriptors that the process may have (RLIMIT_NOFILE) are shared out, so that however
/// much is fetched, a client still gets in.
struct DescriptorBudget: Hashable, Sendable {
  /// The store, the log, the event loops, the lock and the sockets that listen.
  private static let reservedCount = 24
  /// A connection to a server has a socket, and at times a file and what looks up its host.
  private static let countPerConnection = 3

  let clientCountMax: Int
  let connectionCountMax: Int

  init(limit: Int) {
    clientCountMax = min(max(limit / 4, 4), 256)
    let rest = limit - Self.reservedCount - clientCountMax
    connectionCountMax = max(rest / Self.countPerConnection, 1)
  }
}
