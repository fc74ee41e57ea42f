import Glibc

/// What the process needs before anything else.
enum ProcessPreparation {
  static func prepare() {
    // The terminal that started us may go, a client may leave in the middle of a reply, a file may
    // reach the limit: each is an error of one call and not the end of the service.
    for number in [SIGHUP, SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    // Every connection, file and client costs a descriptor; the hard limit is the user's to set.
    guard var limit = fileLimit() else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }

  /// How many descriptors the process may have.
  static var descriptorLimit: Int { fileLimit().map { Int(clamping: $0.rlim_cur) } ?? 1024 }

  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

  private static func fileLimit() -> rlimit? {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? limit : nil
  }
}
