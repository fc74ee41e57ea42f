import Glibc
import KettleModel

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
