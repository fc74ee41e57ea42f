import CKettleUnpacking
import KettleModel

/// Undoes one content coding (RFC 9110, section 8.4.1), piece by piece.
protocol ContentDecoder: AnyObject {
  /// Whether the coded bytes may end after what was decoded.
  var mayEnd: Bool { get }

  /// Decodes from the beginning of `input`, and removes what it used.
  ///
  /// - Returns: the number of bytes written to `output`. Unless that is full, all of `input` was
  ///   used.
  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(UnpackingProblem) -> Int
}

/// Why a compressed file cannot be unpacked.
enum UnpackingProblem: Error, Hashable {
  case damaged
  case truncated
  case libraryMissing(String)
  case noMemory
  case codingUnknown(String)
  case tooManyCodings(Int)
  /// Longer than any file that was compressed for use.
  case tooLong
  /// The compressed file cannot be read.
  case unreadable(TransferFailure)
}

extension UnpackingProblem {
  /// The failure for the file with this name.
  ///
  /// - Parameter position: how far its compressed bytes were decoded.
  func failure(of name: String, at position: Int64) -> TransferFailure {
    let detail: String
    switch self {
    case .damaged: detail = "it is damaged at byte \(position)"
    case .truncated: detail = "it ends in the middle"
    case .libraryMissing(let library): detail = "the library \(library) is not installed"
    case .noMemory: detail = "there is not enough memory"
    case .codingUnknown(let coding): detail = "the encoding \(coding) is unknown"
    case .tooManyCodings(let count): detail = "it is compressed \(count) times"
    case .tooLong: detail = "it becomes more than \(UnpackedSize.growthMax) times as long"
    case .unreadable(let failure): return failure
    }
    return TransferFailure(.unpackingFailed, on: name, detail: detail)
  }
}

extension UnpackingProblem {
  /// Throws if a library cannot be loaded, which its `problem` says.
  static func check(_ library: String, _ problem: UnsafePointer<CChar>?) throws(UnpackingProblem) {
    if problem != nil { throw .libraryMissing(library) }
  }
}

/// How long an unpacked file may be.
struct UnpackedSize {
  /// Deflate reaches 1032, with zeros. Other codings reach thousands of times that, with nothing
  /// that anybody wants.
  static let growthMax: Int64 = 1100
  /// Up to this size, every file is accepted.
  private static let alwaysAccepted: Int64 = 1 << 30

  let byteCountMax: Int64

  init(compressedByteCount: Int64) {
    let (product, overflow) = compressedByteCount.multipliedReportingOverflow(by: Self.growthMax)
    byteCountMax = max(overflow ? .max : product, Self.alwaysAccepted)
  }
}

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

/// The codings `gzip` (RFC 1952) and `deflate`, which is zlib's format (RFC 1950).
final class ZlibDecoder: ContentDecoder {
  enum Format {
    case gzip
    case deflate
  }

  private enum Place {
    case start
    case inside
    /// A member of a gzip file has ended; another one may follow.
    case behindMember
    case end
  }

  private let format: Format
  /// zlib's state points to it, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private var place = Place.start

  init(_ format: Format) throws(UnpackingProblem) {
    try UnpackingProblem.check("libz", kettle_zlib_problem())
    self.format = format
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
  }

  deinit {
    // Does nothing before `begin`.
    inflateEnd(stream)
    stream.deallocate()
  }

  /// An empty body is an empty file.
  var mayEnd: Bool {
    switch place {
    case .start, .behindMember, .end: true
    case .inside: false
    }
  }

  func decode(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(UnpackingProblem) -> Int {
    var count = 0
    while count < output.count {
      switch place {
      case .start:
        guard let first = input.first else { return count }
        try begin(first)
      case .behindMember:
        // Zeros pad it to whole blocks of a tape.
        input = UnsafeRawBufferPointer(rebasing: input.drop { $0 == 0 })
        if input.isEmpty { return count }
        guard inflateReset(stream) == Z_OK else { throw .damaged }
        place = .inside
      case .inside:
        let rest = UnsafeMutableRawBufferPointer(rebasing: output[count...])
        let step = try inflated(&input, into: rest)
        if step == 0, place == .inside, input.isEmpty { return count }
        count += step
      case .end:
        guard input.isEmpty else { throw .damaged }
        return count
      }
    }
    return count
  }

  /// Chooses the format: some servers send `deflate` without zlib's header, whose first byte names
  /// the method and the window (RFC 9110, section 8.4.1.2).
  private func begin(_ first: UInt8) throws(UnpackingProblem) {
    let windowBits: Int32
    switch format {
    case .gzip: windowBits = MAX_WBITS + 16
    case .deflate:
      let hasHeader = first & 0x0f == UInt8(Z_DEFLATED) && first >> 4 <= 7
      windowBits = hasHeader ? MAX_WBITS : -MAX_WBITS
    }
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else { throw .noMemory }
    place = .inside
  }

  /// Returns the number of bytes written; 0 with input left is never returned inside a member.
  private func inflated(
    _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(UnpackingProblem) -> Int {
    // The pieces are far smaller than 4 GiB.
    let (inputCount, outputCount) = (UInt32(clamping: input.count), UInt32(clamping: output.count))
    let start = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
    stream.pointee.avail_in = inputCount
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = outputCount
    let result = inflate(stream, Z_NO_FLUSH)
    let used = Int(inputCount &- stream.pointee.avail_in)
    let count = Int(outputCount &- stream.pointee.avail_out)
    input = UnsafeRawBufferPointer(rebasing: input.dropFirst(used))
    switch result {
    case Z_STREAM_END: place = format == .gzip ? .behindMember : .end
    case Z_OK:
      if used == 0, count == 0 { throw .damaged }
    // Nothing can be done without more input.
    case Z_BUF_ERROR:
      if !input.isEmpty { throw .damaged }
    case Z_MEM_ERROR: throw .noMemory
    default: throw .damaged
    }
    return count
  }
}

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
