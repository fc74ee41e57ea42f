/// A download given as a command line of curl(1), as browsers put it on the clipboard ("copy as
/// cURL"). The command is parsed and never executed.
package struct CurlCommandLine: Hashable, Sendable {
  package internal(set) var url: TransferURL.Parsed
  package internal(set) var headers: [HeaderField] = []
  package internal(set) var login: Login?
  /// As written; may be relative.
  package internal(set) var directory: String?
  package internal(set) var name: String?
  package internal(set) var limitBytesPerSecond: Int64?
  /// Whether a file that curl has begun is continued. curl's offset is not used: the length of the
  /// file that is there decides, and its end is compared with the server's.
  package internal(set) var continues = false

  /// The parsed command and the ranges of characters that must not be displayed.
  package struct Parsed: Hashable, Sendable {
    package var result: Result<CurlCommandLine, CurlProblem>
    package var secrets: [Range<Int>]
  }

  /// Whether a line is a curl command, valid or not.
  package static func isCommand(_ characters: some Collection<Character>) -> Bool {
    var rest = characters.drop { $0 == " " || $0 == "\t" }
    if rest.first == "$" { rest = rest.dropFirst().drop { $0 == " " } }
    guard rest.prefix(4).elementsEqual("curl") else { return false }
    rest = rest.dropFirst(4)
    if rest.prefix(4).elementsEqual(".exe") { rest = rest.dropFirst(4) }
    guard let next = rest.first else { return true }
    return next == " " || next == "\t" || next == "\\" || next == "^" || next.isNewline
  }

  package static func parse(_ text: String) -> Parsed {
    let characters = Array(text)
    let words = CurlWords(characters)
    var reader = CurlReader(characters)
    reader.read(words.words)
    let problem = words.problem ?? reader.problem
    let result = problem.map { .failure($0) } ?? reader.result
    return Parsed(result: result, secrets: reader.secrets)
  }

  init(_ url: TransferURL.Parsed) {
    self.url = url
    login = url.login
  }
}
