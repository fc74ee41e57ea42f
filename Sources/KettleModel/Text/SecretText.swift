/// Detects text that must not be displayed.
package enum SecretText {
  private static let names: Set<String> = [
    "authorization", "cookie", "set-cookie", "proxy-authorization",
  ]
  private static let nameParts = ["token", "secret", "password", "api-key", "apikey", "session"]

  /// Whether the values of headers with this name must not be displayed.
  package static func isSecret(headerName: some StringProtocol) -> Bool {
    let name = headerName.lowercased()
    return names.contains(name) || nameParts.contains { name.contains($0) }
  }

  /// The range of the password in `https://user:password@host/`; nil if there is none.
  package static func passwordRange(
    inURL characters: [Character], _ range: Range<Int>
  ) -> Range<Int>? {
    let range = range.clamped(to: characters.indices)
    guard
      let slashes = range.dropLast().first(where: { slash in
        characters[slash] == "/" && slash + 1 < range.upperBound && characters[slash + 1] == "/"
      })
    else {
      return nil
    }
    let rest = (slashes + 2)..<range.upperBound
    let end = rest.first { "/?#".contains(characters[$0]) } ?? rest.upperBound
    guard let at = (rest.lowerBound..<end).last(where: { characters[$0] == "@" }),
      let colon = (rest.lowerBound..<at).first(where: { characters[$0] == ":" })
    else { return nil }
    return (colon + 1)..<at
  }
}
