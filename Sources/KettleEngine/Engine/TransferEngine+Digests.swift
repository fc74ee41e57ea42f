import Dispatch
import KettleModel
import KettleScheduler

/// Checksums, computed while the file is written: each digest follows the durable part of its file
/// up to the first gap, so that little is left to read when the last byte arrives.
extension TransferEngine {
  /// Begins a digest for an opened file when there is a checksum to compare with.
  func followDigest(of id: TransferID, _ resumeData: ResumeData) {
    let spec = scheduler.machines[id]?.spec
    guard let algorithm = spec?.checksum(of: resumeData)?.algorithm else {
      digests[id] = nil
      return
    }
    if let known = digests[id], known.inode == resumeData.inode, known.algorithm == algorithm {
      return
    }
    // If it cannot begin, it is retried when the digest is needed, and fails there with its reason.
    let begun = Result { () throws(TransferFailure) in
      try files.beginDigest(of: resumeData, algorithm: algorithm)
    }
    digests[id] = (try? begun.get()).map {
      LiveDigest(inode: resumeData.inode, algorithm: algorithm, digest: $0)
    }
  }

  /// Continues a digest after more of the file became durable.
  func advanceDigest(of id: TransferID, to durable: ByteRangeSet) {
    guard let one = digests[id] else { return }
    let upper = durable.prefixByteCount
    one.queue.async {
      guard upper > one.digest.byteCount else { return }
      // A failure here recurs when the digest is needed.
      try? one.digest.advance(to: upper) { false }
    }
  }

  func computeDigest(
    _ algorithm: Checksum.Algorithm, of resumeData: ResumeData, for id: TransferID,
    as operation: OperationID
  ) {
    let upper = resumeData.durable.prefixByteCount
    let known = digests.removeValue(forKey: id)
    let usable = known.flatMap { one in
      one.inode == resumeData.inode && one.algorithm == algorithm ? one : nil
    }
    let work: WorkerPool.Work = { [weak self, files] in
      let result = Result { () throws(TransferFailure) in
        let digest: any FileDigest
        if let usable {
          digest = usable.digest
        } else {
          digest = try files.beginDigest(of: resumeData, algorithm: algorithm)
        }
        try digest.advance(to: upper) { false }
        return try digest.finish()
      }
      self?.post(.digested(id, operation, result))
    }
    if let usable { usable.queue.async(execute: work) } else { digestPool.async(work) }
  }
}
