/// A value of the part of TOML that the configuration file needs.
enum TOMLValue: Hashable, Sendable {
  case string(String)
  case integer(Int64)
  case boolean(Bool)
  case array([TOMLValue])
  /// Text without quotes, which TOML does not have. It is read over, so that the rest of the file
  /// holds, and has no meaning.
  case unquoted
}

/// One `key = value`, under its whole name.
struct TOMLEntry: Hashable, Sendable {
  /// The tables and the key, joined by points.
  var name: String
  var value: TOMLValue
  var line: Int
}

/// Why a file cannot be read.
struct TOMLProblem: Error, Hashable, Sendable {
  var line: Int
  /// A few words without a period.
  var detail: String
}
