import Foundation

/// Finds papers that no longer tell the truth about the tree.
enum PaperRule {
  /// Targets without a section of their own that has an **Invariant:** line.
  static func undescribedTargets(_ targets: [String], in paper: SourceText) -> [Finding] {
    var sections: [String: [String]] = [:]
    var title = ""
    for line in paper.lines {
      if line.hasPrefix("#") { title = line.filter { $0 != "#" && $0 != "`" && $0 != " " } }
      if !line.hasPrefix("#") { sections[title, default: []].append(line) }
    }
    return targets.compactMap { target in
      let lines = sections[target] ?? []
      let isThere = lines.contains { $0.hasPrefix("**Invariant:**") }
      return isThere
        ? nil : Finding(path: paper.path, line: 0, why: "no section with an invariant of \(target)")
    }
  }

  /// Links in a Markdown file that lead to no file.
  static func brokenLinks(in paper: SourceText, exists: (String) -> Bool) -> [Finding] {
    guard paper.path.hasSuffix(".md") else { return [] }
    let folder = paper.folders.dropLast()
    return paper.lines.enumerated().flatMap { offset, line in
      links(in: line).compactMap { link in
        let file = link.prefix { $0 != "#" }
        guard !file.isEmpty, !link.contains("://"), !link.hasPrefix("mailto:") else { return nil }
        var parts = Array(folder)
        for part in file.split(separator: "/") {
          switch part {
          case ".": break
          case "..": _ = parts.popLast()
          default: parts.append(String(part))
          }
        }
        return exists(parts.joined(separator: "/"))
          ? nil : Finding(path: paper.path, line: offset + 1, why: "\"\(link)\" leads nowhere")
      }
    }
  }

  private static func links(in line: String) -> [String] {
    line.components(separatedBy: "](").dropFirst().map { String($0.prefix { $0 != ")" }) }
  }

  /// Papers that a comment, or another paper, names and that are not there.
  static func missingPapers(in file: SourceText, exists: (String) -> Bool) -> [Finding] {
    let isPaper = file.path.hasSuffix(".md")
    return file.lines.enumerated().flatMap { offset, line in
      guard isPaper || file.linesWithComment.contains(offset) else { return [Finding]() }
      return line.components(separatedBy: "docs/").dropFirst().compactMap { rest in
        let name = rest.prefix { $0.isLetter || $0.isNumber || "-/.".contains($0) }
        guard name.hasSuffix(".md"), !exists("docs/" + name) else { return nil }
        return Finding(path: file.path, line: offset + 1, why: "docs/\(name) is not there")
      }
    }
  }

  /// The names in the state diagram of the section called `title`.
  static func statesDrawn(under title: String, in paper: SourceText) -> Set<String> {
    var names: Set<String> = []
    var (isInSection, isInDiagram) = (false, false)
    for line in paper.lines {
      if line.hasPrefix("#") { isInSection = line.drop { $0 == "#" || $0 == " " } == title }
      if line.hasPrefix("```") { isInDiagram = isInSection && line == "```mermaid" }
      guard isInDiagram, line.contains("-->") else { continue }
      let arrow = line.prefix { $0 != ":" }.components(separatedBy: "-->")
      names.formUnion(arrow.map { $0.trimmingCharacters(in: .whitespaces) })
    }
    return names.subtracting(["[*]", ""])
  }

  /// The cases of the enum that begins with the line `declaration`.
  static func cases(ofEnum declaration: String, in file: SourceText) -> Set<String> {
    var names: Set<String> = []
    var depth = 0
    var isInside = false
    for bytes in file.code {
      let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
      if !isInside, line.hasPrefix(declaration) { (isInside, depth) = (true, 0) }
      guard isInside else { continue }
      if depth == 1, line.hasPrefix("case ") {
        names.formUnion(caseNames(line.dropFirst(5)))
      }
      depth += line.filter { $0 == "{" }.count - line.filter { $0 == "}" }.count
      if depth == 0 { break }
    }
    return names
  }

  /// `a, b(Int, String)` has the names a and b.
  private static func caseNames(_ text: Substring) -> [String] {
    var names: [String] = []
    var depth = 0
    var name = ""
    for character in text + "," {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if depth > 0 || character == ")" || character == " " { continue }
      if character == "," {
        names.append(name)
        name = ""
      } else {
        name.append(character)
      }
    }
    return names
  }
}
