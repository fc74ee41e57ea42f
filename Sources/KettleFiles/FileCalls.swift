import CKettleLinux
import Glibc

/// The system calls that can fail in the middle of a file's life, as values, so that tests can
/// inject failures that no disk produces on demand.
///
/// Each works like its namesake: on failure it returns -1 and sets errno.
struct FileCalls: Sendable {
  typealias Write = @Sendable (Int32, UnsafeRawBufferPointer, off_t) -> Int
  typealias Read = @Sendable (Int32, UnsafeMutableRawPointer, Int, off_t) -> Int
  typealias Sync = @Sendable (Int32) -> Int32
  /// Arguments: the descriptor of a directory, and two names in it.
  typealias Rename = @Sendable (Int32, String, String) -> Int32

  static let kernel = FileCalls()

  var write: Write = { pwrite($0, $1.baseAddress, $1.count, $2) }
  var read: Read = { pread($0, $1, $2, $3) }
  var syncData: Sync = { fdatasync($0) }
  var syncAll: Sync = { fsync($0) }
  /// The offset of the first hole of a file. The end of the file counts as one.
  var firstHole: @Sendable (Int32) -> off_t = { kettle_first_hole($0) }
  var truncate: @Sendable (Int32, off_t) -> Int32 = { ftruncate($0, $1) }
  /// openat(2) of an unnamed file in a directory. Arguments: the directory and the flags.
  var openUnnamed: @Sendable (Int32, Int32) -> Int32 = { openat($0, ".", $1, 0o666) }
  var rename: Rename = { renameat($0, $1, $0, $2) }
  /// renameat2(2) with RENAME_NOREPLACE.
  var renameToFree: Rename = { directory, name, newName in
    let code = kettle_renameat_noreplace(directory, name, newName)
    guard code != 0 else { return 0 }
    errno = code
    return -1
  }
}
