import CKettleLinux
import Glibc

/// Reduces the memory of the process.
enum ProcessMemory {
  /// Lets go of what was needed once. The code of the start and of the commands that this process
  /// is not stays in the page cache, and a page of it comes back by itself when it is called.
  static func giveBackUnused() {
    kettle_forget_code()
    malloc_trim(0)
  }
}
