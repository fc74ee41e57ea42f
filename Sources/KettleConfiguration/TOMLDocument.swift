/// What a file says, in its order.
struct TOMLDocument: Hashable, Sendable {
  var entries: [TOMLEntry] = []
  /// Those of all arrays of tables; one may have no entries.
  var elements: [TOMLElement] = []

  /// Returns the problem of each entry that has one.
  func problems(
    _ problem: (TOMLEntry) -> ConfigurationProblem.What?
  ) -> [ConfigurationProblem] {
    entries.compactMap { entry in
      problem(entry).map { ConfigurationProblem($0, line: entry.line) }
    }
  }
}

extension String {
  /// Returns the part of a full name that is within a table; nil if it is not in the table.
  func name(in table: String) -> String? {
    hasPrefix(table + ".") ? String(dropFirst(table.count + 1)) : nil
  }
}

/// One `key = value` under its full name.
struct TOMLEntry: Hashable, Sendable {
  /// The table names and the key, joined by dots. An element of an array of tables has its number
  /// in the name: `rules.1.host`.
  var name: String
  var value: TOMLValue
  var line: Int
  /// The element of an array of tables whose header it is below; nil if it is below another header.
  var element: TOMLElement?
}

/// An element of an array of tables, with `[[array]]` as its header.
struct TOMLElement: Hashable, Sendable {
  /// The full name.
  var array: String
  /// Counted from 1.
  var number: Int
  /// The line of the header.
  var line: Int

  /// The full name, such as `rules.1`.
  var name: String { "\(array).\(number)" }

  /// Returns the name of an entry within the element.
  func key(of entry: TOMLEntry) -> String { String(entry.name.dropFirst(name.count + 1)) }
}

/// A value of the part of TOML that the configuration file needs.
enum TOMLValue: Hashable, Sendable {
  case string(String)
  case integer(Int64)
  case boolean(Bool)
  case array([TOMLValue])
  /// Unquoted text, which TOML does not have. It is skipped without a meaning, so that the rest of
  /// the file stays valid.
  case unquoted
}

/// The reason why a file cannot be read.
struct TOMLProblem: Error, Hashable, Sendable {
  var line: Int
  /// A few words without a period.
  var detail: String
}

/// Where the tables and entries of a file are, in bytes.
struct TOMLLayout: Hashable, Sendable {
  struct Table: Hashable, Sendable {
    /// The full name; an element of an array of tables has its number in it.
    var name: String
    /// The array of tables that it is an element of.
    var array: String?
    /// The line of the header with its end.
    var lines: Range<Int>
  }

  struct Entry: Hashable, Sendable {
    /// The full name.
    var name: String
    /// The table that it is in; empty before the first one.
    var table: String
    /// The value alone. That of unquoted text ends before the comment.
    var value: Range<Int>
    /// All lines of the entry with their ends.
    var lines = 0..<0
  }

  var tables: [Table] = []
  var entries: [Entry] = []
}

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
