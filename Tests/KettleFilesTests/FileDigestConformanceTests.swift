import KettleEngine
import KettleModel
import KettleSystem
import Testing
import TestSupport

/// The contract of a digest in progress, tested with the Linux file system and the one in memory.
@Suite struct FileDigestConformanceTests {
  private func file(
    _ bytes: [UInt8], in storage: StorageUnderTest
  ) throws(TransferFailure) -> any PartialFile {
    let file = try storage.create("a")
    try file.write(bytes)
    return file
  }

  private func digest(
    _ file: any PartialFile, in storage: StorageUnderTest,
    _ algorithm: Checksum.Algorithm = .sha256
  ) throws(TransferFailure) -> any FileDigest {
    try storage.files.beginDigest(of: file.resumeData(durable: 0), algorithm: algorithm)
  }

  @Test(arguments: StorageKind.allCases)
  func `digests match the standard test vectors`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try file(Array("abc".utf8), in: storage)
    let expected: [Checksum.Algorithm: String] = [
      .md5: "900150983cd24fb0d6963f7d28e17f72",
      .sha1: "a9993e364706816aba3e25717850c26c9cd0d89d",
      .sha224: "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
      .sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      .sha384: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
        + "8086072ba1e7cc2358baeca134c825a7",
      .sha512: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ]
    for algorithm in Checksum.Algorithm.allCases {
      let digest = try digest(file, in: storage, algorithm)
      try digest.advance(to: 3, shouldStop: { false })
      #expect(try digest.finish() == expected[algorithm])
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a digest follows the file while it is being written`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let content = (0..<(1 << 20) + 7).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let file = try file(Array(content.prefix(100_000)), in: storage)
    let digest = try digest(file, in: storage)
    try digest.advance(to: 100_000, shouldStop: { false })
    #expect(digest.byteCount == 100_000)
    try file.write(Array(content.dropFirst(100_000)), at: 100_000)
    try digest.advance(to: 100_001, shouldStop: { false })
    // It never moves backwards.
    try digest.advance(to: 5, shouldStop: { false })
    #expect(digest.byteCount == 100_001)
    try digest.advance(to: Int64(content.count), shouldStop: { false })
    #expect(try digest.finish() == TestDigest.hex(of: content, .sha256))
  }

  @Test(arguments: StorageKind.allCases)
  func `a stopped digest keeps its state and continues from there`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let content = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    let digest = try digest(file(content, in: storage), in: storage)
    try digest.advance(to: Int64(content.count), shouldStop: { true })
    #expect(digest.byteCount == 0)
    let asked = Mutex(0)
    let atThird = { @Sendable in
      asked.withLock { count in
        count += 1
        return count == 3
      }
    }
    try digest.advance(to: Int64(content.count), shouldStop: atThird)
    #expect(digest.byteCount > 0 && digest.byteCount < Int64(content.count))
    try digest.advance(to: Int64(content.count), shouldStop: { false })
    #expect(try digest.finish() == TestDigest.hex(of: content, .sha256))
  }

  // Fault 22
  @Test(arguments: StorageKind.allCases)
  func `a file that ends before the requested length is reported`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try file([1, 2, 3], in: storage)
    let digest = try digest(file, in: storage)
    let told = failure { () throws(TransferFailure) in
      try digest.advance(to: 4, shouldStop: { false })
    }
    #expect(
      told
        == TransferFailure(
          .partialFileChanged, on: file.path, detail: "it is shorter than what was kept"))
  }

  @Test(arguments: StorageKind.allCases)
  func `a missing or replaced file has no digest`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try file([1], in: storage)
    try storage.put([1], file.path)
    let replaced = failure { () throws(TransferFailure) in try digest(file, in: storage) }
    #expect(replaced?.detail == "it is another file")
    storage.remove(file.path)
    let gone = failure { () throws(TransferFailure) in try digest(file, in: storage) }
    #expect(gone == TransferFailure(.partialFileChanged, on: file.path, detail: "it is gone"))
  }

  @Test func `a finished digest cannot be advanced or finished again`() throws {
    let storage = try StorageUnderTest(.linux)
    let file = try file([1, 2], in: storage)
    let digest = try digest(file, in: storage)
    try digest.advance(to: 1, shouldStop: { false })
    #expect(try digest.finish() == TestDigest.hex(of: [1], .sha256))
    let told = TransferFailure(.internalProblem, on: file.path, detail: "the digest failed")
    #expect(
      failure { () throws(TransferFailure) in
        try digest.advance(to: 2, shouldStop: { false })
      } == told)
    #expect(failure { () throws(TransferFailure) in try digest.finish() } == told)
  }
}
