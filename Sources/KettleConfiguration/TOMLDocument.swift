/// What a file says, in its order.
struct TOMLDocument: Hashable, Sendable {
  var entries: [TOMLEntry] = []
  /// Those of all arrays of tables; one may have no entries.
  var elements: [TOMLElement] = []
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
