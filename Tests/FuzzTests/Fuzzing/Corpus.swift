import Foundation

/// Inputs on the disk: past failures, which are always tried first, and the output of a run.
enum Corpus {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The input files of one part, in a fixed order.
  static func paths(of part: String) -> [String] {
    let folder = root.appendingPathComponent("Corpus").appendingPathComponent(part).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { folder + "/" + $0 }
  }

  static func bytes(at path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { [UInt8]($0) }
  }

  /// The part to which the input file at `path` belongs.
  static func part(of path: String) -> String {
    URL(fileURLWithPath: path).deletingLastPathComponent().lastPathComponent
  }

  /// The output folder of a part, outside the sources: `.build/fuzz/PART`.
  static func outputFolder(of part: String) -> String {
    let folder =
      root.deletingLastPathComponent().deletingLastPathComponent().path + "/.build/fuzz/" + part
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Saves an input, and returns its path.
  static func keep(_ text: [UInt8], of part: String, as name: String) -> String {
    let path = outputFolder(of: part) + "/" + name
    _ = FileManager.default.createFile(atPath: path, contents: Data(text))
    return path
  }
}
