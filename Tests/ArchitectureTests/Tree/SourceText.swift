import Glibc

/// A text file of the repository; for Swift also the part that is code.
struct SourceText: Sendable {
  /// From the root of the repository: `Sources/KettleScheduler/Queue/Queue.swift`.
  let path: String
  let lines: [String]
  /// The lines with comments and the inside of strings replaced by spaces; code that is
  /// interpolated into a string stays. Empty when the file is not Swift.
  let code: [[UInt8]]
  let linesWithComment: Set<Int>
  let linesWithString: Set<Int>

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard path.hasSuffix(".swift") else {
      (code, linesWithComment, linesWithString) = ([], [], [])
      return
    }
    var scanner = SwiftScanner(text)
    scanner.scan()
    code = scanner.output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map(Array.init)
    linesWithComment = scanner.linesWithComment
    linesWithString = scanner.linesWithString
  }

  /// The number of lines; a final line end does not begin another line.
  var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }

  var folders: [String] { path.split(separator: "/").map(String.init) }

  /// `KettleScheduler` for `Sources/KettleScheduler/…`, `Examples` for `Examples/…`; nil for a file
  /// that is in no target.
  var target: String? {
    guard folders.count > 2 else { return nil }
    if Self.programFolders.contains(folders[0]) { return folders[0] }
    return ["Sources", "Tests"].contains(folders[0]) ? folders[1] : nil
  }

  /// Programs beside the product, each folder with one row in the import table.
  static let programFolders = ["Examples", "Benchmarks"]

  var isSource: Bool {
    path.hasPrefix("Sources/") || Self.programFolders.contains { path.hasPrefix($0 + "/") }
  }
  var isTest: Bool { path.hasPrefix("Tests/") }
}

extension [UInt8] {
  /// Whether a text that is not empty occurs. Without optimization, the search of the standard
  /// library takes a hundred times as long.
  func contains(text: String) -> Bool {
    var text = text
    return text.withUTF8 { text in
      withUnsafeBytes { bytes in
        guard var place = bytes.baseAddress, let sought = text.baseAddress else { return false }
        let end = place + bytes.count
        while end - place >= text.count,
          let found = memchr(place, Int32(text[0]), end - place - text.count + 1)
        {
          if memcmp(found, sought, text.count) == 0 { return true }
          place = UnsafeRawPointer(found) + 1
        }
        return false
      }
    }
  }
}

extension SourceText: CustomStringConvertible {
  var description: String { path }
}
