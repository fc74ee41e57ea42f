import KettleClient

/// The words behind `kettle`, with `--host` taken out, which goes with every command. It may stand
/// before or behind it: who forgets where it belongs must not stop the transfers of this machine.
struct CommandWords: Hashable, Sendable {
  private(set) var host: RemoteHost?
  private(set) var arguments: [String] = []

  init(_ words: [String]) throws(UsageError) {
    let option = "--host"
    var rest = words[...]
    // Behind "--" nothing is an option.
    while let word = rest.first, word != "--" {
      rest = rest.dropFirst()
      if word == option, let value = rest.popFirst() {
        host = try Self.host(value)
      } else if word.hasPrefix(option + "=") {
        host = try Self.host(String(word.dropFirst(option.count + 1)))
      } else {
        arguments.append(word)
      }
    }
    arguments += rest
  }

  /// `daemon run`, as it is said of.
  var commandName: String {
    let names = arguments.filter { !$0.hasPrefix("-") }
    return names.prefix(names.first == "daemon" ? 2 : 1).joined(separator: " ")
  }

  private static func host(_ text: String) throws(UsageError) -> RemoteHost {
    guard let host = RemoteHost(text) else { throw UsageError(.command(.host(text))) }
    return host
  }
}
