import CKettleLinux
import Dispatch
import Glibc
import KettleEngine
import KettleSystem

/// A pool of huge memory pages, where the kernel provides them on request (madvise(2),
/// MADV_HUGEPAGE).
///
/// Memory written past the page cache is pinned page by page for the device. The pieces of a huge
/// page are contiguous, so much of that work is done once.
///
/// Pages of a finished transfer are kept for the next one for a while. A fresh page has to be
/// cleared, and in a virtual machine the host may have to find the memory first: milliseconds per
/// page.
final class HugePages: Sendable {
  static let shared = HugePages()
  static let byteCount = 2 << 20
  /// As much as one transfer alone has in use.
  static let keptCountMax = 4

  typealias Later = @Sendable (@escaping @Sendable () -> Void) -> Void

  private enum Rest: Sendable {
    case nothingKept
    /// A check is scheduled, and no page was taken or returned since.
    case watched
    case usedWhileWatched
  }

  private struct State: Sendable {
    var kept: [BlockMemory] = []
    var rest = Rest.nothingKept
  }

  private let state = Mutex(State())
  private let later: Later

  /// - Parameter later: calls its argument after the time for which unused pages are kept.
  init(later: @escaping Later = HugePages.afterAMinute()) { self.later = later }

  private static func afterAMinute() -> Later {
    let queue = DispatchQueue(label: "kettle.memory")
    return { work in queue.asyncAfter(deadline: .now() + .seconds(60), execute: work) }
  }

  /// What reads the memory after it was filled.
  enum Reader: Sendable {
    case device
    case processor
  }

  /// Returns nil when no memory is available.
  func take(for reader: Reader) -> BlockMemory? {
    let kept = state.withLock { state in
      if state.rest == .watched { state.rest = .usedWhileWatched }
      return state.kept.popLast()
    }
    guard let page = kept ?? Self.make() else { return nil }
    return BlockMemory(page.bytes, copying: Self.copying(for: reader)) { [self] _ in keep(page) }
  }

  private static func copying(for reader: Reader) -> BlockCopying? {
    switch reader {
    case .device: pastCache
    case .processor: nil
    }
  }

  /// nil where the kernel does not let one thread wait for the stores of another (membarrier(2)).
  /// The check takes milliseconds in a process with several threads.
  static let pastCache: BlockCopying? =
    kettle_allow_collecting_copies() == 0
    ? BlockCopying(
      copy: kettle_copy_past_cache, publish: kettle_publish_copies, collect: kettle_collect_copies)
    : nil

  /// Maps a page, which is unmapped with its last reference.
  private static func make() -> BlockMemory? {
    // Map twice the size, so that it contains a whole aligned page wherever it begins.
    let wide = mmap(
      nil, 2 * byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let wide, wide != MAP_FAILED else { return nil }
    let misplaced = Int(bitPattern: wide) & (byteCount - 1)
    let before = (byteCount - misplaced) & (byteCount - 1)
    let start = wide + before
    if before > 0 { munmap(wide, before) }
    munmap(start + byteCount, byteCount - before)
    // Without huge pages this is ordinary memory.
    madvise(start, byteCount, MADV_HUGEPAGE)
    let bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    return BlockMemory(bytes) { munmap($0.baseAddress, $0.count) }
  }

  private func keep(_ page: BlockMemory) {
    let watches = state.withLock { state in
      if state.kept.count < Self.keptCountMax { state.kept.append(page) }
      defer { state.rest = state.rest == .nothingKept ? .watched : .usedWhileWatched }
      return state.rest == .nothingKept
    }
    if watches { later { [self] in giveBackUnused() } }
  }

  private func giveBackUnused() {
    let (unused, watches) = state.withLock { state -> ([BlockMemory], Bool) in
      switch state.rest {
      case .usedWhileWatched:
        state.rest = .watched
        return ([], true)
      case .watched, .nothingKept:
        state.rest = .nothingKept
        defer { state.kept = [] }
        return (state.kept, false)
      }
    }
    if watches { later { [self] in giveBackUnused() } }
    // Unmap the pages outside the lock.
    withExtendedLifetime(unused) {}
  }
}
