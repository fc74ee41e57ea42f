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
