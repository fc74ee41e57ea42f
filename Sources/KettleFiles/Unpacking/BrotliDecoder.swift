import CKettleUnpacking

/// The coding `br` (RFC 7932).
final class BrotliDecoder: ContentDecoder {
  private enum Place {
    case start
    case inside
    case end
  }

  private let state: OpaquePointer
  private var place = Place.start

  init() throws(UnpackingProblem) {
    try UnpackingProblem.check("libbrotlidec", kettle_brotli_problem())
    guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .noMemory }
    self.state = state
  }

  deinit { BrotliDecoderDestroyInstance(state) }

  /// An empty body is an empty file.
  var mayEnd: Bool {
    switch place {
    case .start, .end: true
    case .inside: false
    }
  }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(UnpackingProblem) -> Int {
    switch place {
    case .start:
      if input.isEmpty { return 0 }
      place = .inside
    case .inside: break
    case .end:
      guard input.isEmpty else { throw .damaged }
      return 0
    }
    var (inputCount, outputCount) = (input.count, output.count)
    var nextInput = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var nextOutput = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let result = BrotliDecoderDecompressStream(
      state, &inputCount, &nextInput, &outputCount, &nextOutput, nil)
    input = UnsafeRawBufferPointer(rebasing: input.suffix(inputCount))
    switch result {
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
    case BROTLI_DECODER_RESULT_SUCCESS:
      place = .end
      guard input.isEmpty else { throw .damaged }
    default: throw .damaged
    }
    return output.count - outputCount
  }
}
