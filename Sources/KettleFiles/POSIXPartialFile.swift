import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// An open partial file on a file system of Linux.
package final class POSIXPartialFile: PartialFile {
  /// The size up to which the sync of a new file's directory is put off. Until that sync a power
  /// cut may remove the whole file. Fetching so little again costs less than one sync for each of
  /// thousands of files, whose directory is synced anyway when they get their final names.
  static let unnamedByteCountMax: Int64 = 1 << 20

  /// What is known to be synced, and what can no longer be known.
  private enum Durability: Sendable {
    /// The directory has not been synced since the file was created in it.
    case unnamed(Directory)
    case named
    /// After a failed sync the kernel may have dropped the pages and report success for the next
    /// one (fsync(2), "Errors"), so the first result is final.
    case broken(TransferFailure)
  }

  package let path: String
  package let finalName: String
  package let device: UInt64
  package let inode: UInt64
  private let file: OpenFile
  private let durability: Mutex<Durability>
  /// The size of the file according to our writes. Locked while the file is truncated or measured,
  /// never together with `durability`.
  private let writtenUpTo: Mutex<Int64>
  private let uncached = UncachedWriter()
  /// The latest sample; nil before the first.
  private let sampled = Mutex<FileSample?>(nil)

  var identity: PartialIdentity { PartialIdentity(path: path, device: device, inode: inode) }

  private init(
    _ file: OpenFile, path: String, finalName: String, identity: FileIdentity,
    durability: sending Durability
  ) {
    self.file = file
    self.path = path
    self.finalName = finalName
    device = identity.device
    inode = identity.inode
    self.durability = Mutex(durability)
    writtenUpTo = Mutex(identity.byteCount)
  }

  /// For a file just created in `directory`.
  convenience init(
    new file: OpenFile, in directory: Directory, path: String, finalName: String,
    identity: FileIdentity
  ) {
    self.init(
      file, path: path, finalName: finalName, identity: identity,
      durability: .unnamed(directory))
  }

  /// For a file opened again.
  convenience init(
    existing file: OpenFile, path: String, finalName: String, identity: FileIdentity
  ) {
    self.init(
      file, path: path, finalName: finalName, identity: identity, durability: .named)
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    // A write past the end of a file that was shortened would leave a hole.
    _ = try measured()
    do {
      try writeBytes(bytes, at: offset)
    } catch {
      throw error.failure(.file(path))
    }
    let (end, overflow) = offset.addingReportingOverflow(Int64(bytes.count))
    writtenUpTo.withLock { $0 = max($0, overflow ? .max : end) }
  }

  /// Returns the status of the file. Throws `partialFileChanged` when another program has made it
  /// shorter than what was written.
  private func measured() throws(TransferFailure) -> FileStatus {
    let result = writtenUpTo.withLock { writtenUpTo in
      Result { () throws(TransferFailure) in
        let status: FileStatus
        do throws(Errno) {
          status = try file.status()
        } catch {
          throw error.failure(.file(path))
        }
        guard status.identity.byteCount >= writtenUpTo else {
          throw TransferFailure(.partialFileChanged, on: path, detail: PartFileLocation.isShorter)
        }
        return status
      }
    }
    return try result.get()
  }

  /// Writes whole pages past the page cache where that works, and the rest normally.
  private func writeBytes(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    guard let part = UncachedWriter.part(of: bytes, at: offset),
      try uncached.write(
        UnsafeRawBufferPointer(rebasing: bytes[part]), at: offset + Int64(part.lowerBound),
        of: file)
    else { return try file.write(bytes, at: offset) }
    let (head, tail) = (bytes.prefix(part.lowerBound), bytes.dropFirst(part.upperBound))
    try file.write(UnsafeRawBufferPointer(rebasing: head), at: offset)
    try file.write(UnsafeRawBufferPointer(rebasing: tail), at: offset + Int64(part.upperBound))
  }

  /// Takes over all bytes of another file without copying them. Returns false where the file system
  /// cannot do that.
  func clone(_ source: OpenFile, byteCount: Int64) throws(TransferFailure) -> Bool {
    guard source.calls.clone(source.descriptor, file.descriptor) == 0 else { return false }
    // It may have grown meanwhile.
    try truncate(to: byteCount)
    return true
  }

  /// Copies bytes at an offset from another file to the same offset.
  ///
  /// - Returns: how many; 0 where the other file ends.
  func copy(
    _ source: OpenFile, at offset: Int64, byteCount: Int
  ) throws(TransferFailure) -> Int {
    do throws(Errno) {
      let count = try copied(from: source, at: offset, byteCount: byteCount)
      writtenUpTo.withLock { $0 = max($0, offset + Int64(count)) }
      return count
    } catch {
      throw error.failure(.file(path))
    }
  }

  private func copied(
    from source: OpenFile, at offset: Int64, byteCount: Int
  ) throws(Errno) -> Int {
    do throws(Errno) {
      return try Errno.retrying {
        source.calls.copyRange(source.descriptor, file.descriptor, off_t(offset), byteCount)
      }
    } catch {
      // Also between two file systems, and on kernels before Linux 4.5.
      guard error.mayMeanUnsupported || [EXDEV, ENOSYS, EBADF].contains(error.rawValue) else {
        throw error
      }
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
    defer { buffer.deallocate() }
    guard let start = buffer.baseAddress else { return 0 }
    let count = try Errno.retrying {
      source.calls.read(source.descriptor, start, byteCount, off_t(offset))
    }
    try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
    return count
  }

  package func keepInMemory() { uncached.refuse() }

  package func setPermissions(_ permissions: FilePermissions) {
    try? file.setPermissions(permissions.rawValue)
  }

  package func read(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(TransferFailure) {
    let isWhole: Bool
    do {
      isWhole = try file.read(buffer, at: offset)
    } catch {
      throw error.failure(.file(path))
    }
    guard isWhole else {
      throw TransferFailure(
        .partialFileChanged, on: path, detail: PartFileLocation.isShorter)
    }
  }

  package func sync() throws(TransferFailure) -> Int64 {
    try putOnDisk()
    let status = try measured()
    if status.linkCount == 0 { try checkPlace() }
    return status.identity.modifiedNanoseconds
  }

  /// Throws when the file is no longer in its place. Some file systems report a link count of zero
  /// for every file, so the count alone proves nothing.
  private func checkPlace() throws(TransferFailure) {
    var identity = identity
    identity.sample = sample(ofFirst: writtenUpTo.withLock { $0 })
    _ = try PartFileLocation(identity, file.calls).status()
  }

  private func putOnDisk() throws(TransferFailure) {
    // The lock is held during the sync: two concurrent syncs would see each other's errors.
    let isLarge = writtenUpTo.withLock { $0 > Self.unnamedByteCountMax }
    let failure = durability.withLock { durability -> TransferFailure? in
      switch durability {
      case .broken(let failure): return failure
      case .named, .unnamed: break
      }
      do throws(Errno) {
        try file.syncData()
        if case .unnamed(let directory) = durability, isLarge {
          try directory.sync()
          durability = .named
        }
        return nil
      } catch {
        let failure = error.failure(.file(path))
        durability = .broken(failure)
        return failure
      }
    }
    if let failure { throw failure }
  }

  package func sample(ofFirst byteCount: Int64) -> FileSample? {
    sampled.withLock { sampled in
      let byteCount = min(byteCount, FileSample.byteCountMax)
      if sampled?.byteCount != byteCount { sampled = try? file.sample(ofFirst: byteCount) }
      return sampled
    }
  }

  package func truncate(to byteCount: Int64) throws(TransferFailure) {
    let result = writtenUpTo.withLock { writtenUpTo in
      Result { () throws(TransferFailure) in
        do throws(Errno) {
          try file.truncate(to: byteCount)
        } catch {
          throw error.failure(.file(path))
        }
        writtenUpTo = byteCount
      }
    }
    sampled.withLock { $0 = nil }
    try result.get()
  }
}
