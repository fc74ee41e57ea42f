import CKettleLinux
import Glibc

/// Reduces the memory of the process.
enum ProcessMemory {
  /// Frees memory that was needed once. Code used only by the start or by other commands stays in
  /// the page cache, and its pages are mapped again when called.
  static func releaseUnused() {
    kettle_forget_code()
    malloc_trim(0)
  }
}
