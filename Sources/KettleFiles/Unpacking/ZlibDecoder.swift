import CKettleUnpacking

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
