/// The name of another machine as ssh(1) accepts it: `box`, `user@box`, `ssh://user@box:2222`.
///
/// Any value is safe on a command line: it is not an option and contains nothing special to a
/// shell, to which the user's ssh configuration may pass it (`%h`).
package struct RemoteHost: Hashable, Sendable {
  package let text: String

  private static let byteCountMax = 255

  /// Returns nil when the text is not such a name.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.byteCountMax,
      text.utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    let name = text.hasPrefix("ssh://") ? text.dropFirst(6) : text[...]
    // Also check the user part, which some programs receive as a separate word.
    let parts = name.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") }) else { return nil }
    self.text = text
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "._-@:[]%+/".utf8.contains(byte)
    }
  }
}
