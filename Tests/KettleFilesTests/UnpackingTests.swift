import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleFiles

/// Files that arrived compressed, and what is wrong with them.
struct UnpackingTests {
  typealias Vectors = PackedVectors

  /// A whole partial file with this content.
  private func packed(
    _ bytes: [UInt8], _ coding: String, in storage: StorageUnderTest
  ) throws(TransferFailure) -> ResumeData {
    var resumeData = try storage.whole("data.json", bytes)
    resumeData.contentCoding = coding
    return resumeData
  }

  private func unpack(_ bytes: [UInt8], _ coding: String) throws(TransferFailure) -> [UInt8] {
    guard let storage = try? StorageUnderTest(.linux) else {
      throw TransferFailure(.internalProblem, on: "no directory")
    }
    let resumeData = try packed(bytes, coding, in: storage)
    let file = try storage.files.createPartialFile(insteadOf: resumeData)
    let byteCount = try storage.files.unpack(resumeData, into: file) { false }
    let unpacked = storage.bytes(file.path) ?? []
    #expect(byteCount == Int64(unpacked.count))
    return unpacked
  }

  /// The words that say what is wrong; nil if nothing is.
  private func problem(_ bytes: [UInt8], _ coding: String) -> String? {
    guard
      let failure = failure({ () throws(TransferFailure) in
        _ = try unpack(bytes, coding)
      })
    else { return nil }
    #expect(failure.code == .unpackingFailed)
    #expect(failure.subject == "data.json")
    return failure.detail
  }

  @Test(arguments: [
    (Vectors.gzip, "gzip"), (Vectors.gzip, "x-gzip"), (Vectors.gzipMembers, "gzip"),
    (Vectors.gzip + [UInt8](repeating: 0, count: 700), "gzip"), (Vectors.brotli, "br"),
    (Vectors.zstd, "zstd"), (Vectors.zstdFrames, "zstd"), (Vectors.deflate, "deflate"),
    (Vectors.rawDeflate, "deflate"), (Vectors.brotliOfGzip, "gzip, br"),
  ])
  func `each coding is undone`(bytes: [UInt8], coding: String) throws {
    #expect(try unpack(bytes, coding) == Vectors.plain)
  }

  @Test(arguments: ["gzip", "br", "zstd", "deflate"])
  func `nothing is nothing`(coding: String) throws {
    #expect(try unpack([], coding) == [])
  }

  @Test func `an empty file may be compressed`() throws {
    #expect(try unpack(Vectors.emptyGzip, "gzip") == [])
    #expect(try unpack(Vectors.emptyBrotli, "br") == [])
    #expect(try unpack(Vectors.emptyZstd, "zstd") == [])
  }

  /// Longer than the pieces in which it is read and written.
  @Test(arguments: [(Vectors.gzip, "gzip"), (Vectors.zstd, "zstd")])
  func `a long file is undone piece by piece`(bytes: [UInt8], coding: String) throws {
    let count = 7000
    let unpacked = try unpack([[UInt8]](repeating: bytes, count: count).flatMap(\.self), coding)
    #expect(unpacked == [[UInt8]](repeating: Vectors.plain, count: count).flatMap(\.self))
    let zeros = try unpack(Vectors.brotliOfZeros, "br")
    #expect(zeros.count == 8 << 20 && zeros.allSatisfy { $0 == 0 })
  }

  // Fault 34
  @Test(arguments: [
    (Vectors.gzip, "gzip"), (Vectors.brotli, "br"), (Vectors.zstd, "zstd"),
    (Vectors.deflate, "deflate"), (Vectors.brotliOfGzip, "gzip, br"),
  ])
  func `a file that ends in the middle is noticed wherever it ends`(
    bytes: [UInt8], coding: String
  ) {
    for count in 1..<bytes.count {
      #expect(problem(Array(bytes.prefix(count)), coding) == "it ends in the middle", "\(count)")
    }
  }

  @Test(arguments: [(Vectors.gzip, "gzip"), (Vectors.zstd, "zstd"), (Vectors.deflate, "deflate")])
  func `a changed byte is noticed`(bytes: [UInt8], coding: String) throws {
    // Behind the headers, whose fields may be of no importance.
    for index in 12..<bytes.count {
      var changed = bytes
      changed[index] ^= 0x10
      if let detail = problem(changed, coding) {
        #expect(detail.hasPrefix("it "), "\(index)")
      } else {
        // Zstandard has bits without a meaning.
        #expect(try unpack(changed, coding) == Vectors.plain, "\(index)")
      }
    }
  }

