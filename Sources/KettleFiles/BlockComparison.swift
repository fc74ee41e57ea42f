import CKettleCurl
import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// XXH3-128 of a block (XXH3_128bits_update of xxHash). It is no protection against forgery, and
/// many times faster than any that is.
final class XXHash: RunningBlockDigest {
  /// xxHash's state. Sendable because only the holder of the lock in `state` uses it.
  private struct State: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private let state: Mutex<State>

  /// Returns nil if the library is missing.
  init?() {
    guard kettle_xxhash_problem() == nil, let pointer = XXH3_createState() else { return nil }
    XXH3_128bits_reset(pointer)
    state = Mutex(State(pointer: pointer))
  }

  deinit { state.withLock { _ = XXH3_freeState($0.pointer) } }

  func reset() { state.withLock { _ = XXH3_128bits_reset($0.pointer) } }

  func update(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { kettle_xxh3_128bits_update($0.pointer, bytes.baseAddress, bytes.count) }
  }

  var value: BlockDigest {
    let hash = state.withLock { XXH3_128bits_digest($0.pointer) }
    return BlockDigest(high: hash.high64, low: hash.low64)
  }
}

extension POSIXFileStorage {
  package func makeBlockDigest() -> (any RunningBlockDigest)? { XXHash() }

  package func compare(
    fileAt path: String, with digests: [DigestedBytes], advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> FileComparison {
    let blocks = try BlockReader(fileAt: path, calls)
    var comparison = FileComparison(byteCount: blocks.byteCount)
    var comparedByteCount: Int64 = 0
    for known in digests {
      guard advance(comparedByteCount) else { throw TransferFailure(.cancelled, on: path) }
      if try blocks.digest(of: known.range) != known.digest {
        comparison.differing.append(known.range)
      }
      comparedByteCount += known.range.byteCount
      blocks.drop(known.range)
    }
    return comparison
  }

  package func digests(
    ofFileAt path: String, advance: @Sendable (Int64) -> Bool
  ) throws(TransferFailure) -> [DigestedBytes] {
    let blocks = try BlockReader(fileAt: path, calls)
    guard let whole = ByteRange(lower: 0, upper: blocks.byteCount) else { return [] }
    var digests: [DigestedBytes] = []
    for part in BlockDigests.parts(of: whole) {
      guard advance(part.lower) else { throw TransferFailure(.cancelled, on: path) }
      guard let digest = try blocks.digest(of: part), let entry = DigestedBytes(part, digest) else {
        throw TransferFailure(.fileProblem, on: path, detail: "byte \(part.lower) cannot be read")
      }
      digests.append(entry)
      blocks.drop(part)
    }
    return digests
  }

  package func patch(
    _ target: RepairTarget, from resumeData: ResumeData, with digests: [DigestedBytes]
  ) throws(TransferFailure) {
    let wanted = digests.filter { target.damaged.parts(in: $0.range).isEmpty == false }
    guard BlockDigests(wanted).bytes == target.damaged else {
      throw TransferFailure(
        .checksumMismatch, on: target.path, detail: "the digests of some damaged bytes are unknown")
    }
    let patch = try FilePatch(target, calls)
    let missing = try patch.differing(wanted)
    if missing.isEmpty { return }
    let (scratch, _) = try PartFileLocation(resumeData, calls).open(.read)
    let source = try BlockReader(scratch, path: resumeData.partialPath)
    for known in missing where try source.digest(of: known.range) != known.digest {
      throw TransferFailure(
        .checksumMismatch, on: target.path,
        detail: "bytes \(known.range.lower) to \(known.range.lastByte) that were fetched are others"
      )
    }
    try patch.write(missing, from: source)
  }
}

/// Reads the blocks of a file and computes their digests. Used by one thread.
final class BlockReader {
  let byteCount: Int64
  private let file: OpenFile
  private let path: String
  private let digest: XXHash
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: Int(BlockDigests.blockByteCount), alignment: 4096)

