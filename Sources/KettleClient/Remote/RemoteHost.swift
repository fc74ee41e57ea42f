/// The name of another machine as ssh(1) takes it: `box`, `user@box`, `ssh://user@box:2222`.
///
/// A value that exists can be put on a command line: it is no option, and nothing in it means
/// anything to a shell, to which the user's own configuration of ssh may hand it (`%h`).
package struct RemoteHost: Hashable, Sendable {
  package let text: String

  private static let byteCountMax = 255

  /// nil when it is no such name.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= Self.byteCountMax,
      text.utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    let name = text.hasPrefix("ssh://") ? text.dropFirst(6) : text[...]
    // The part of the user too: it becomes a word of its own for some programs.
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