  @Test func `the place of the damage is said`() {
    let damaged = Array(Vectors.gzip.prefix(50)) + [UInt8](repeating: 0xff, count: 80)
    let position = problem(damaged, "gzip").flatMap { $0.split(separator: " ").last }
      .flatMap { Int($0) }
    #expect((50...130).contains(position ?? 0))
    #expect(problem(Array("{\"plain\": true}".utf8), "gzip")?.hasPrefix("it is damaged at") == true)
    #expect(problem(Array("{\"plain\": true}".utf8), "zstd")?.hasPrefix("it is damaged at") == true)
  }

  @Test(arguments: [
    (Vectors.gzip, "gzip"), (Vectors.brotli, "br"), (Vectors.zstd, "zstd"),
    (Vectors.deflate, "deflate"),
  ])
  func `what follows the end is damage`(bytes: [UInt8], coding: String) {
    #expect(problem(bytes + Array("<html>".utf8), coding)?.hasPrefix("it is damaged at") == true)
  }

  @Test func `other codings and too many of them are refused`() {
    #expect(problem(Vectors.gzip, "compress") == "the encoding compress is unknown")
    #expect(problem(Vectors.gzip, "gzip, x") == "the encoding x is unknown")
    let five = [String](repeating: "gzip", count: 5).joined(separator: ", ")
    #expect(problem(Vectors.gzip, five) == "it is compressed 5 times")
    let missing = UnpackingProblem.libraryMissing("libbrotlidec").failure(of: "a", at: 0)
    #expect(missing.detail == "the library libbrotlidec is not installed")
  }

  @Test func `it stops when it is told to`() throws {
    let storage = try StorageUnderTest(.linux)
    let resumeData = try packed(Vectors.gzip, "gzip", in: storage)
    let file = DiscardingFile()
    let stopped = failure { () throws(TransferFailure) in
      try storage.files.unpack(resumeData, into: file) { true }
    }
    #expect(stopped?.code == .cancelled)
    #expect(file.byteCount == 0)
  }

  // Fault 33
  @Test func `a file that becomes absurdly long is given up`() throws {
    let storage = try StorageUnderTest(.linux)
    let count = (1 << 30) / (128 << 10) + 1
    let bomb = [[UInt8]](repeating: Vectors.zstdOfZeros, count: count).flatMap(\.self)
    let resumeData = try packed(bomb, "zstd", in: storage)
    let file = DiscardingFile()
    let refused = failure { () throws(TransferFailure) in
      try storage.files.unpack(resumeData, into: file) { false }
    }
    #expect(refused?.code == .unpackingFailed)
    #expect(refused?.detail == "it becomes more than 1100 times as long")
    #expect(file.byteCount <= 1 << 30)
    #expect(UnpackedSize(compressedByteCount: 2 << 20).byteCountMax == 1100 * (2 << 20))
    #expect(UnpackedSize(compressedByteCount: .max).byteCountMax == .max)
  }

  @Test func `a compressed file that another program changed is no damage of the server`() throws {
    let storage = try StorageUnderTest(.linux)
    let resumeData = try packed(Vectors.gzip, "gzip", in: storage)
    try storage.shorten(resumeData.partialPath, 20)
    let changed = failure { () throws(TransferFailure) in
      try storage.files.unpack(resumeData, into: DiscardingFile()) { false }
    }
    #expect(changed?.code == .partialFileChanged)
  }

  // Fault 33
  @Test(.enabled(if: ScratchDisk.isPossible, "Mounting a disk takes root"))
  func `a full disk is reported as such`() throws {
    let disk = try ScratchDisk("size=1m")
    let storage = POSIXFileStorage(documentsDirectory: disk.path)
    let old = try storage.createPartialFile(
      in: disk.path, preferredName: "a", onConflict: .rename)
    try old.write(Vectors.brotliOfZeros)
    var resumeData = old.resumeData(
      durable: Vectors.brotliOfZeros.count, total: Vectors.brotliOfZeros.count)
    resumeData.contentCoding = "br"
    let file = try storage.createPartialFile(insteadOf: resumeData)
    let full = failure { () throws(TransferFailure) in
      try storage.unpack(resumeData, into: file) { false }
    }
    #expect(full?.code == .diskFull)
  }
}
