/// Finds imports that the table does not have.
enum ImportRule {
  static func findings(in file: SourceText, table: [String: ImportRow]) -> [Finding] {
    guard let target = file.target else { return [] }
    return modules(in: file).compactMap { line, module in
      let isAllowed =
        file.isSource
        ? allowed(table[target]).contains(module) : isAllowedInTests(module, target, table)
      return isAllowed
        ? nil : Finding(path: file.path, line: line, why: "\(target) may not import \(module)")
    }
  }

  private static func allowed(_ row: ImportRow?) -> Set<String> {
    guard let row else { return [] }
    return row.ours.union(row.outside).union(row.system)
  }

  /// A test may import any target of ours and anything that comes with Swift, but an outside
  /// library only when the target under test has it.
  private static func isAllowedInTests(
    _ module: String, _ target: String, _ table: [String: ImportRow]
  ) -> Bool {
    let outside = table.values.reduce(into: Set<String>()) { $0.formUnion($1.outside) }
    guard outside.contains(module) || module.hasPrefix("NIO") else { return module != "XCTest" }
    let subject = target.hasSuffix("Tests") ? String(target.dropLast(5)) : target
    return table[subject]?.outside.contains(module) == true
      || testImportTable[target]?.contains(module) == true
  }

  /// The modules that a file imports, with the line of each, in any form: `@testable import A`,
  /// `package import struct A.B`.
  static func modules(in file: SourceText) -> [(line: Int, module: String)] {
    let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    let kinds: Set<Substring> = [
      "typealias", "struct", "class", "enum", "protocol", "let", "var", "func",
    ]
    return file.code.enumerated().compactMap { offset, bytes in
      var words = String(decoding: bytes, as: UTF8.self).split(separator: " ")[...]
      words = words.drop { $0.hasPrefix("@") || modifiers.contains($0) }
      guard words.popFirst() == "import" else { return nil }
      words = words.drop { kinds.contains($0) }
      guard let module = words.first?.prefix(while: { $0 != "." && $0 != ";" }) else { return nil }
      return (offset + 1, String(module))
    }
  }
}
