import Foundation

/// Finds documents that contradict the tree.
enum DocumentRule {
  /// Targets without a row in the table of targets (name, purpose, invariant), or with a row whose
  /// purpose or invariant is empty.
  static func undescribedTargets(_ targets: [String], in document: SourceText) -> [Finding] {
    var described: Set<String> = []
    for line in document.lines {
      let row = cells(ofRow: line)
      guard row.count == 3, !row[1].isEmpty, !row[2].isEmpty,
        let name = codeName(in: row[0])
      else { continue }
      described.insert(name)
    }
    return targets.filter { !described.contains($0) }.map { target in
      Finding(path: document.path, line: 0, why: "no row with an invariant of \(target)")
    }
  }

  /// Rows of the table of targets that name no target.
  static func unknownTargets(_ targets: [String], in document: SourceText) -> [Finding] {
    document.lines.enumerated().compactMap { offset, line in
      let row = cells(ofRow: line)
      guard row.count == 3, let name = codeName(in: row[0]), !targets.contains(name) else {
        return nil
      }
      return Finding(path: document.path, line: offset + 1, why: "\(name) is no target")
    }
  }

  /// The cells of a row of a Markdown table; empty for any other line.
  private static func cells(ofRow line: String) -> [String] {
    guard line.hasPrefix("|"), line.hasSuffix("|"), line.count > 1 else { return [] }
    return line.dropFirst().dropLast().components(separatedBy: "|")
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The name in a cell that is nothing but a name in backticks.
  private static func codeName(in cell: String) -> String? {
    guard cell.count > 2, cell.hasPrefix("`"), cell.hasSuffix("`") else { return nil }
    return String(cell.dropFirst().dropLast())
  }

  /// Links in a Markdown file whose target does not exist.
  static func brokenLinks(in document: SourceText, exists: (String) -> Bool) -> [Finding] {
    guard document.path.hasSuffix(".md") else { return [] }
    let folder = document.folders.dropLast()
    return document.lines.enumerated().flatMap { offset, line in
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
          ? nil : Finding(path: document.path, line: offset + 1, why: "\"\(link)\" does not exist")
      }
    }
  }

  private static func links(in line: String) -> [String] {
    line.components(separatedBy: "](").dropFirst().map { String($0.prefix { $0 != ")" }) }
  }

  /// Documents that a comment or another document names and that do not exist.
  static func missingDocuments(in file: SourceText, exists: (String) -> Bool) -> [Finding] {
    let isDocument = file.path.hasSuffix(".md")
    return file.lines.enumerated().flatMap { offset, line in
      guard isDocument || file.linesWithComment.contains(offset) else { return [Finding]() }
      return line.components(separatedBy: "docs/").dropFirst().compactMap { rest in
        let name = rest.prefix { $0.isLetter || $0.isNumber || "-/.".contains($0) }
        guard name.hasSuffix(".md"), !exists("docs/" + name) else { return nil }
        return Finding(path: file.path, line: offset + 1, why: "docs/\(name) is not there")
      }
    }
  }

  /// The states in the diagram of the section called `title`.
  static func statesDrawn(under title: String, in document: SourceText) -> Set<String> {
    Set(arrows(under: title, in: document).flatMap { $0 }).subtracting(["[*]", ""])
  }

  /// The transitions between states in the diagram of the section called `title`.
  static func transitionsDrawn(
    under title: String, in document: SourceText
  ) -> [(from: String, to: String)] {
    arrows(under: title, in: document).compactMap { ends in
      guard ends.count == 2, !ends.contains("[*]") else { return nil }
      return (ends[0], ends[1])
    }
  }

  private static func arrows(under title: String, in document: SourceText) -> [[String]] {
    var arrows: [[String]] = []
    var (isInSection, isInDiagram) = (false, false)
    for line in document.lines {
      if line.hasPrefix("#") { isInSection = line.drop { $0 == "#" || $0 == " " } == title }
      if line.hasPrefix("```") { isInDiagram = isInSection && line == "```mermaid" }
      guard isInDiagram, line.contains("-->") else { continue }
      let ends = line.prefix { $0 != ":" }.components(separatedBy: "-->")
      arrows.append(ends.map { $0.trimmingCharacters(in: .whitespaces) })
    }
    return arrows
  }

  /// The table of a switch whose cases return lists of cases: `case .a: [.b, .c]`.
  static func exits(in file: SourceText) -> [String: Set<String>] {
    var exits: [String: Set<String>] = [:]
    for match in file.lines.joined(separator: " ").matches(of: /case \.(\w+):\s*\[([^\]]*)\]/) {
      let names = match.2.split { !$0.isLetter }.map(String.init)
      exits[String(match.1)] = Set(names)
    }
    return exits
  }

  /// The cases of the enum whose declaration starts with `declaration`.
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

  /// The names in a list of cases: a and b for `a, b(Int, String)`.
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
