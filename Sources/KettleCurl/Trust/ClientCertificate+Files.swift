import Glibc
import KettleSystem
import KettleModel

extension ClientCertificate {
  /// Why it cannot be shown; nil when its files can be read.
  ///
  /// Looked at before libcurl does: it would wait for a pipe for ever, and all attempts with it.
  var fileProblem: TransferFailure? {
    Self.problem(of: certificatePath) ?? Self.problem(of: keyPath)
  }

  private static func problem(of path: String) -> TransferFailure? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    guard let file = OwnedDescriptor(opened: open(path, flags)) else {
      return TransferFailure(
        .certificateFileUnusable, on: path, detail: strerror(errno).map { String(cString: $0) })
    }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return TransferFailure(
        .certificateFileUnusable, on: path, detail: "it is not a regular file")
    }
    return nil
  }

  /// What it means when libcurl can make nothing of the files: only its text says of which of them
  /// it speaks (lib/vtls/openssl.c).
  func failure(saying text: String) -> TransferFailure {
    guard text.contains("private key") else {
      return TransferFailure(.certificateFileUnusable, on: certificatePath)
    }
    return TransferFailure(
      .certificateFileUnusable, on: keyPath,
      detail: "its password or its certificate may be another")
  }
}
