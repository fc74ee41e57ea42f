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
    let detail: String
    switch FileContents.obstacle(path: path, byteCountMax: TrustedCertificates.fileByteCountMax) {
    case nil: return nil
    case .missing: detail = SystemError(ENOENT).message
    case .unusable(let words): detail = words
    }
    return TransferFailure(.certificateFileUnusable, on: path, detail: detail)
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
