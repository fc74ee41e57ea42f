import KettleClient

/// The words after `kettle` without `--host`, which applies to every command. It may precede or
/// follow the command: a misplaced `--host` must not stop the transfers of this machine.
/// `--ascii` may stand anywhere too, and is left for the parser.
struct CommandWords: Hashable, Sendable {
  private(set) var host: RemoteHost?
  private(set) var isASCII = false
  private(set) var arguments: [String] = []

  init(_ words: [String]) throws(UsageError) {
    let option = "--host"
    var rest = words[...]
    // After "--" nothing is an option.
    while let word = rest.first, word != "--" {
      rest = rest.dropFirst()
      if word == option, let value = rest.popFirst() {
        host = try Self.host(value)
      } else if word.hasPrefix(option + "=") {
        host = try Self.host(String(word.dropFirst(option.count + 1)))
      } else {
        isASCII = isASCII || word == "--ascii"
        arguments.append(word)
      }
    }
    arguments += rest
  }

  /// The command's name in sentences, such as `daemon run`.
  var commandName: String {
    let names = arguments.filter { !$0.hasPrefix("-") }
    return names.prefix(names.first == "daemon" ? 2 : 1).joined(separator: " ")
  }

  private static func host(_ text: String) throws(UsageError) -> RemoteHost {
    guard let host = RemoteHost(text) else { throw UsageError(.command(.host(text))) }
    return host
  }
}
