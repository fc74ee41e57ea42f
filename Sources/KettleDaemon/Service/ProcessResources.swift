import CKettleLinux
import Glibc
import KettleSystem

/// The signals, descriptors and memory of the service's process.
enum ProcessResources {
  /// Prepares the process before anything else runs.
  static func prepare() {
    // The starting terminal may close, a client may disconnect during a reply, a file may reach the
    // size limit: each is an error of one call and must not end the service.
    for number in [SIGHUP, SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    // Every connection, file and client needs a descriptor; the user sets the hard limit.
    DescriptorLimit.raise()
    AddressSpace.boundUnusedHeap()
  }

  /// Returns freed memory to the system, and what was read of the program itself.
  static func releaseUnusedMemory() {
    AddressSpace.returnCode()
    malloc_trim(0)
  }
}
