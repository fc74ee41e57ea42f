import KettleEngine
import KettleModel

extension POSIXFileStorage {
  /// Large enough that the calls cost little, and aligned for writes past the page cache.
  private static let unpackedPieceByteCount = 256 << 10

  package func unpack(
    _ resumeData: ResumeData, into file: any PartialFile, shouldStop: @Sendable () -> Bool
  ) throws(TransferFailure) -> Int64 {
    let location = try PartFileLocation(resumeData, calls)
    let (open, status) = try location.open(.read)
    let byteCount = resumeData.wholeByteCount
    guard status.identity.byteCount == byteCount else {
      throw location.changed("it has another size than it had")
    }
    let packed = PackedBytes(open, path: resumeData.partialPath, upTo: byteCount)
    let unpacked: UnpackedBytes
    do throws(UnpackingProblem) {
      unpacked = try UnpackedBytes(packed, codings: resumeData.contentCoding ?? "")
    } catch {
      throw error.failure(of: resumeData.finalName, at: 0)
    }
    let piece = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.unpackedPieceByteCount, alignment: UncachedWriter.alignment)
    defer { piece.deallocate() }
    let byteCountMax = UnpackedSize(compressedByteCount: byteCount).byteCountMax
    var written: Int64 = 0
    while true {
      guard !shouldStop() else { throw TransferFailure(.cancelled, on: resumeData.finalName) }
      let count: Int
      do throws(UnpackingProblem) {
        count = try unpacked.read(into: piece)
        guard Int64(count) <= byteCountMax - written else { throw .tooLong }
      } catch {
        throw error.failure(of: resumeData.finalName, at: unpacked.position)
      }
      guard count > 0 else { return written }
      try file.write(UnsafeRawBufferPointer(rebasing: piece.prefix(count)), at: written)
      written += Int64(count)
    }
  }
}
