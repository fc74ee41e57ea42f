import KettleEngine
import KettleModel

/// Bytes that are read one after the other.
protocol ByteSource: AnyObject {
  /// Fills the buffer, or its beginning at the end of the bytes.
  ///
  /// - Returns: the number of bytes; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(UnpackingProblem) -> Int
}

/// The bytes of a compressed file without its content codings. One thread may use it.
final class UnpackedBytes: ByteSource {
  /// Each coding may multiply the length, so a chain of them is kept short.
  static let codingCountMax = 4

  private let packed: PackedBytes
  private let last: any ByteSource
  private let first: DecodedBytes?

  /// - Parameter codings: as in `Content-Encoding`, in the order of their application.
  init(_ packed: PackedBytes, codings: String) throws(UnpackingProblem) {
    self.packed = packed
    let names = codings.split(separator: ",").map { String($0.filter { $0 != " " }) }
    guard names.count <= Self.codingCountMax else { throw .tooManyCodings(names.count) }
    var last: any ByteSource = packed
    var first: DecodedBytes?
    for name in names.reversed() {
      let decoded = DecodedBytes(last, try Self.decoder(for: name))
      first = first ?? decoded
      last = decoded
    }
    self.last = last
    self.first = first
  }

  private static func decoder(
    for coding: String
  ) throws(UnpackingProblem) -> any ContentDecoder {
    switch coding {
    case "gzip", "x-gzip": try ZlibDecoder(.gzip)
    case "deflate": try ZlibDecoder(.deflate)
    case "br": try BrotliDecoder()
    case "zstd": try ZstdDecoder()
    default: throw .codingUnknown(coding)
    }
  }

  /// How far the compressed bytes were decoded.
  var position: Int64 { packed.byteCount - Int64(first?.unusedCount ?? 0) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(UnpackingProblem) -> Int {
    try last.read(into: buffer)
  }
}

/// The bytes of a source without one of its codings.
private final class DecodedBytes: ByteSource {
  private static let pieceByteCount = 256 << 10

  private let source: any ByteSource
  private let decoder: any ContentDecoder
  private let piece = UnsafeMutableRawBufferPointer.allocate(
    byteCount: pieceByteCount, alignment: 16)
  /// The part of `piece` that is not decoded yet.
  private var unused = UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ source: any ByteSource, _ decoder: any ContentDecoder) {
    self.source = source
    self.decoder = decoder
  }

  deinit { piece.deallocate() }

  var unusedCount: Int { unused.count }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(UnpackingProblem) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      count += try decoder.decode(&unused, into: rest)
      guard count < buffer.count else { break }
      let arrived = try source.read(into: piece)
      if arrived == 0 {
        guard decoder.mayEnd else { throw .truncated }
        break
      }
      unused = UnsafeRawBufferPointer(rebasing: piece[..<arrived])
    }
    return count
  }
}

/// The bytes of a compressed file.
final class PackedBytes: ByteSource {
  private let file: OpenFile
  private let path: String
  private let upper: Int64
  /// The number of bytes read.
  private(set) var byteCount: Int64 = 0

  /// - Parameters:
  ///   - path: for failures.
  ///   - upper: the length of the file.
  init(_ file: OpenFile, path: String, upTo upper: Int64) {
    self.file = file
    self.path = path
    self.upper = upper
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(UnpackingProblem) -> Int {
    let count = Int(min(Int64(buffer.count), upper - byteCount))
    guard count > 0 else { return 0 }
    let isWhole: Bool
    do {
      isWhole = try file.read(
        UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count)), at: byteCount)
    } catch {
      throw .unreadable(error.failure(.file(path)))
    }
    guard isWhole else {
      throw .unreadable(
        TransferFailure(.partialFileChanged, on: path, detail: PartFileLocation.isShorter))
    }
    byteCount += Int64(count)
    return count
  }
}

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
