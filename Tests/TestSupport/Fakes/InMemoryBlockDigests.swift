import KettleEngine
import KettleModel
import KettleSystem

/// The MD5 of the bytes in place of XXH3-128: it has as many bits.
package final class FakeBlockDigest: RunningBlockDigest {
  private let bytes = Mutex<[UInt8]>([])

  package init() {}

  package func reset() { bytes.withLock { $0 = [] } }

  package func update(_ new: UnsafeRawBufferPointer) { bytes.withLock { $0 += new } }

  package var value: BlockDigest { Self.digest(of: bytes.withLock { $0 }) }

  package static func digest(of bytes: [UInt8]) -> BlockDigest {
    let hex = Array(TestDigest.hex(of: bytes, .md5) ?? "")
    func number(_ digits: ArraySlice<Character>) -> UInt64 {
      UInt64(String(digits), radix: 16) ?? 0
    }
    return BlockDigest(high: number(hex.prefix(16)), low: number(hex.dropFirst(16)))
  }

  /// The digests of a whole file.
  package static func digests(of bytes: [UInt8]) -> [DigestedBytes] {
    guard let whole = ByteRange(lower: 0, upper: Int64(bytes.count)) else { return [] }
    return BlockDigests.parts(of: whole).compactMap { part in
      DigestedBytes(part, digest(of: Array(bytes[Int(part.lower)..<Int(part.upper)])))
    }
  }
}

extension InMemoryFileStorage {
  /// Computes digests of blocks from now on.
  package func beginBlockDigests() { state.withLock { $0.hasBlockDigests = true } }

  package func makeBlockDigest() -> (any RunningBlockDigest)? {
    state.withLock { $0.hasBlockDigests } ? FakeBlockDigest() : nil
  }

  package func compare(
    fileAt path: String, with digests: [DigestedBytes], advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> FileComparison {
    guard let bytes = bytes(at: path) else { throw TransferFailure(.fileProblem, on: path) }
    var comparison = FileComparison(byteCount: Int64(bytes.count))
    for known in digests {
      guard advance(known.range.lower) else { throw TransferFailure(.cancelled, on: path) }
      let isThere = known.range.upper <= Int64(bytes.count)
      let found = isThere ? Array(bytes[Int(known.range.lower)..<Int(known.range.upper)]) : []
      if FakeBlockDigest.digest(of: found) != known.digest {
        comparison.differing.append(known.range)
      }
    }
    return comparison
  }

  package func digests(
    ofFileAt path: String, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> [DigestedBytes] {
    guard let bytes = bytes(at: path) else { throw TransferFailure(.fileProblem, on: path) }
    return FakeBlockDigest.digests(of: bytes)
  }

  package func patch(
    _ target: RepairTarget, from resumeData: ResumeData, with digests: [DigestedBytes]
  ) throws(TransferFailure) {
    guard let source = bytes(at: resumeData.partialPath), var bytes = bytes(at: target.path) else {
      throw TransferFailure(.partialFileChanged, on: resumeData.partialPath)
    }
    for known in digests where !target.damaged.parts(in: known.range).isEmpty {
      let fetched = Array(source[Int(known.range.lower)..<Int(known.range.upper)])
      guard FakeBlockDigest.digest(of: fetched) == known.digest else {
        throw TransferFailure(.checksumMismatch, on: target.path)
      }
      bytes.replaceSubrange(Int(known.range.lower)..<Int(known.range.upper), with: fetched)
    }
    overwrite(target.path, with: bytes)
    setModified(target.path, nanoseconds: target.identity.modifiedNanoseconds)
  }
}