  init(_ file: OpenFile, path: String) throws(TransferFailure) {
    guard let digest = XXHash() else {
      throw TransferFailure(
        .internalProblem, on: path, detail: "the library libxxhash is not installed")
    }
    self.digest = digest
    self.file = file
    self.path = path
    do throws(Errno) {
      let status = try file.status()
      guard status.isRegular else { throw Errno(rawValue: EINVAL) }
      byteCount = status.identity.byteCount
    } catch {
      throw error.failure(.file(path))
    }
  }

  convenience init(fileAt path: String, _ calls: FileCalls) throws(TransferFailure) {
    let descriptor: Int32
    do {
      descriptor = try Errno.retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    } catch {
      throw error.failure(.file(path))
    }
    try self.init(OpenFile(owning: descriptor, calls: calls), path: path)
  }

  deinit { buffer.deallocate() }

  /// Returns the digest of a part of a block; nil if the file ends before, or the disk has lost the
  /// block.
  func digest(of part: ByteRange) throws(TransferFailure) -> BlockDigest? {
    guard let bytes = try bytes(of: part) else { return nil }
    digest.reset()
    digest.update(bytes)
    return digest.value
  }

  /// Returns the bytes, which are valid until the next call; nil as above.
  func bytes(of part: ByteRange) throws(TransferFailure) -> UnsafeRawBufferPointer? {
    let bytes = UnsafeMutableRawBufferPointer(
      rebasing: buffer.prefix(Int(min(part.byteCount, BlockDigests.blockByteCount))))
    do {
      return try file.read(bytes, at: part.lower) ? UnsafeRawBufferPointer(bytes) : nil
    } catch {
      // A bad sector loses its block, not the rest of the file.
      if error.rawValue == EIO { return nil }
      throw error.failure(.file(path))
    }
  }

  /// Removes the bytes from the page cache: what was read once is not needed again.
  func drop(_ range: ByteRange) {
    _ = posix_fadvise(
      file.descriptor, off_t(range.lower), off_t(range.byteCount), POSIX_FADV_DONTNEED)
  }
}

/// A finished file that is being repaired.
private struct FilePatch {
  private let target: RepairTarget
  private let file: OpenFile
  private let reader: BlockReader

  /// Throws `fileProblem` if another file is in its place.
  init(_ target: RepairTarget, _ calls: FileCalls) throws(TransferFailure) {
    guard let path = FilePath(target.path) else {
      throw TransferFailure(.fileProblem, on: target.path, detail: "not the path of a file")
    }
    self.target = target
    let isSame: Bool
    do throws(Errno) {
      let directory = try Directory(path.directory, calls: calls)
      file = try directory.open(path.name, for: .write)
      isSame = try KnownFile(target.identity).isEntry(
        path.name, file.status(), of: directory, open: file)
    } catch {
      throw error.failure(.file(target.path))
    }
    guard isSame else {
      throw TransferFailure(.fileProblem, on: target.path, detail: "another file is in its place")
    }
    reader = try BlockReader(file, path: target.path)
  }

  /// Returns those whose bytes the file does not have.
  func differing(_ wanted: [DigestedBytes]) throws(TransferFailure) -> [DigestedBytes] {
    var differing: [DigestedBytes] = []
    for known in wanted where try reader.digest(of: known.range) != known.digest {
      differing.append(known)
    }
    return differing
  }

  /// Writes bytes that are proved, and syncs them.
  func write(_ wanted: [DigestedBytes], from source: BlockReader) throws(TransferFailure) {
    for known in wanted {
      guard try source.digest(of: known.range) == known.digest,
        let bytes = try source.bytes(of: known.range)
      else { throw TransferFailure(.checksumMismatch, on: target.path) }
      do {
        try file.write(bytes, at: known.range.lower)
      } catch {
        throw error.failure(.file(target.path))
      }
    }
    do throws(Errno) {
      if reader.byteCount > target.identity.byteCount {
        try file.truncate(to: target.identity.byteCount)
      }
      try file.setModified(nanoseconds: target.identity.modifiedNanoseconds)
      try file.syncAll()
    } catch {
      throw error.failure(.file(target.path))
    }
  }
}
