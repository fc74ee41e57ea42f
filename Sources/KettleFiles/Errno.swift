import CKettleLinux
import Glibc
import KettleModel
import KettleSystem

/// An error number of the kernel (errno(3)).
package struct Errno: Error, RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// The error of the last call on this thread. Read it before any other call.
  static var current: Errno { Errno(rawValue: errno) }

  /// The name in errno(3), which people search for, or the number when this table lacks it.
  package var name: String { Self.names[rawValue] ?? "errno \(rawValue)" }

  /// The errors that file calls return.
  private static let names: [Int32: String] = [
    E2BIG: "E2BIG", EACCES: "EACCES", EAGAIN: "EAGAIN", EBADF: "EBADF", EBUSY: "EBUSY",
    EDQUOT: "EDQUOT",
    EEXIST: "EEXIST", EFAULT: "EFAULT", EFBIG: "EFBIG", EINTR: "EINTR", EINVAL: "EINVAL",
    EILSEQ: "EILSEQ", EIO: "EIO", EISDIR: "EISDIR", ELOOP: "ELOOP", EMFILE: "EMFILE",
    EMLINK: "EMLINK",
    ENAMETOOLONG: "ENAMETOOLONG", ENFILE: "ENFILE", ENODEV: "ENODEV", ENOENT: "ENOENT",
    ENOEXEC: "ENOEXEC",
    ENOMEM: "ENOMEM", ENOSPC: "ENOSPC", ENOSYS: "ENOSYS", ENOTCONN: "ENOTCONN",
    ENOTDIR: "ENOTDIR", ENOTEMPTY: "ENOTEMPTY", ENXIO: "ENXIO", EOPNOTSUPP: "EOPNOTSUPP",
    EOVERFLOW: "EOVERFLOW", EPERM: "EPERM", EROFS: "EROFS", ESPIPE: "ESPIPE", ESTALE: "ESTALE",
    ETIMEDOUT: "ETIMEDOUT", ETXTBSY: "ETXTBSY", EXDEV: "EXDEV",
  ]

  /// See `SystemError.mayMeanUnsupported`.
  var mayMeanUnsupported: Bool { SystemError(rawValue).mayMeanUnsupported }

  /// Repeats a call while a signal interrupts it, and returns its result.
  ///
  /// - Parameter call: returns -1 and sets errno on failure.
  static func retrying<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
      let result = call()
      if result != -1 { return result }
      let error = Errno.current
      if error.rawValue != EINTR { throw error }
    }
  }
}

/// The operation that failed, in the detail that the user's message needs.
enum FileStep: Hashable, Sendable {
  /// Opening the directory at this path, or creating, renaming or deleting an entry in it.
  case directory(String)
  /// Reading or writing the open file at this path.
  case file(String)

  var path: String {
    switch self {
    case .directory(let path), .file(let path): path
    }
  }
}

/// The only table from error numbers to failures. The name of the error becomes the detail.
extension Errno {
  func failure(_ step: FileStep) -> TransferFailure {
    TransferFailure(code(step), on: step.path, detail: name)
  }

  private func code(_ step: FileStep) -> TransferFailure.Code {
    switch (rawValue, step) {
    // To the user, an exhausted quota and a file system without free inodes are full disks.
    case (ENOSPC, _), (EDQUOT, _): .diskFull
    case (EEXIST, _), (EISDIR, _): .nameTaken
    case (EACCES, .directory), (EPERM, .directory), (EROFS, .directory): .directoryUnwritable
    case (ENOENT, .directory), (ENOTDIR, .directory), (ELOOP, .directory), (ENODEV, .directory):
      .directoryMissing
    // EFBIG is not a full disk: more space does not help where files may not be that large.
    default: .fileProblem
    }
  }
}

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
