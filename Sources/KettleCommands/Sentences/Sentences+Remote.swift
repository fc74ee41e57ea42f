import KettleClient
import KettleModel

/// Sentences about an unreachable service on another machine.
extension Sentences {
  static func of(_ error: RemoteError) -> String {
    let host = quoted(error.host.text)
    let words = lastWords(error.said)
    let said = words.isEmpty ? "" : " (\(words))"
    switch error.why {
    case .cannotRunSSH(let code):
      return "Cannot run \"ssh\" to reach \(host) (\(errnoText(code))); install it"
    case .unreachable:
      return "\(host) cannot be reached\(said); check that \"ssh \(error.host.text)\" works"
    case .noProgram:
      return "ssh found no \"kettle\" on \(host)\(said); install it there, for example in "
        + "/usr/local/bin"
    case .otherVersion(let ours, let theirs?):
      return "The service on \(host) uses protocol version \(quoted(theirs)) and this program "
        + "uses \(ours); install the same version of kettle on both, "
        + "and run \"kettle daemon stop\" there"
    case .otherVersion(_, nil):
      return "The \"kettle\" on \(host) is older than this one\(said); "
        + "install the same version on both"
    case .notRunning:
      return "No service is running on \(host); start it with "
        + "\"kettle --host \(error.host.text) daemon start\""
    case .notAnswering:
      guard words.isEmpty else { return "On \(host): \(words)" }
      return "The service on \(host) does not answer; "
        + "check it there with \"kettle daemon status\""
    case .noService:
      return "The service on \(host) cannot be reached\(said); "
        + "check it there with \"kettle daemon status\""
    case .ended:
      // Output of a login shell precedes the first reply.
      return "The connection to \(host) ended before the service replied\(said); try again, "
        + "and check that \"ssh \(error.host.text) true\" prints nothing"
    }
  }

  /// The last line of the output, without the leading `kettle: `.
  private static func lastWords(_ said: String) -> String {
    let lines = said.split(whereSeparator: \.isNewline).filter { line in
      line.contains { !$0.isWhitespace }
    }
    let line = lines.last ?? ""
    let prefix = "kettle: "
    return String(line.hasPrefix(prefix) ? line.dropFirst(prefix.count) : line)
      .sanitizedForDisplay(limit: 300)
  }
}
