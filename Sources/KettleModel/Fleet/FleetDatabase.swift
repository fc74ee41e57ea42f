/// What a connection URI or string of libpq tells without a connection
/// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING).
package struct FleetDatabase: Hashable, Sendable {
  /// Whether it has a password, which belongs into a file that only its user can read.
  package let hasPassword: Bool
  /// The name of the database, or of its service: what a fleet is called.
  package let name: String

  private static let schemes = ["postgres://", "postgresql://"]

  package init(_ text: String) {
    guard let scheme = Self.schemes.first(where: text.lowercased().hasPrefix) else {
      let values = Self.values(in: text)
      hasPassword = values.contains { Self.secrets.contains($0.key) }
      name = values["dbname"] ?? values["service"] ?? Self.nameless
      return
    }
    let parts = text.dropFirst(scheme.count).split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let places = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let user = places[0].lastIndex(of: "@").map { places[0][..<$0] } ?? ""
    let others = parts.dropFirst().joined().split(separator: "&").map(Self.decoded)
    let more = Self.values(in: others.joined(separator: " "))
    hasPassword =
      user.drop { $0 != ":" }.count > 1 || more.contains { Self.secrets.contains($0.key) }
    let path = Self.decoded(places.dropFirst().joined())
    name = more["dbname"] ?? (path.isEmpty ? nil : path) ?? more["service"] ?? Self.nameless
  }

  private static func decoded(_ text: some StringProtocol) -> String {
    String(decoding: PercentEncoding.decodedLeniently(text.utf8), as: UTF8.self)
  }

  private static let secrets: Set = ["password", "sslpassword"]
  private static let nameless = "postgres"

  /// The pairs `key = value`. Quotes around a value are left out; a blank in it ends it, which
  /// matters to no key that is looked for.
  private static func values(in text: String) -> [String: String] {
    var values: [String: String] = [:]
    var rest = text[...]
    while let sign = rest.firstIndex(of: "=") {
      let key = rest[..<sign].split(whereSeparator: \.isWhitespace).last ?? ""
      rest = rest[rest.index(after: sign)...].drop(while: \.isWhitespace)
      let value = rest.prefix { !$0.isWhitespace }
      values[key.lowercased()] = String(value.filter { $0 != "'" && $0 != "\"" })
      rest = rest.dropFirst(value.count)
    }
    return values
  }
}
