import KettleModel

/// Command lines for curl: parsing ends, never lets an injected header or line through, and accepts
/// only values that other parsers accept.
struct CurlFuzz: TextFuzzPart {
  let name = "curl"
  let sharePercent = 5
  let samples: [[UInt8]]
  let mutator: TextMutator

  init() {
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "-H", "-o", "-u", "-b", "-e", "-A", "--url", "--limit-rate", "--output-dir", "--", "-k",
        "-d", "-X", "$'\\x00'", "$'\\n'", "\\\n", "^\n", "^\"", "%41", "$HOME", "$(x)", "&&",
      ],
      samples: samples)
  }

  func finding(for input: [UInt8]) -> String? {
    let text = String(decoding: input, as: UTF8.self)
    let lines = CurlCommandLine.lines(of: text)
    for line in lines {
      if line.contains(where: \.isNewline) { return "a line has a line break: \(line)" }
      if let finding = finding(in: line) { return finding }
    }
    return finding(in: text)
  }

  private func finding(in line: String) -> String? {
    let reading = CurlCommandLine.parse(line)
    let characterCount = line.count
    for secret in reading.secrets where secret.upperBound > characterCount {
      return "a secret at \(secret) of \(characterCount) characters"
    }
    guard case .success(let command) = reading.result else { return nil }
    for header in command.headers where HeaderField(name: header.name, value: header.value) == nil {
      return "a header that must not be sent: \(header)"
    }
    let again = try? TransferURL.parse(command.url.url.text).get()
    if again != TransferURL.Parsed(url: command.url.url) {
      return "the URL \(command.url.url.text.debugDescription) does not read back"
    }
    if command.limitBytesPerSecond.map({ $0 < 0 }) == true { return "a limit below nothing" }
    return nil
  }

  private static let texts = [
    #"""
    curl 'https://example.org/file.iso?a=1&b=2' \
      -H 'accept: text/html,*/*;q=0.8' \
      -b 'sid=a'\''b; x=y' \
      -H $'x-note: don\'t \u0021 \ud83d\ude80' \
      -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)' \
      --compressed
    """#,
    "curl ^\"https://example.org/a?x=1^&y=%^41^\" ^\r\n  -H ^\"accept: */*^\" ^\r\n"
      + "  -H ^\"x: say ^\\^\"hi^\\^\"^\"",
    "curl -fsSL -u me:pa:ss -A agent -e 'http://r/;auto' --limit-rate 2M --retry 3 -C - "
      + "-o name.iso -- http://example.org/a",
    "$ curl --output-dir ~/isos -O https://me:pw@example.org/x; echo done\nhttps://example.org/y",
    "curl https://example.org/a -H 'a: b' && curl \"https://example.org/b\"\ncurl example.org/c\n",
  ]
}
