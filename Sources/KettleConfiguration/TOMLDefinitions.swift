/// The tables and keys that a file has defined so far, under their full names.
///
/// An element of an array of tables has its number, counted from 1, as a part of its name:
/// `[[rules]]` begins the tables `rules.1`, `rules.2`, and so on.
struct TOMLDefinitions {
  private var keys: Set<String> = []
  /// The tables that have a header.
  private var headers: Set<String> = []
  /// The tables that a name has implied: `a` and `a.b` by `[a.b.c]`.
  private var implied: Set<String> = []
  /// How many elements each array of tables has.
  private var elementCounts: [String: Int] = [:]

  /// Defines the table of a header and returns its full name. Throws if the name is taken.
  mutating func defineTable(_ parts: [String]) throws(TOMLConflict) -> String {
    let name = resolved(parts)
    if elementCounts[name] != nil {
      throw TOMLConflict(
        "\"\(name)\" is an array of tables, so the header needs \"[[\" and \"]]\"")
    }
    guard headers.insert(name).inserted else {
      throw TOMLConflict("the table \"\(name)\" is defined twice")
    }
    return name
  }

  /// Defines the next element of an array of tables. Returns the full name of the array and the
  /// number of the element. Throws if the name is taken.
  mutating func defineElement(
    _ parts: [String]
  ) throws(TOMLConflict) -> (array: String, number: Int) {
    let name = resolved(parts)
    guard !headers.contains(name), !implied.contains(name) else {
      throw TOMLConflict("\"\(name)\" is a table already, so it cannot be an array of tables")
    }
    guard !keys.contains(name) else { throw TOMLConflict("\"\(name)\" is defined twice") }
    let number = elementCounts[name, default: 0] + 1
    elementCounts[name] = number
    headers.insert("\(name).\(number)")
    return (name, number)
  }

  /// Defines a key of a table and returns its full name. Throws if the name is taken.
  ///
  /// - Parameter table: the full name of the table; empty for none.
  mutating func defineKey(_ parts: [String], in table: String) throws(TOMLConflict) -> String {
    var name = table
    for (index, part) in parts.enumerated() {
      if index > 0 { implied.insert(name) }
      name = Self.join(name, part)
      if elementCounts[name] != nil {
        throw TOMLConflict("\"\(name)\" is an array of tables, so it cannot be set like a key")
      }
    }
    guard keys.insert(name).inserted else { throw TOMLConflict("\"\(name)\" is defined twice") }
    return name
  }

  /// Returns the full name of a header. An array of tables before the last part means its last
  /// element.
  private mutating func resolved(_ parts: [String]) -> String {
    var name = ""
    for part in parts.dropLast() {
      name = Self.join(name, part)
      if let count = elementCounts[name] {
        name += ".\(count)"
      } else {
        implied.insert(name)
      }
    }
    return Self.join(name, parts.last ?? "")
  }

  private static func join(_ table: String, _ part: String) -> String {
    table.isEmpty ? part : "\(table).\(part)"
  }
}

/// Why a file may not define something.
struct TOMLConflict: Error {
  /// A few words without a period.
  var detail: String

  init(_ detail: String) { self.detail = detail }
}
