import KettleEngine
import KettleModel

extension POSIXFileStorage {
  private static let bufferByteCount: Int64 = 256 << 10

  package func isRight(
    _ index: Int, of pieces: PieceHashes, in file: any PartialFile
  ) throws(TransferFailure) -> Bool {
    let failure = TransferFailure(.internalProblem, on: file.path, detail: "the digest failed")
    guard let range = pieces.range(of: index) else { throw failure }
    var digest = PieceDigest(pieces, index)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(min(Self.bufferByteCount, range.byteCount)), alignment: 4096)
    defer { buffer.deallocate() }
    var offset = range.lower
    while offset < range.upper {
      let count = Int(min(Int64(buffer.count), range.upper - offset))
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
      try file.read(part, at: offset)
      guard digest.update(UnsafeRawBufferPointer(part)) else { throw failure }
      offset += Int64(count)
    }
    guard let isRight = digest.matches() else { throw failure }
    return isRight
  }
}
