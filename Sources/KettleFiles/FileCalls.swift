import CKettleLinux
import Glibc
import KettleSystem

/// The system calls that can fail in the middle of a file's life, as values, so that tests can
/// inject failures that no disk produces on demand.
///
/// Each works like its namesake: on failure it returns -1 and sets errno.
struct FileCalls: Sendable {
  typealias Write = @Sendable (Int32, UnsafeRawBufferPointer, off_t) -> Int
  typealias Read = @Sendable (Int32, UnsafeMutableRawPointer, Int, off_t) -> Int
  typealias Sync = @Sendable (Int32) -> Int32
  typealias Status = @Sendable (Int32, UnsafeMutablePointer<stat>) -> Int32
  /// Arguments: the descriptor of a directory, a name in it, and the result.
  typealias StatusOfName = @Sendable (Int32, String, UnsafeMutablePointer<stat>) -> Int32

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
  var rename = FreeNameRename.Calls().rename
  /// renameat2(2) with RENAME_NOREPLACE.
  var renameToFree = FreeNameRename.Calls().renameToFree
  var link = FreeNameRename.Calls().link
  var status: Status = { fstat($0, $1) }
  /// Makes the second file share the blocks of the first.
  var clone: @Sendable (Int32, Int32) -> Int32 = { kettle_clone($0, $1) }
  /// Copies bytes at an offset from the first file to the second.
  var copyRange: @Sendable (Int32, Int32, off_t, Int) -> Int = { kettle_copy_range($0, $1, $2, $3) }
  /// fstatat(2) of an entry, which follows no link.
  var statusOfName: StatusOfName = { fstatat($0, $1, $2, AT_SYMLINK_NOFOLLOW) }
  /// The longest name in a directory, in bytes; -1 for no limit (fpathconf(3)).
  var nameByteCountMax: @Sendable (Int32) -> Int = { fpathconf($0, Int32(_PC_NAME_MAX)) }
  /// The type of the file system in statfs(2); nil when the kernel does not say.
  var fileSystemKind: @Sendable (Int32) -> Int? = { descriptor in
    var kind = 0
    return kettle_file_system_kind(descriptor, &kind) == 0 ? kind : nil
  }
}

extension FreeNameRename {
  func rename(_ name: String, to newName: String, in directory: Directory) throws(Errno) {
    var own = self
    own.calls = directory.calls.naming
    do throws(SystemError) {
      try own.rename(name, to: newName, in: directory.descriptor)
    } catch {
      throw Errno(rawValue: error.code)
    }
  }
}

extension FileCalls {
  fileprivate var naming: FreeNameRename.Calls {
    var naming = FreeNameRename.Calls()
    naming.renameToFree = renameToFree
    naming.link = link
    naming.rename = rename
    return naming
  }
}
