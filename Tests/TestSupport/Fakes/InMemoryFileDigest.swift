import KettleEngine
import KettleModel
import KettleSystem

/// The digest of a file in `InMemoryFileStorage`, read in small pieces so that a test can stop it.
final class InMemoryFileDigest: FileDigest {
  private static let pieceByteCount: Int64 = 64 << 10

  private let storage: InMemoryFileStorage
  private let resumeData: ResumeData
  private let algorithm: Checksum.Algorithm
  private let read = Mutex<[UInt8]>([])

  init(
    _ storage: InMemoryFileStorage, _ resumeData: ResumeData, _ algorithm: Checksum.Algorithm
  ) {
    self.storage = storage
    self.resumeData = resumeData
    self.algorithm = algorithm
  }

  var byteCount: Int64 { read.withLock { Int64($0.count) } }

  func advance(
    to upper: Int64, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) {
    while byteCount < upper, !shouldStop() {
      let offset = byteCount
      let count = Int(min(upper - offset, Self.pieceByteCount))
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
      defer { buffer.deallocate() }
      guard try storage.read(.digestRead, resumeData.inode, into: buffer, at: offset) else {
        throw TransferFailure(
          .partialFileChanged, on: resumeData.partialPath,
          detail: "it is shorter than what was kept")
      }
      let piece = [UInt8](buffer)
      read.withLock { $0 += piece }
    }
  }

  func finish() throws(TransferFailure) -> String {
    let bytes = read.withLock { $0 }
    guard let hex = TestDigest.hex(of: bytes, algorithm) else {
      throw TransferFailure(
        .internalProblem, on: resumeData.partialPath, detail: "the digest failed")
    }
    return hex
  }
}
