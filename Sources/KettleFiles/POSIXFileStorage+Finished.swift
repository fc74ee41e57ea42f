import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// Questions about files that have their final names.
extension POSIXFileStorage {
  package func standing(of file: FinishedFile) -> FinishedFileStanding {
    guard let path = FilePath(file.path),
      let directory = try? Directory(path.directory, calls: calls),
      let status = try? directory.status(of: path.name)
    else { return .missing }
    // A file that was there before was never compared.
    guard let finished = file.identity else { return .unchanged }
    guard status.isRegular, status.identity.byteCount == finished.byteCount,
      status.identity.hasTime(of: finished)
    else { return .changed }
    return .unchanged
  }

  package func digest(
    ofFileAt path: String, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> String {
    let file: OpenFile
    let status: FileStatus
    do {
      let descriptor = try Errno.retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
      file = OpenFile(owning: descriptor, calls: calls)
      status = try file.status()
    } catch {
      throw error.failure(.file(path))
    }
    guard status.isRegular else {
      throw TransferFailure(.fileProblem, on: path, detail: "it is not a file")
    }
    guard let digest = MessageDigest(algorithm) else {
      throw TransferFailure(
        .internalProblem, on: path, detail: "libcrypto does not offer \(algorithm.rawValue)")
    }
    let whole = POSIXFileDigest(file, digest, path: path)
    try whole.advance(to: status.identity.byteCount) { false }
    return try whole.finish()
  }
}

extension FileIdentity {
  /// Whether the modification time is that of a finished file. FAT keeps steps of two seconds, and
  /// the kernel a finer time until the file is read from the disk again.
  fileprivate func hasTime(of finished: FileIdentity) -> Bool {
    if modifiedNanoseconds == finished.modifiedNanoseconds { return true }
    let (lost, overflow) = finished.modifiedNanoseconds
      .subtractingReportingOverflow(modifiedNanoseconds)
    return !overflow && modifiedNanoseconds % 1_000_000_000 == 0 && (0..<2_000_000_000) ~= lost
  }
}
