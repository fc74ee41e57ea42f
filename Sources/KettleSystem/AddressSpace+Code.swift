import Glibc
import KettleModel

/// The code of the program and its libraries in memory.
extension AddressSpace {
  private static let mapsByteCountMax = 1 << 20

  /// Gives back the pages of code, most of which only the start needed. The kernel maps a page
  /// again when it is used (madvise(2), MADV_DONTNEED).
  package static func returnCode() {
    guard
      case .bytes(let text) = FileContents.read(
        path: "/proc/self/smaps", byteCountMax: mapsByteCountMax)
    else { return }
    for range in unmodifiedCode(in: String(decoding: text, as: UTF8.self)) {
      madvise(
        UnsafeMutableRawPointer(bitPattern: range.lowerBound), range.count, MADV_DONTNEED)
    }
  }

  /// Returns the addresses of executable mappings of files without any page of their own: a page
  /// that differs from its file would be lost.
  ///
  /// - Parameter maps: the text of proc_pid_smaps(5).
  static func unmodifiedCode(in maps: String) -> [Range<UInt>] {
    var found: [Range<UInt>] = []
    var candidate: Range<UInt>?
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let first = words.first else { continue }
      if first.hasSuffix(":") {
        guard first == "Anonymous:", let range = candidate else { continue }
        if words.dropFirst().first == "0" { found.append(range) }
        candidate = nil
      } else {
        candidate = code(words)
      }
    }
    return found
  }

  /// Returns the addresses of a mapping: those, its permissions, the offset, the device, and the
  /// inode, which is 0 without a file.
  private static func code(_ words: [Substring]) -> Range<UInt>? {
    guard words.count >= 6, words[1] == "r-xp", words[4] != "0" else { return nil }
    let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
    return bounds[0]..<bounds[1]
  }
}
