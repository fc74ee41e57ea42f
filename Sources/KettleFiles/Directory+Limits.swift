import Glibc
import KettleModel

/// What the file system of a directory does not allow.
extension Directory {
  /// The largest file of a known file system; nil where none is known.
  var fileByteCountMax: Int64? {
    // MSDOS_SUPER_MAGIC: FAT has 32 bits for a size.
    calls.fileSystemKind(descriptor) == 0x4D44 ? 0xFFFF_FFFF : nil
  }

  /// Returns the failure for an error of a call that gives a name to a file in this open directory.
  /// Attributes an error about the name itself to the file, not to the directory.
  ///
  /// File systems of other systems report a forbidden character by many numbers: exFAT by ENOENT or
  /// EINVAL, NTFS by EINVAL, FAT by EPERM.
  func failure(_ error: Errno, onName name: String) -> TransferFailure {
    let path = FilePath.joined(self.path, name)
    switch error.rawValue {
    case ENAMETOOLONG, EFBIG: return error.failure(.file(path))
    case EINVAL, EILSEQ: return Self.refused(path, error)
    case ENOENT, EPERM, EACCES, EIO:
      let isForbidden = Self.isForbiddenElsewhere(name) && isThereAndWritable
      return isForbidden ? Self.refused(path, error) : error.failure(.directory(self.path))
    default: return error.failure(.directory(self.path))
    }
  }

  private static func refused(_ path: String, _ error: Errno) -> TransferFailure {
    TransferFailure(.fileProblem, on: path, detail: FileTrouble.detail(refusing: error.name))
  }

  /// Whether some file systems forbid the name: those that keep the rules of Windows.
  private static func isForbiddenElsewhere(_ name: String) -> Bool {
    name.unicodeScalars.contains { $0.value < 32 || "\"*:<>?\\|".unicodeScalars.contains($0) }
      || name.hasSuffix(".") || name.hasSuffix(" ")
  }

  private var isThereAndWritable: Bool {
    let isLinked = (try? status().linkCount) != 0
    return isLinked && faccessat(descriptor, ".", W_OK | X_OK, 0) == 0
  }
}
