/// The reason why a text is not a URL that Kettle can fetch.
public enum TransferURLProblem: Error, Hashable, Sendable {
  case empty, tooLong, controlCharacter
  case characterForbidden(Character)
  case schemeMissing
  case schemeUnsupported(String)
  case hostMissing, hostMalformed, portMalformed, loginMalformed
  /// The path of a server of files ends with a slash.
  case directory

  /// States the problem, its subject and the remedy; without a period.
  public func sentence(_ text: String) -> String {
    let shown = "\"" + Self.withoutLogin(text).sanitizedForDisplay(limit: 200) + "\""
    switch self {
    case .empty: return "The URL is empty; give one such as https://example.org/file.iso"
    case .tooLong:
      return "The URL \(shown) is longer than \(TransferURL.byteCountMax) bytes; shorten it"
    case .controlCharacter:
      return "The URL \(shown) contains a control character or a line break; copy it again"
    case .characterForbidden(" "):
      return "The URL \(shown) contains a space; write %20, or quote each URL separately"
    case .characterForbidden(let character):
      return "The URL \(shown) contains \"\(character)\"; percent-encode it"
    case .schemeMissing:
      return "The URL \(shown) has no scheme; start it with https:// or http://"
    case .schemeUnsupported(let scheme):
      return "The URL \(shown) has the scheme \"\(scheme.sanitizedForDisplay(limit: 40))\"; "
        + "only http, https, ftp, ftps and sftp are supported"
    case .hostMissing: return "The URL \(shown) has no host; write https://HOST/PATH"
    case .hostMalformed: return "The host in the URL \(shown) is not a host name; check it"
    case .portMalformed: return "The port in the URL \(shown) is not a number from 1 to 65535"
    case .loginMalformed:
      return "The user and password in the URL cannot be read; give them with --user"
    case .directory:
      return "The URL \(shown) is a directory, which cannot be downloaded; give the URL of a file"
    }
  }

  /// Removes everything between `://`, or the start, and the last `@`: in a text that cannot be
  /// parsed, the end of the password is unknown.
  package static func withoutLogin(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return text }
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0
    let start = bytes[colon...].starts(with: "://".utf8) ? colon + 3 : 0
    guard at > start else { return text }
    return String(decoding: bytes[..<start], as: UTF8.self) + "…"
      + String(decoding: bytes[at...], as: UTF8.self)
  }
}
