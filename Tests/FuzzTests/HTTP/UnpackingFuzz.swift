import Foundation
import Glibc
import KettleEngine
import KettleFiles
import KettleModel
import KettleSystem
import SeededNumbers
import TestSupport

/// Compressed files: unpacking ends with bytes or with a failure of the file. The first byte of an
/// input chooses the codings.
struct UnpackingFuzz: FuzzPart {
  let name = "unpacking"
  let sharePercent = 2
  let samples: [[UInt8]]
  private let files: POSIXFileStorage
  private let folder: Folder
  private static let codings = [
    "gzip", "deflate", "br", "zstd", "gzip, br", "zstd, gzip", "br, zstd, deflate",
  ]
  /// "hello", compressed by each of the four.
  private static let vectors = [
    "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA==", "eNrLSM3JyQcABiwCFQ==", "CwKAaGVsbG8D",
    "KLUv/QRoKQAAaGVsbG+jbZ+I",
  ]
  private static let byteCountMax: Int64 = 4 << 20

  init() throws {
    folder = Folder(path: try TemporaryFolder.make("kettle-unpacking"))
    files = POSIXFileStorage(documentsDirectory: folder.path)
    samples = Self.codings.indices.flatMap { index in
      Self.vectors.compactMap { Data(base64Encoded: $0) }.map { [UInt8(index)] + $0 }
    }
  }

  /// Removed with the last reference.
  private final class Folder: Sendable {
    let path: String
    init(path: String) { self.path = path }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  func mutated(
    _ input: [UInt8], times count: Int, _ random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = input
    for _ in 0..<count {
      let index = Int.random(in: 0...bytes.count, using: &random)
      switch Int.random(in: 0...5, using: &random) {
      case 0 where index < bytes.count: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 1 where index < bytes.count: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 2: bytes.removeSubrange(index...)
      case 3: bytes += samples.randomElement(using: &random)?.dropFirst() ?? []
      case 4: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
      default: bytes += bytes.dropFirst(index).prefix(64)
      }
    }
    return Array(bytes.prefix(64 << 10))
  }

  func simplifications(of input: [UInt8]) -> [[UInt8]] {
    guard input.count > 1 else { return [] }
    return [input.count / 2, input.count - 1].map { Array(input.prefix($0)) }
      + input.indices.dropFirst().prefix(64).map { index in
        Array(input[..<index] + input[(index + 1)...])
      }
  }

  func finding(for input: [UInt8]) -> String? {
    let codings = Self.codings[Int(input.first ?? 0) % Self.codings.count]
    do {
      let file = try files.createPartialFile(
        in: folder.path, preferredName: "a", onConflict: .rename)
      let bytes = Array(input.dropFirst())
      try bytes.withUnsafeBytes { buffer in
        Result { () throws(TransferFailure) in try file.write(buffer, at: 0) }
      }.get()
      var resumeData = ResumeData(
        partialPath: file.path, device: file.device, inode: file.inode,
        durable: ByteRangeSet(prefix: Int64(bytes.count)), totalByteCount: Int64(bytes.count),
        validator: nil, finalName: "a")
      resumeData.contentCoding = codings
      defer { files.removePartialFile(resumeData.partialIdentity) }
      let unpacked = DiscardingFile()
      let count = try files.unpack(resumeData, into: unpacked) {
        unpacked.byteCount > Self.byteCountMax
      }
      return count == unpacked.byteCount ? nil : "\(count) bytes, \(unpacked.byteCount) written"
    } catch {
      return switch error.code {
      case .unpackingFailed: error.subject == "a" ? nil : error.subject
      case .cancelled: nil
      default: "\(error)"
      }
    }
  }
}
