import CKettleLinux
import Dispatch
import Glibc
import KettleSystem
import KettleEngine

/// Huge pages of memory, where the kernel has them for the asking (madvise(2), MADV_HUGEPAGE).
///
/// What is written past the page cache is pinned page by page for the device: of a huge page the
/// pieces lie beside each other, and much of that is done once.
///
/// Those of a transfer that is over serve the next one, for a while. A fresh page has to be
/// cleared, and in a virtual machine its host may have to find the memory first: milliseconds for
/// each.
final class HugePages: Sendable {
  static let shared = HugePages()
  static let byteCount = 2 << 20
  /// As much as one transfer alone has under way.
  static let keptCountMax = 4

  typealias Later = @Sendable (@escaping @Sendable () -> Void) -> Void

  private enum Rest: Sendable {
    case nothingKept
    /// They are looked at later, and nobody took or left one since that was arranged.
    case watched
    case usedWhileWatched
  }

  private struct State: Sendable {
    var kept: [BlockMemory] = []
    var rest = Rest.nothingKept
  }

  private let state = Mutex(State())
  private let later: Later

  /// - Parameter later: calls what it is given after as long as pages are to be kept unused.
  init(later: @escaping Later = HugePages.afterAMinute()) { self.later = later }

  private static func afterAMinute() -> Later {
    let queue = DispatchQueue(label: "kettle.memory")
    return { work in queue.asyncAfter(deadline: .now() + .seconds(60), execute: work) }
  }

  /// Who reads what is filled in.
  enum Reader: Sendable {
    case device
    case processor
  }

  /// Answers nil when there is no memory.
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
  /// Asking it takes milliseconds in a process of several threads.
  static let pastCache: BlockCopying? =
    kettle_allow_collecting_copies() == 0
    ? BlockCopying(
      copy: kettle_copy_past_cache, publish: kettle_publish_copies, collect: kettle_collect_copies)
    : nil

  /// Asks the kernel, who gets it back when nobody has it.
  private static func make() -> BlockMemory? {
    // Twice as much, so that a whole one is in it wherever it begins.
    let wide = mmap(
      nil, 2 * byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let wide, wide != MAP_FAILED else { return nil }
    let misplaced = Int(bitPattern: wide) & (byteCount - 1)
    let before = (byteCount - misplaced) & (byteCount - 1)
    let start = wide + before
    if before > 0 { munmap(wide, before) }
    munmap(start + byteCount, byteCount - before)
    // Without huge pages it is memory like any other.
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
    // The kernel takes them outside of the lock.
    withExtendedLifetime(unused) {}
  }
}
