/// Finds small files whose types only one other file names: they belong into that file.
enum LoneFileRule {
  static let lineCountMax = 80

  /// The files in `Sources` among these, with the file where each belongs.
  static func findings(in files: [SourceText]) -> [Finding] {
    let files = files.filter { $0.path.hasPrefix("Sources/") }
    var filesByWord: [String: Set<String>] = [:]
    for file in files {
      for word in Set(file.code.flatMap(words(of:))) {
        filesByWord[word, default: []].insert(file.path)
      }
    }
    return files.filter { $0.lineCount <= lineCountMax }.compactMap { file in
      let types = file.code.compactMap(type(declaredBy:))
      guard !types.isEmpty else { return nil }
      let users = types.reduce(into: Set<String>()) { $0.formUnion(filesByWord[$1] ?? []) }
        .subtracting([file.path])
      guard users.count == 1, let user = users.first else { return nil }
      return Finding(path: file.path, line: 0, why: "only \(user) names its types")
    }
  }

  private static let kinds: Set<String> = ["struct", "class", "enum", "actor", "protocol"]

  /// The type that a line declares at the left edge; nil if it declares none.
  private static func type(declaredBy line: [UInt8]) -> String? {
    guard let first = line.first, first != UInt8(ascii: " ") else { return nil }
    let words = words(of: line)
    guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else {
      return nil
    }
    return words[kind + 1]
  }

  private static func words(of line: [UInt8]) -> [String] {
    line.split { byte in
      !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "_"))
    }.map { String(decoding: $0, as: UTF8.self) }
  }
}
