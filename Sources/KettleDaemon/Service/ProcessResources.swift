import CKettleLinux
import Glibc

/// The signals, descriptors and memory of the service's process.
enum ProcessResources {
  /// Prepares the process before anything else runs.
  static func prepare() {
    // The starting terminal may close, a client may disconnect during a reply, a file may reach the
    // size limit: each is an error of one call and must not end the service.
    for number in [SIGHUP, SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    // Every connection, file and client needs a descriptor; the user sets the hard limit.
    guard var limit = fileLimit() else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }

  /// The maximum number of descriptors of the process.
  static var descriptorLimit: Int { fileLimit().map { Int(clamping: $0.rlim_cur) } ?? 1024 }

  /// Returns freed memory to the system.
  static func releaseUnusedMemory() {
    malloc_trim(0)
  }

  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

  private static func fileLimit() -> rlimit? {
    var limit = rlimit()
    return getrlimit(resource, &limit) == 0 ? limit : nil
  }
}
