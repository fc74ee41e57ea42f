import Glibc
import TransferEngine

/// One huge page of memory, where the kernel has them for the asking (madvise(2), MADV_HUGEPAGE).
///
/// What is written past the page cache is pinned page by page for the device: of a huge page the
/// pieces lie beside each other, and much of that is done once.
enum HugePage {
  static let byteCount = 2 << 20

  /// Answers nil when there is no memory.
  static func make() -> BlockMemory? {
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
}
