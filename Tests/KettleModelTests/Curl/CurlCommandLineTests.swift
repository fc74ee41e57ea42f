import KettleModel
import Testing

/// Command lines as browsers and instructions write them.
struct CurlCommandLineTests {
  private func read(_ text: String) throws -> CurlCommandLine {
    try CurlCommandLine.parse(text).result.get()
  }

  private func problem(_ text: String) -> CurlProblem? {
    switch CurlCommandLine.parse(text).result {
    case .success: nil
    case .failure(let problem): problem
    }
  }

  private func headers(_ line: CurlCommandLine) -> [String] {
    line.headers.map { $0.name + ": " + $0.value }
  }

  @Test func `a command copied by Chrome for bash is parsed`() throws {
    let text = #"""
      curl 'https://example.org/file.iso?a=1&b=2' \
        -H 'accept: text/html,*/*;q=0.8' \
        -H 'accept-encoding: gzip, br' \
        -b 'sid=a'\''b; x=y' \
        -H $'x-note: don\'t \u0021 \ud83d\ude80' \
        -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)' \
        --compressed
      """#
    let lines = CurlCommandLine.lines(of: text)
    #expect(lines.count == 1)
    let line = try read(lines.first ?? "")
    #expect(line.url.url.text == "https://example.org/file.iso?a=1&b=2")
    #expect(
      headers(line) == [
        "accept: text/html,*/*;q=0.8", "Cookie: sid=a'b; x=y", "x-note: don't ! 🚀",
        "user-agent: Mozilla/5.0 (X11; Linux x86_64)",
      ])
  }

  @Test func `a command copied by Firefox is parsed`() throws {
    let line = try read(
      "curl 'https://example.org/a' --compressed -H 'Referer: https://example.org/' "
        + "-H 'Cookie: a=b' -H 'Connection: keep-alive' -H 'TE: trailers'")
    #expect(headers(line) == ["Referer: https://example.org/", "Cookie: a=b"])
  }

  @Test(arguments: [
    "curl ^\"https://example.org/a?x=1^&y=%^41^\" ^\r\n  -H ^\"accept: */*^\" ^\r\n"
      + "  -H ^\"x: say ^\\^\"hi^\\^\"^\"",
    "curl \"https://example.org/a?x=1&y=%41\" ^\r\n  -H \"accept: */*\" ^\r\n"
      + "  -H \"x: say \\\"hi\\\"\"",
  ])
  func `a command copied for the Windows command prompt is parsed`(text: String) throws {
    let lines = CurlCommandLine.lines(of: text)
    #expect(lines.count == 1)
    let line = try read(lines.first ?? "")
    #expect(line.url.url.text == "https://example.org/a?x=1&y=%41")
    #expect(headers(line) == ["accept: */*", "x: say \"hi\""])
  }

  @Test func `the options that apply to a download are converted`() throws {
    let line = try read(
      "curl -fsSL -u me:pa:ss -A agent -e 'http://r/;auto' --limit-rate 2M --retry 3 -C - "
        + "-o name.iso -- http://example.org/a")
    #expect(line.login == Login(user: "me", password: "pa:ss"))
    #expect(headers(line) == ["User-Agent: agent", "Referer: http://r/"])
    #expect(line.limitBytesPerSecond == 2 << 20)
    #expect(line.name == "name.iso")
    #expect(line.directory == nil)
    #expect(line.continues)
  }

  @Test(arguments: [
    ("-C -", true), ("-C-", true), ("--continue-at 1000", true), ("-C 0", false), ("-s", false),
  ])
  func `a file that curl has begun is continued`(options: String, continues: Bool) throws {
    #expect(try read("curl " + options + " -O http://example.org/a").continues == continues)
  }

  @Test(arguments: [
    ("-oa.iso", "a.iso", String?.none), ("-LOJ", nil, nil), ("-o -", nil, nil),
    ("-o /dev/null", nil, nil), ("--output /tmp/a.iso", "a.iso", "/tmp"),
    ("-o d/a.iso", "a.iso", "d"), ("--output-dir /d -o e/a", "a", "/d/e"), ("-o /a", "a", "/"),
    ("--output-dir ~/isos -O", nil, "~/isos"),
  ])
  func `the name and the directory are converted`(
    options: String, name: String?, directory: String?
  ) throws {
    let line = try read("curl http://a/b " + options)
    #expect(line.name == name)
    #expect(line.directory == directory)
  }

  @Test func `a URL without a scheme is http, as with curl, and its login is separated`() throws {
    #expect(try read("curl example.org/a").url.url.text == "http://example.org/a")
    let line = try read("curl --url https://me:pw@example.org/")
    #expect(line.login == Login(user: "me", password: "pw"))
    #expect(try read("curl --oauth2-bearer tok http://a/").headers.first?.value == "Bearer tok")
    #expect(try read("curl http://a/x?a=1&b=2").url.url.text == "http://a/x?a=1&b=2")
    #expect(try read("$ curl http://a/").url.url.text == "http://a/")
  }

  @Test(arguments: [
    ("curl", CurlProblem.noURL), ("curl -L", .noURL),
    ("curl http://a/ http://b/", .severalURLs(count: 2)),
    ("curl nfs://a/", .url("nfs://a/", .schemeUnsupported("nfs"))),
    ("curl http://a/ -d x=1", .sendsData(option: "-d")),
    ("curl http://a/ --data-raw '{}'", .sendsData(option: "--data-raw")),
    ("curl http://a/ -F f=@x", .sendsData(option: "-F")),
    ("curl -X POST http://a/", .method("POST")),
    ("curl -I http://a/", .headersOnly(option: "-I")),
    ("curl -sk http://a/", .insecure(option: "-k")),
    ("curl --insecure http://a/", .insecure(option: "--insecure")),
    ("curl -x http://p/ http://a/", .proxy(option: "-x")),
    ("curl --socks5 p http://a/", .proxy(option: "--socks5")),
    ("curl --frobnicate http://a/", .unknownOption("--frobnicate")),
    ("curl -sQ http://a/", .unknownOption("-Q")),
    ("curl --cacert x.pem http://a/", .unsupportedOption("--cacert")),
    ("curl -K file http://a/", .unsupportedOption("-K")),
    ("curl http://a/ -H", .valueMissing(option: "-H")),
    ("curl http://a/ -H nocolon", .valueUnusable(option: "-H")),
    ("curl http://a/ -H 'a b: c'", .valueUnusable(option: "-H")),
    ("curl http://a/ -H $'a: b\\r\\nc: d'", .valueUnusable(option: "-H")),
    ("curl http://a/ -H @file", .valueFromFile(option: "-H")),
    ("curl http://a/ -b cookies.txt", .valueFromFile(option: "-b")),
    ("curl http://a/ -u me", .valueUnusable(option: "-u")),
    ("curl http://a/ --limit-rate fast", .valueUnusable(option: "--limit-rate")),
    ("curl http://a/ -o ..", .valueUnusable(option: "-o")),
    ("curl http://a/ -C all", .valueUnusable(option: "-C")),
    ("curl 'http://a/", .unclosedQuote), ("curl \"http://a/", .unclosedQuote),
    ("curl $'http://a/", .unclosedQuote),
    ("curl http://a/ -H \"A: $TOKEN\"", .needsShell("$TOKEN")),
    ("curl $URL", .needsShell("$URL")), ("curl `cat url`", .needsShell("`")),
    ("curl $(cat url)", .needsShell("$")), ("curl http://a/ | sh", .needsShell("|")),
    ("curl http://a/ > file", .needsShell(">")),
  ])
  func `unsupported and unknown options are reported`(text: String, expected: CurlProblem) {
    #expect(problem(text) == expected)
  }

  @Test(arguments: [
    ("curl http://a/ -H 'Cookie: a=b'", "curl http://a/ -H 'Cookie:•••••"),
    ("curl http://a/ -b a=b", "curl http://a/ -b •••"),
    ("curl http://a/ -u me:pw -L", "curl http://a/ -u me:•• -L"),
    ("curl http://me:pw@a/ -H 'Accept: x'", "curl http://me:••@a/ -H 'Accept: x'"),
    ("curl -HX-Auth-Token:x http://a/", "curl -HX-Auth-Token:• http://a/"),
  ])
  func `secrets are found in valid and invalid commands`(
    text: String, seen: String
  ) {
    for text in [text, text + " --frobnicate"] {
      var characters = Array(text)
      for range in CurlCommandLine.parse(text).secrets {
        for index in range { characters[index] = "•" }
      }
      #expect(String(characters).hasPrefix(seen))
    }
  }
}
