import KettleModel

/// Changes single settings in the text of a configuration file. Comments, blank lines and the order
/// of everything else stay as they are.
package struct ConfigurationEditor: Sendable {
  package private(set) var bytes: [UInt8]
  private var layout: TOMLLayout

  /// Throws if the text is not TOML: nobody knows where something belongs in it.
  package init(_ bytes: [UInt8]) throws(ConfigurationProblem) {
    self.bytes = bytes
    layout = try Self.layout(of: bytes)
  }

  private static func layout(of bytes: [UInt8]) throws(ConfigurationProblem) -> TOMLLayout {
    do throws(TOMLProblem) {
      return try TOMLReader.layout(of: bytes)
    } catch {
      throw ConfigurationProblem(.unreadable(error.detail), line: error.line)
    }
  }

  /// The value of a key as it is written; nil if it is not set.
  package func value(of key: String) -> String? {
    layout.entries.first { $0.name == key }.map {
      String(decoding: bytes[$0.value], as: UTF8.self).trimmingBlanks()
    }
  }

  /// Sets a key to a value in the syntax of TOML. Throws, and changes nothing, if the result would
  /// not be a valid file.
  package mutating func set(_ key: String, to value: String) throws(ConfigurationProblem) {
    var edited = bytes
    if let entry = layout.entries.first(where: { $0.name == key }) {
      edited.replaceSubrange(entry.value, with: Array(value.utf8))
    } else {
      let (offset, line) = try place(for: key)
      let isInLine = offset > 0 && edited[offset - 1] != UInt8(ascii: "\n")
      let text = (isInLine ? "\n" : "") + line + " = " + value + "\n"
      edited.insert(contentsOf: Array(text.utf8), at: offset)
    }
    layout = try Self.layout(of: edited)
    bytes = edited
  }

  /// Removes a key with its line, or a whole element of an array of tables (`rules.2`). Returns
  /// whether there was one.
  package mutating func remove(_ key: String) throws(ConfigurationProblem) -> Bool {
    guard let lines = lines(of: key) else { return false }
    var edited = bytes
    edited.removeSubrange(lines)
    layout = try Self.layout(of: edited)
    bytes = edited
    return true
  }

  private func lines(of key: String) -> Range<Int>? {
    if let entry = layout.entries.first(where: { $0.name == key }) { return entry.lines }
    guard let header = layout.tables.first(where: { $0.name == key && $0.array != nil }) else {
      return nil
    }
    let last = layout.entries.last { $0.table == key }
    return header.lines.lowerBound..<max(header.lines.upperBound, last?.lines.upperBound ?? 0)
  }

  /// Where a new key goes, and what is written before the equals sign: after the last key of its
  /// table, or in a new table at the end. Throws if its array of tables has no such element, and
  /// none can be added with its number.
  private func place(
    for key: String
  ) throws(ConfigurationProblem) -> (offset: Int, line: String) {
    let parts = Self.parts(of: key)
    let table = parts.dropLast().joined(separator: ".")
    let name = Self.written([parts.last ?? ""])
    let header = layout.tables.first { $0.name == table }
    let last = layout.entries.last { $0.table == table }
    if header != nil || last != nil && table.isEmpty {
      return (last?.lines.upperBound ?? header?.lines.upperBound ?? 0, name)
    }
    let gap = bytes.isEmpty ? "" : "\n"
    if let array = try array(ofNewElement: table, for: key) {
      return (bytes.count, "\(gap)[[\(array)]]\n\(name)")
    }
    // TOML forbids a header for a table whose keys are written with dots.
    if let dotted = layout.entries.last(where: {
      $0.name.hasPrefix(table + ".") && table.hasPrefix($0.table)
    }) {
      let known = dotted.table.isEmpty ? 0 : Self.parts(of: dotted.table).count
      return (dotted.lines.upperBound, Self.written(parts.dropFirst(known)))
    }
    return (bytes.count, "\(gap)[\(Self.written(parts.dropLast()))]\n\(name)")
  }

  /// Divides a full name at its dots, except those of an IPv6 address in brackets.
  private static func parts(of name: String) -> [String] {
    var isInBrackets = false
    return name.split { character in
      if character == "[" { isInBrackets = true }
      if character == "]" { isInBrackets = false }
      return character == "." && !isInBrackets
    }.map(String.init)
  }

  /// Returns parts of a name as they are written, with quotes where TOML needs them.
  private static func written(_ parts: some Sequence<String>) -> String {
    parts.map { part in
      let isBare = part.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
      return isBare && !part.isEmpty ? part : quoted(part)
    }.joined(separator: ".")
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// Returns the array of tables to which a table belongs as its next element; nil if it belongs to
  /// none. Throws if it has another number.
  private func array(
    ofNewElement table: String, for key: String
  ) throws(ConfigurationProblem) -> String? {
    let arrays = ConfigurationArray.allCases.map(\.rawValue) + layout.tables.compactMap(\.array)
    guard let array = arrays.first(where: { (table + ".").hasPrefix($0 + ".") }) else {
      return nil
    }
    guard Int(table.dropFirst(array.count + 1)) != nil else {
      throw ConfigurationProblem(.unknownKey(key))
    }
    let next = layout.tables.count { $0.array == array } + 1
    guard table == "\(array).\(next)" else {
      throw ConfigurationProblem(.missingElement(key, of: array, next: next))
    }
    return array
  }
}

extension ConfigurationEditor {
  /// Sets a key as a user types its value: a text needs no quotes, and several values are an array.
  /// Throws, and changes nothing, if the key is unknown or does not accept the value.
  package mutating func set(
    _ key: String, toWords words: [String]
  ) throws(ConfigurationProblem) {
    let before = Self.problems(in: bytes).count
    var problem: ConfigurationProblem?
    for value in Self.literals(of: words) {
      var edited = self
      do throws(ConfigurationProblem) {
        try edited.set(key, to: value)
      } catch {
        problem = problem ?? error
        continue
      }
      let problems = Self.problems(in: edited.bytes)
      if problems.count <= before {
        self = edited
        return
      }
      problem = problems.first { $0.what.key == key } ?? problem ?? problems.last
    }
    throw problem ?? ConfigurationProblem(.unknownKey(key))
  }

  /// Returns what is wrong with the keys of a file. An element of an array of tables may still be
  /// incomplete, because its keys are set one after the other.
  private static func problems(in bytes: [UInt8]) -> [ConfigurationProblem] {
    let all = ServiceConfiguration.read(bytes).1 + DashboardConfiguration.read(bytes).1
    return all.filter { problem in
      if case .incomplete = problem.what { false } else { true }
    }
  }

  /// What the words may mean: as they are, as texts, or as an array.
  private static func literals(of words: [String]) -> [String] {
    let quoted = words.map(quoted)
    let array = "[" + quoted.joined(separator: ", ") + "]"
    guard words.count == 1, let word = words.first, let text = quoted.first else { return [array] }
    return [word, text, array]
  }
}

extension ConfigurationProblem.What {
  /// The key that it is about; nil if it is about the file.
  package var key: String? {
    switch self {
    case .unreadable, .incomplete: nil
    case .unknownKey(let key), .unquoted(let key), .missingElement(let key, _, _),
      .notInArray(let key, _), .withoutCondition(let key), .givenTwice(let key, _),
      .wrongValue(let key, _):
      key
    }
  }
}
