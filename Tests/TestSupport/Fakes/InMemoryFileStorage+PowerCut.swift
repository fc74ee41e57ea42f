import Glibc
import KettleModel
import KettleSystem

/// What is on the disk, and what only the page cache has.
extension InMemoryFileStorage {
  package static let pageByteCount = 4096

  /// What a power cut leaves of a page that was written and not synced.
  package enum PageFate: Sendable {
    case written, lost
    /// Only its first bytes were written.
    case torn(byteCount: Int)
  }

  /// Returns another storage with the same files, which later changes do not affect.
  package func copy() -> InMemoryFileStorage {
    let other = InMemoryFileStorage(
      documentsDirectory: documentsDirectory, heldDirectory: heldDirectory)
    let state = state.withLock { $0 }
    other.state.withLock { $0 = state }
    return other
  }

  /// Notes that all changes of names so far survive a power cut.
  package func syncNames() { state.withLock { $0.unsyncedNames = [] } }

  /// Simulates a power cut that loses some of what was not synced.
  ///
  /// - Parameters:
  ///   - keptNames: chooses how many of so many changes of names last; a file system keeps their
  ///     order.
  ///   - fate: chooses what is left of each page. A file whose length was not synced has one of
  ///     both lengths by the fate of its last page.
  package func cutPower(keptNames: (_ count: Int) -> Int, fate: () -> PageFate) {
    state.withLock { state in
      state.unrecorded = []
      let keptCount = keptNames(state.unsyncedNames.count)
      for change in state.unsyncedNames.dropFirst(keptCount).reversed() { state.undo(change) }
      state.unsyncedNames = []
      for path in state.files.keys.sorted() {
        guard var file = state.files[path], file.bytes != file.syncedBytes else { continue }
        file.bytes = Self.left(of: file, fate)
        file.syncedBytes = file.bytes
        state.files[path] = file
      }
    }
  }

  /// Simulates what a failed sync does: pages that were to be written are clean afterwards, with
  /// their old contents or with the new ones, and no later sync writes them.
  package func failSync(ofInode inode: UInt64, fate: () -> PageFate) {
    state.withLock { state in
      guard let path = state.files.first(where: { $0.value.inode == inode })?.key,
        var file = state.files[path], file.bytes != file.syncedBytes
      else { return }
      let left = Self.left(of: file, fate)
      file.bytes = left + file.bytes.dropFirst(left.count).map { _ in 0 }
      state.files[path] = file
    }
  }

  /// Whether these bytes of the file of an inode survive a power cut; nil if there is none.
  package func isDurable(_ ranges: ByteRangeSet, ofInode inode: UInt64) -> Bool? {
    state.withLock { state in
      guard let file = state.files.values.first(where: { $0.inode == inode }) else { return nil }
      return ranges.ranges.allSatisfy { range in
        let bounds = Int(range.lower)..<Int(range.upper)
        guard bounds.upperBound <= min(file.bytes.count, file.syncedBytes.count) else {
          return false
        }
        return file.bytes.withUnsafeBytes { now in
          file.syncedBytes.withUnsafeBytes { synced in
            now[bounds].hasSameBytes(as: synced[bounds])
          }
        }
      }
    }
  }

  private static func left(of file: File, _ fate: () -> PageFate) -> [UInt8] {
    var left = file.syncedBytes
    for start in stride(from: 0, to: file.bytes.count, by: pageByteCount) {
      let bounds = start..<min(start + pageByteCount, file.bytes.count)
      let page = file.bytes[bounds]
      let isClean = file.syncedBytes.withUnsafeBytes { synced in
        file.bytes.withUnsafeBytes { now in
          bounds.upperBound <= synced.count && synced[bounds].hasSameBytes(as: now[bounds])
        }
      }
      if isClean { continue }
      switch fate() {
      case .lost: continue
      case .written: put(page, into: &left, at: start)
      case .torn(let byteCount): put(page.prefix(byteCount), into: &left, at: start)
      }
    }
    return left
  }

  private static func put(_ page: ArraySlice<UInt8>, into bytes: inout [UInt8], at start: Int) {
    if bytes.count < start { bytes += [UInt8](repeating: 0, count: start - bytes.count) }
    bytes.replaceSubrange(start..<min(start + page.count, bytes.count), with: page)
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// Compares as fast without optimization as with it.
  fileprivate func hasSameBytes(as other: Slice<UnsafeRawBufferPointer>) -> Bool {
    let (left, right) = (
      UnsafeRawBufferPointer(rebasing: self), UnsafeRawBufferPointer(rebasing: other)
    )
    guard left.count == right.count else { return false }
    guard let start = left.baseAddress, let otherStart = right.baseAddress else { return true }
    return memcmp(start, otherStart, left.count) == 0
  }
}

extension InMemoryFileStorage.State {
  fileprivate mutating func undo(_ change: InMemoryFileStorage.NameChange) {
    switch change {
    case .made(let path): files[path] = nil
    case .moved(let from, let to, let over):
      files[from] = files.removeValue(forKey: to)
      files[to] = over
    case .removed(let path, let file): files[path] = file
    }
  }
}
