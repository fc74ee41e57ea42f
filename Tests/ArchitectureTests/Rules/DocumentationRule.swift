import Foundation

/// Finds undocumented public declarations of the library.
enum DocumentationRule {
  /// A public declaration.
  struct Declaration: Hashable {
    var name: String
    var line: Int
    var isType: Bool
    var isTopLevel: Bool
    var comment: [String]
  }

  static func findings(in file: SourceText, protocols: Set<String>) -> [Finding] {
    declarations(in: file, protocols: protocols).compactMap { declaration in
      if declaration.comment.isEmpty {
        return Finding(
          path: file.path, line: declaration.line, why: "\"\(declaration.name)\" has no comment")
      }
      guard declaration.isType, !declaration.comment.contains("```swift") else { return nil }
      return Finding(
        path: file.path, line: declaration.line, why: "\"\(declaration.name)\" has no example")
    }
  }

  /// Names at the top level that the page does not link to.
  static func uncurated(
    in files: [SourceText], page: SourceText, protocols: Set<String>
  ) -> [Finding] {
    let links = Set(page.lines.filter { $0.hasPrefix("- ``") }.map { $0.filter { $0 != "`" } })
    return files.flatMap { file in
      declarations(in: file, protocols: protocols)
        .filter { $0.isTopLevel && !links.contains("- " + $0.name) }
        .map { Finding(path: page.path, line: 0, why: "\"\($0.name)\" is under no topic") }
    }
  }

  static func protocols(in files: [SourceText]) -> Set<String> {
    Set(
      files.flatMap(\.lines).filter { $0.hasPrefix("public protocol ") }
        .compactMap { name(in: words($0), after: "protocol") })
  }

  /// Default implementations are documented at the protocol.
  private static func declarations(
    in file: SourceText, protocols: Set<String>
  ) -> [Declaration] {
    var isDefault = false
    return file.code.enumerated().compactMap { offset, bytes -> Declaration? in
      let line = String(decoding: bytes, as: UTF8.self)
      if line.hasPrefix("extension ") {
        isDefault = name(in: words(line), after: "extension").map(protocols.contains) == true
      } else if line.first.map({ $0 != " " && $0 != "}" }) == true {
        isDefault = false
      }
      guard !isDefault, line.split(separator: " ").first == "public" else { return nil }
      let words = words(line)
      let type = typeWords.compactMap { name(in: words, after: $0) }.first
      let other = memberWords.compactMap { name(in: words, after: $0) }.first
      return Declaration(
        name: type ?? other ?? "init", line: offset + 1, isType: type != nil,
        isTopLevel: line.hasPrefix("public"), comment: comment(above: offset, in: file))
    }
  }

  private static let typeWords: [Substring] = ["class", "struct", "enum", "protocol"]
  private static let memberWords: [Substring] = ["func", "var", "let"]

  private static func words(_ line: String) -> [Substring] {
    line.split { " (:<{".contains($0) }
  }

  private static func name(in words: [Substring], after keyword: Substring) -> String? {
    guard let place = words.firstIndex(of: keyword), place + 1 < words.count else { return nil }
    return String(words[place + 1])
  }

  private static func comment(above offset: Int, in file: SourceText) -> [String] {
    file.lines[..<offset].reversed().lazy
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .prefix { $0.hasPrefix("//") || $0.hasPrefix("@") }
      .filter { $0.hasPrefix("///") }
      .map { $0.dropFirst(3).trimmingCharacters(in: .whitespaces) }
  }
}
