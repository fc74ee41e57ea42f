/// Parses the words of a command line.
struct CurlReader {
  private(set) var secrets: [Range<Int>] = []
  private(set) var problem: CurlProblem?
  private let characters: [Character]
  private var urls: [String] = []
  private var headers: [HeaderField] = []
  private var login: Login?
  private var directory: String?
  private var output: String?
  private var limit: Int64?
  private var continues = false

  init(_ characters: [Character]) { self.characters = characters }

  /// Headers about the browser's cache, connection and decoding, which do not apply here.
  private static let droppedHeaders = HeaderField.namesOfTransport.union([
    "accept-encoding", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since",
    "keep-alive", "expect",
  ])

  mutating func read(_ words: [CurlWords.Word]) {
    var rest = words[...]
    if rest.first?.text == "$" { rest = rest.dropFirst() }
    rest = rest.dropFirst()
    var allAreURLs = false
    while let word = rest.popFirst() {
      if allAreURLs || !word.text.hasPrefix("-") || word.text == "-" {
        readURL(word)
      } else if word.text == "--" {
        allAreURLs = true
      } else if word.text.hasPrefix("--") {
        readLong(word, before: &rest)
      } else {
        readShort(word, before: &rest)
      }
    }
  }

  var result: Result<CurlCommandLine, CurlProblem> {
    guard let text = urls.first else { return .failure(.noURL) }
    guard urls.count == 1 else { return .failure(.severalURLs(count: urls.count)) }
    switch TransferURL.parse(text.contains("://") ? text : "http://" + text) {
    case .failure(let why): return .failure(.url(text, why))
    case .success(let url):
      var line = CurlCommandLine(url)
      line.headers = headers
      line.login = login ?? url.login
      line.limitBytesPerSecond = limit
      line.continues = continues
      return setOutput(of: &line).map { .failure($0) } ?? .success(line)
    }
  }

  /// Sets directory and name from the output options.
  private func setOutput(of line: inout CurlCommandLine) -> CurlProblem? {
    line.directory = directory
    guard let output, output != "-", output != "/dev/null" else { return nil }
    let parts = output.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last.map(String.init), FileName.problem(ofUserGiven: name) == nil
    else {
      return .valueUnusable(option: "-o")
    }
    line.name = name
    guard parts.count > 1 else { return nil }
    let own = parts.dropLast().joined(separator: "/")
    line.directory = own.isEmpty ? "/" : directory.map { $0 + "/" + own } ?? own
    return nil
  }

  /// Keeps the first problem.
  private mutating func recordProblem(_ found: CurlProblem) { problem = problem ?? found }

  private mutating func readURL(_ word: CurlWords.Word) {
    urls.append(word.text)
    hide(SecretText.passwordRange(inURL: characters, word.range))
  }

  private mutating func readLong(
    _ word: CurlWords.Word, before rest: inout ArraySlice<CurlWords.Word>
  ) {
    guard let option = CurlOption.long(String(word.text.dropFirst(2))) else {
      recordProblem(.unknownOption(word.text))
      return
    }
    guard option.takesValue else {
      apply(option, named: word.text)
      return
    }
    guard let value = rest.popFirst() else {
      recordProblem(.valueMissing(option: word.text))
      return
    }
    apply(option, value, named: word.text)
  }

  /// Reads short options: `-sSL` is three options, `-ofile` one with its value.
  private mutating func readShort(
    _ word: CurlWords.Word, before rest: inout ArraySlice<CurlWords.Word>
  ) {
    var letters = Array(word.text).dropFirst()
    while let letter = letters.popFirst() {
      let name = "-" + String(letter)
      guard let option = CurlOption.short(letter) else {
        recordProblem(.unknownOption(name))
        return
      }
      guard option.takesValue else {
        apply(option, named: name)
        continue
      }
      if !letters.isEmpty {
        let value = CurlWords.Word(text: String(Array(letters)), range: word.range)
        apply(option, value, named: name)
      } else if let value = rest.popFirst() {
        apply(option, value, named: name)
      } else {
        recordProblem(.valueMissing(option: name))
      }
      return
    }
  }

