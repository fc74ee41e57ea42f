import CKettleUnpacking

/// The coding `zstd` (RFC 8878), of one frame or several. A frame may need a window of up to
/// 128 MiB, zstd's own limit; servers are to use no more than 8 MiB (RFC 9659).
final class ZstdDecoder: ContentDecoder {
  private let stream: OpaquePointer
  /// An empty body is an empty file.
  private(set) var mayEnd = true

  init() throws(UnpackingProblem) {
    try UnpackingProblem.check("libzstd", kettle_zstd_problem())
    guard let stream = ZSTD_createDStream() else { throw .noMemory }
    self.stream = stream
  }

  deinit { ZSTD_freeDStream(stream) }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(UnpackingProblem) -> Int {
    var unpacked = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
    while unpacked.pos < output.count {
      // Behind a frame, a call without input would begin the next one.
      if input.isEmpty, mayEnd { break }
      let before = unpacked.pos
      var packed = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
      let result = ZSTD_decompressStream(stream, &unpacked, &packed)
      guard ZSTD_isError(result) == 0 else { throw .damaged }
      let isStuck = packed.pos == 0 && unpacked.pos == before
      if isStuck, !input.isEmpty { throw .damaged }
      input = UnsafeRawBufferPointer(rebasing: input.dropFirst(packed.pos))
      mayEnd = result == 0
      if isStuck { break }
    }
    return unpacked.pos
  }
}
