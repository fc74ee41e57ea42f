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

/// One `key = value` under its full name.
struct TOMLEntry: Hashable, Sendable {
  /// The table names and the key, joined by dots.
  var name: String
  var value: TOMLValue
  var line: Int
}

/// The reason why a file cannot be read.
struct TOMLProblem: Error, Hashable, Sendable {
  var line: Int
  /// A few words without a period.
  var detail: String
}