  private mutating func apply(_ option: CurlOption, named name: String) {
    switch option {
    case .headersOnly: recordProblem(.headersOnly(option: name))
    case .insecure: recordProblem(.insecure(option: name))
    case .unsupported: recordProblem(.unsupportedOption(name))
    case .ignored, .header, .cookie, .user, .bearer, .userAgent, .referer, .url, .output,
      .outputDirectory, .rate, .method, .continueAt, .ignoredWithValue, .sendsData, .proxy,
      .unsupportedWithValue:
      break
    }
  }

  private mutating func apply(_ option: CurlOption, _ value: CurlWords.Word, named name: String) {
    let text = value.text
    switch option {
    case .header: readHeader(value, name)
    case .cookie:
      hide(value.range)
      guard text.contains("=") else { return recordProblem(.valueFromFile(option: name)) }
      addHeader("Cookie", text, option: name)
    case .user: readUser(value, name)
    case .bearer:
      hide(value.range)
      addHeader("Authorization", "Bearer " + text, option: name)
    case .userAgent: addHeader("User-Agent", text, option: name)
    // `;auto` makes curl set the header on redirects.
    case .referer: addHeader("Referer", text.removingSuffix(";auto"), option: name)
    case .url: readURL(value)
    case .output: output = text
    case .outputDirectory: directory = text
    case .rate:
      limit = RateText.parse(text)
      if limit == nil { recordProblem(.valueUnusable(option: name)) }
    case .continueAt:
      guard text == "-" || Int64(text).map({ $0 >= 0 }) == true else {
        return recordProblem(.valueUnusable(option: name))
      }
      continues = text != "0"
    case .method: if text.uppercased() != "GET" { recordProblem(.method(text)) }
    case .sendsData:
      hide(value.range)
      recordProblem(.sendsData(option: name))
    case .proxy:
      hide(value.range)
      recordProblem(.proxy(option: name))
    case .unsupportedWithValue: recordProblem(.unsupportedOption(name))
    case .ignoredWithValue, .ignored, .headersOnly, .insecure, .unsupported: break
    }
  }

  private mutating func readHeader(_ word: CurlWords.Word, _ option: String) {
    guard !word.text.hasPrefix("@") else { return recordProblem(.valueFromFile(option: option)) }
    // A name that starts with a colon is a pseudo-header of HTTP/2.
    guard !word.text.hasPrefix(":") else { return }
    let parts = word.text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, parts.count == 2 else {
      return recordProblem(.valueUnusable(option: option))
    }
    if SecretText.isSecret(headerName: name) { hideAfterColon(word.range) }
    // Without a value curl removes the header.
    let isEmpty = parts[1].allSatisfy { $0 == " " || $0 == "\t" }
    guard !isEmpty, !Self.droppedHeaders.contains(name.lowercased()) else { return }
    addHeader(String(name), String(parts[1]), option: option)
  }

  private mutating func readUser(_ word: CurlWords.Word, _ option: String) {
    hideAfterColon(word.range)
    let parts = word.text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let user = parts.first, !user.isEmpty, parts.count == 2,
      !word.text.unicodeScalars.contains(where: \.isControl)
    else { return recordProblem(.valueUnusable(option: option)) }
    login = Login(user: String(user), password: String(parts[1]))
  }

  private mutating func addHeader(_ name: String, _ value: String, option: String) {
    guard let header = HeaderField(name: name, value: value) else {
      return recordProblem(.valueUnusable(option: option))
    }
    headers.append(header)
  }

  private mutating func hide(_ range: Range<Int>?) {
    if let range, !range.isEmpty { secrets.append(range) }
  }

  private mutating func hideAfterColon(_ range: Range<Int>) {
    let range = range.clamped(to: characters.indices)
    let colon = characters[range].firstIndex(of: ":") ?? range.lowerBound
    hide((colon + 1)..<max(range.upperBound, colon + 1))
  }
}

extension String {
  fileprivate func removingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
