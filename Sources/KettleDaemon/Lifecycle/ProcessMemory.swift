import CKettleLinux

/// Reduces the memory of the process.
enum ProcessMemory {
  /// Returns freed memory to the system.
  static func giveBackUnused() { malloc_trim(0) }
}
