import Glibc

/// The number of descriptors that this process may have (RLIMIT_NOFILE).
///
/// A process that raises the limit for itself gives its children the former one: programs with
/// select(2) misbehave above 1024.
package enum DescriptorLimit {
  /// The limit before it was raised; nil while it is the one that this process was started with.
  private static let former = Mutex<rlimit?>(nil)
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  /// How many descriptors other threads may open while a program is started.
  private static let margin: UInt64 = 64

  package static var current: Int { limit().map { Int(clamping: $0.rlim_cur) } ?? 1024 }

  /// Raises the limit as far as the user permits.
  package static func raise() {
    former.withLock { former in
      guard var limit = limit() else { return }
      if former == nil { former = limit }
      limit.rlim_cur = limit.rlim_max
      setrlimit(resource, &limit)
    }
  }

  /// Calls `start`, which starts a program, under the limit that this process was started with.
  ///
  /// The limit of this process is lowered meanwhile, which concerns only new descriptors with high
  /// numbers. If there may be such, the program gets the raised limit.
  static func withFormer<Result>(_ start: () -> Result) -> Result {
    former.withLock { former in
      guard var lowered = former, var raised = limit(), hasRoom(below: lowered.rlim_cur) else {
        return start()
      }
      lowered.rlim_max = raised.rlim_max
      guard setrlimit(resource, &lowered) == 0 else { return start() }
      defer { setrlimit(resource, &raised) }
      return start()
    }
  }

  /// The kernel gives out the lowest free number.
  private static func hasRoom(below limit: rlim_t) -> Bool {
    guard let free = OwnedDescriptor(opened: open("/dev/null", O_RDONLY | O_CLOEXEC)) else {
      return false
    }
    return UInt64(free.number) + margin < limit
  }

  private static func limit() -> rlimit? {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? limit : nil
  }
}
