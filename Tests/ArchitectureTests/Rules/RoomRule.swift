/// Finds folders of the product with too few files, and extensions that are too small for a file of
/// their own.
enum RoomRule {
  static let fileCountMin = 2
  static let fragmentLineCountMin = 25

  /// Folders in `Sources` that hold fewer than `fileCountMin` files themselves, unless they are
  /// named in `exceptions`. Also finds exceptions that are no longer needed.
  static func sparseFolders(_ paths: [String], exceptions: Set<String>) -> [Finding] {
    var fileCounts: [String: Int] = [:]
    for path in paths where path.hasPrefix("Sources/") {
      let folder = path.split(separator: "/").dropLast().joined(separator: "/")
      fileCounts[folder, default: 0] += 1
    }
    let sparse = fileCounts.filter { $0.value < fileCountMin }
    return ratchet(
      sparse.mapValues { "holds \($0) files, at least \(fileCountMin) are required" },
      exceptions: exceptions)
  }

  /// Files called `Type+Aspect.swift` in `Sources` that are too short, unless they are named in
  /// `exceptions`. Also finds exceptions that are no longer needed.
  static func fragments(_ files: [SourceText], exceptions: Set<String>) -> [Finding] {
    let short = files.filter { file in
      file.path.hasPrefix("Sources/") && file.folders.last?.contains("+") == true
        && file.lineCount < fragmentLineCountMin
    }
    return ratchet(
      Dictionary(
        uniqueKeysWithValues: short.map { file in
          (file.path, "\(file.lineCount) lines: move them to the file of the type")
        }),
      exceptions: exceptions)
  }

  private static func ratchet(
    _ violations: [String: String], exceptions: Set<String>
  ) -> [Finding] {
    let found = violations.filter { !exceptions.contains($0.key) }
      .map { Finding(path: $0.key, line: 0, why: $0.value) }
    let outdated = exceptions.subtracting(violations.keys)
      .map { Finding(path: $0, line: 0, why: "no longer an exception: remove it from the list") }
    return (found + outdated).sorted { $0.path < $1.path }
  }
}
