import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import Testing

@testable import KettleFiles

/// Files that are compared with their digests, and repaired.
struct BlockComparisonTests {
  private let scratch: ScratchDirectory
  private let files: POSIXFileStorage
  private static let block = Int(BlockDigests.blockByteCount)

  init() throws {
    scratch = try ScratchDirectory()
    files = POSIXFileStorage(documentsDirectory: scratch.path)
  }

  private func content(_ blockCount: Int, rest: Int = 0) -> [UInt8] {
    (0..<blockCount).flatMap { [UInt8](repeating: UInt8($0 + 1), count: Self.block) }
      + [UInt8](repeating: 99, count: rest)
  }

  private func write(_ bytes: [UInt8], to name: String) throws -> String {
    let path = scratch.path + "/" + name
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    return path
  }

  private func read(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  private func identity(_ path: String) -> FileIdentity {
    var status = stat()
    _ = stat(path, &status)
    return FileIdentity(status)
  }

  /// The value is that of xxhsum(1) for an empty file.
  @Test func `the digest is the one of xxHash`() throws {
    let digest = try #require(files.makeBlockDigest())
    #expect(digest.value == BlockDigest(high: 0x99AA_06D3_0147_98D8, low: 0x6001_C324_468D_497F))
  }

  @Test func `damage, a missing end and a longer file are found`() throws {
    var bytes = content(3, rest: 1000)
    let path = try write(bytes, to: "a")
    let digests = try files.digests(ofFileAt: path) { _ in true }
    #expect(digests.map(\.range.byteCount) == [1 << 20, 1 << 20, 1 << 20, 1000])
    #expect(
      try files.compare(fileAt: path, with: digests) { _ in true }
        == FileComparison(byteCount: Int64(bytes.count)))
    bytes[Self.block + 5] ^= 1
    _ = try write(bytes, to: "a")
    #expect(
      try files.compare(fileAt: path, with: digests) { _ in true }.differing
        == [digests[1].range])
    _ = try write(Array(bytes.prefix(2 * Self.block + 7)), to: "a")
    #expect(
      try files.compare(fileAt: path, with: digests) { _ in true }.differing
        == digests[1...].map(\.range))
    _ = try write(content(3, rest: 1001), to: "a")
    #expect(
      try files.compare(fileAt: path, with: digests) { _ in true }.byteCount
        == Int64(bytes.count) + 1)
  }

  @Test func `a comparison can be stopped, and a missing file is an error`() throws {
    let path = try write(content(2), to: "a")
    let digests = try files.digests(ofFileAt: path) { _ in true }
    let stopped = #expect(throws: TransferFailure.self) {
      try files.compare(fileAt: path, with: digests) { $0 == 0 }
    }
    #expect(stopped?.code == .cancelled)
    #expect(throws: TransferFailure.self) {
      try files.compare(fileAt: scratch.path + "/b", with: digests) { _ in true }
    }
    #expect(throws: TransferFailure.self) {
      try files.digests(ofFileAt: scratch.path) { _ in true }
    }
  }

  // MARK: Repair

  private struct Damaged {
    let path: String
    let good: [UInt8]
    let digests: [DigestedBytes]
    let target: RepairTarget
  }

  /// A file whose second and last blocks are damaged.
  private func damaged() throws -> Damaged {
    let good = content(3, rest: 1000)
    let path = try write(good, to: "a")
    let digests = try files.digests(ofFileAt: path) { _ in true }
    let before = identity(path)
    var bad = good
    bad[Self.block] = 0
    bad[3 * Self.block] = 0
    let file = try #require(fopen(path, "r+"))
    #expect(fwrite(bad, 1, bad.count, file) == bad.count)
    fclose(file)
    var damage = ByteRangeSet()
    for index in [1, 3] { damage.insert(digests[index].range) }
    let target = try #require(
      RepairTarget(
        transfer: TransferID(rawValue: 1), path: path, identity: before, damaged: damage))
    return Damaged(path: path, good: good, digests: digests, target: target)
  }

  /// A partial file with holes where the file is sound.
  private func fetched(_ bytes: [UInt8], for damaged: Damaged) throws -> ResumeData {
    let file = try files.createPartialFile(
      in: scratch.path, preferredName: "a.repair", onConflict: .rename)
    try file.truncate(to: Int64(damaged.good.count))
    for range in damaged.target.damaged.ranges {
      try Array(bytes[Int(range.lower)..<Int(range.upper)]).withUnsafeBytes {
        try file.write($0, at: range.lower)
      }
    }
    _ = try file.sync()
    return file.resumeData(durable: damaged.good.count, total: damaged.good.count)
  }

  @Test func `proved bytes are put into the file, which keeps its time`() throws {
    let damaged = try damaged()
    let resumeData = try fetched(damaged.good, for: damaged)
    try files.patch(damaged.target, from: resumeData, with: damaged.digests)
    #expect(try read(damaged.path) == damaged.good)
    #expect(identity(damaged.path) == damaged.target.identity)
    // As after a crash behind the last write.
    files.removePartialFile(resumeData.partialIdentity)
    try files.patch(damaged.target, from: resumeData, with: damaged.digests)
  }

  @Test func `bytes that are not proved change nothing`() throws {
    let damaged = try damaged()
    let before = try read(damaged.path)
    var wrong = damaged.good
    wrong[3 * Self.block + 1] ^= 1
    let resumeData = try fetched(wrong, for: damaged)
    let failure = #expect(throws: TransferFailure.self) {
      try files.patch(damaged.target, from: resumeData, with: damaged.digests)
    }
    #expect(failure?.code == .checksumMismatch)
    #expect(try read(damaged.path) == before)
    let unknown = #expect(throws: TransferFailure.self) {
      try files.patch(damaged.target, from: resumeData, with: Array(damaged.digests.prefix(3)))
    }
    #expect(unknown?.code == .checksumMismatch)
    #expect(try read(damaged.path) == before)
  }

  @Test func `another file in its place is left alone`() throws {
    let damaged = try damaged()
    let resumeData = try fetched(damaged.good, for: damaged)
    let other = try write([1, 2, 3], to: "other")
    #expect(rename(other, damaged.path) == 0)
    #expect(throws: TransferFailure.self) {
      try files.patch(damaged.target, from: resumeData, with: damaged.digests)
    }
    #expect(try read(damaged.path) == [1, 2, 3])
  }

  @Test func `a missing end is put back`() throws {
    let damaged = try damaged()
    #expect(truncate(damaged.path, 2 * Self.block) == 0)
    var all = ByteRangeSet()
    for entry in damaged.digests.dropFirst() { all.insert(entry.range) }
    var target = damaged.target
    target.damaged = all
    let whole = Damaged(
      path: damaged.path, good: damaged.good, digests: damaged.digests, target: target)
    let resumeData = try fetched(damaged.good, for: whole)
    try files.patch(target, from: resumeData, with: damaged.digests)
    #expect(try read(damaged.path) == damaged.good)
  }
}
