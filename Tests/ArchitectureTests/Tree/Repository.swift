import Foundation

/// The files of this repository, read once.
struct Repository: Sendable {
  let root: URL
  let files: [SourceText]

  static let current = Result { try Repository() }

  private init() throws {
    let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    self.root = root
    let top = ["Package.swift", "Makefile", ".ci/run"]
    let documents = try FileManager.default.contentsOfDirectory(atPath: root.path())
      .filter { $0.hasSuffix(".md") }
    var paths = top + documents
    for folder in ["Sources", "Examples", "Benchmarks", "Tests", "docs", "assets"] {
      paths += Self.filesBelow(folder, of: root)
    }
    files = try paths.sorted().compactMap { path in
      let data = try Data(contentsOf: root.appending(path: path))
      return String(validating: data, as: UTF8.self).map { SourceText(path: path, text: $0) }
    }
  }

  /// Returns the paths of the files below a folder, from the root of the repository; empty if there
  /// is no such folder.
  private static func filesBelow(_ folder: String, of root: URL) -> [String] {
    let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
    return (names?.compactMap { $0 as? String } ?? []).map { folder + "/" + $0 }.filter { path in
      var isDirectory = false
      let isThere = FileManager.default.fileExists(
        atPath: root.appending(path: path).path(), isDirectory: &isDirectory)
      return isThere && !isDirectory
    }
  }

  var swift: [SourceText] { files.filter { $0.path.hasSuffix(".swift") } }

  /// The file at `path`, from the root of the repository.
  func file(_ path: String) -> SourceText? { files.first { $0.path == path } }

  func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path())
  }

  /// The folders in `Sources`, and those of the programs beside it.
  var targets: [String] {
    Set(files.filter(\.isSource).compactMap(\.target)).sorted()
  }
}

extension Repository: CustomStringConvertible {
  var description: String { "\(files.count) files in \(root.path())" }
}
