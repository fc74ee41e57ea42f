import KettleEngine
import KettleModel

extension POSIXFileStorage {
  package func beginDigest(
    of resumeData: ResumeData, algorithm: Checksum.Algorithm
  ) throws(TransferFailure) -> any FileDigest {
    let (file, _) = try PartFileLocation(resumeData, calls).open(.read)
    guard let digest = MessageDigest(algorithm) else {
      throw TransferFailure(
        .internalProblem, on: resumeData.partialPath,
        detail: "libcrypto does not offer \(algorithm.rawValue)")
    }
    return POSIXFileDigest(file, digest, path: resumeData.partialPath)
  }
}
