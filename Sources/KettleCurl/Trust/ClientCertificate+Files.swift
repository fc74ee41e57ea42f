import Glibc
import KettleModel
import KettleSystem

extension ClientCertificate {
  /// Why the certificate cannot be used; nil when its files can be read.
  ///
  /// Checked before libcurl reads them: libcurl would wait forever for a pipe, and block all
  /// attempts.
  var fileProblem: TransferFailure? {
    Self.problem(of: certificatePath) ?? Self.problem(of: keyPath)
  }

  private static func problem(of path: String) -> TransferFailure? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    guard let file = OwnedDescriptor(opened: open(path, flags)) else {
      return TransferFailure(
        .certificateFileUnusable, on: path, detail: SystemError(errno).message)
    }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return TransferFailure(
        .certificateFileUnusable, on: path, detail: "it is not a regular file")
    }
    return nil
  }

  /// Returns the failure for files that libcurl cannot use: only its text tells which file it means
  /// (lib/vtls/openssl.c).
  func failure(saying text: String) -> TransferFailure {
    guard text.contains("private key") else {
      return TransferFailure(.certificateFileUnusable, on: certificatePath)
    }
    return TransferFailure(
      .certificateFileUnusable, on: keyPath,
      detail: "its password or its certificate may not match")
  }
}
