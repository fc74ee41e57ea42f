import KettleModel

/// A digest that grows with the bytes of one block. Only one thread may use it at a time.
package protocol RunningBlockDigest: AnyObject, Sendable {
  /// Forgets all bytes.
  func reset()
  func update(_ bytes: UnsafeRawBufferPointer)
  /// The digest of the bytes so far. More may follow.
  var value: BlockDigest { get }
}

/// The digests of a file's bytes, computed while these are written.
///
/// Each attempt writes in order, so its running digest needs no byte twice. A block that two
/// attempts share is read from the file when both have written their parts.
struct BlockLedger: Sendable {
  /// The digest of what an attempt has written to a block.
  private struct Run: Sendable {
    var range: ByteRange
    let digest: any RunningBlockDigest
  }

  private let makeDigest: @Sendable () -> (any RunningBlockDigest)?
  private var runs: [AttemptID: Run] = [:]
  /// Digests of written bytes that may not count yet.
  private var computed: [ByteRange: BlockDigest] = [:]
  /// The blocks whose digests were handed out as a whole.
  private var settled = ByteRangeSet()
  /// The parts of blocks whose digests were handed out.
  private var settledParts: Set<ByteRange> = []

  /// - Parameters:
  ///   - known: the bytes whose digests are recorded, or that need none.
  ///   - makeDigest: returns nil if digests cannot be computed.
  init(
    known: ByteRangeSet = ByteRangeSet(),
    makeDigest: @escaping @Sendable () -> (any RunningBlockDigest)?
  ) {
    self.makeDigest = makeDigest
    for range in known.ranges {
      if let blocks = BlockDigests.wholeBlocks(in: range) { settled.append(blocks) }
      settledParts.formUnion(settled.gaps(in: range).flatMap(BlockDigests.parts))
    }
  }

  /// Adds bytes that an attempt has written to the file.
  mutating func add(_ bytes: UnsafeRawBufferPointer, at range: ByteRange, by attempt: AttemptID) {
    // Bytes that did not count may be replaced by others.
    if !computed.isEmpty {
      computed = computed.filter { $0.key.upper <= range.lower || range.upper <= $0.key.lower }
    }
    for part in BlockDigests.parts(of: range) {
      let lower = Int(part.lower - range.lower)
      let piece = UnsafeRawBufferPointer(rebasing: bytes[lower..<(lower + Int(part.byteCount))])
      guard var run = begin(part, by: attempt) else { return }
      run.digest.update(piece)
      run.range = ByteRange(lower: run.range.lower, upper: part.upper) ?? part
      runs[attempt] = run
      if part.upper % BlockDigests.blockByteCount == 0 { end(attempt) }
    }
  }

  /// Returns the running digest that the part continues, or an empty one.
  private mutating func begin(_ part: ByteRange, by attempt: AttemptID) -> Run? {
    if let run = runs[attempt], run.range.upper == part.lower { return run }
    end(attempt)
    guard let digest = makeDigest(), let range = ByteRange(lower: part.lower, upper: part.lower)
    else { return nil }
    return Run(range: range, digest: digest)
  }

  /// Keeps the digest of what the attempt has written last.
  mutating func end(_ attempt: AttemptID) {
    guard let run = runs.removeValue(forKey: attempt), !run.range.isEmpty else { return }
    computed[run.range] = run.digest.value
  }

  /// Returns the digests of all written bytes that were not returned before. Reads what no attempt
  /// has written as a whole from the file.
  mutating func settle(
    _ written: ByteRangeSet, in file: any PartialFile
  ) -> [DigestedBytes] {
    var settledNow: [DigestedBytes] = []
    var reader = BlockReader(file: file, digest: nil)
    for range in written.ranges {
      for part in settled.gaps(in: range).flatMap(BlockDigests.parts)
      where !settledParts.contains(part) {
        var digest = computed[part] ?? runs.values.first { $0.range == part }?.digest.value
        if digest == nil { digest = reader.digest(of: part, makeDigest) }
        guard let digest, let entry = DigestedBytes(part, digest) else { continue }
        settledNow.append(entry)
        settle(part)
      }
    }
    if !computed.isEmpty {
      computed = computed.filter { !written.contains($0.key) }
    }
    return settledNow
  }

  private mutating func settle(_ part: ByteRange) {
    if !settledParts.isEmpty {
      settledParts = settledParts.filter { $0.upper <= part.lower || part.upper <= $0.lower }
    }
    if part.byteCount == BlockDigests.blockByteCount {
      settled.insert(part)
    } else {
      settledParts.insert(part)
    }
  }
}

/// Reads parts of blocks and computes their digests.
private struct BlockReader {
  let file: any PartialFile
  var digest: (any RunningBlockDigest)?

  /// Returns nil if the bytes cannot be read or digests cannot be computed.
  mutating func digest(
    of part: ByteRange, _ makeDigest: () -> (any RunningBlockDigest)?
  ) -> BlockDigest? {
    guard let digest = digest ?? makeDigest() else { return nil }
    self.digest = digest
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(part.byteCount), alignment: 64)
    defer { buffer.deallocate() }
    guard (try? file.read(buffer, at: part.lower)) != nil else { return nil }
    digest.reset()
    digest.update(UnsafeRawBufferPointer(buffer))
    return digest.value
  }
}
