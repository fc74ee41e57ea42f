import KettleModel
import Testing

@testable import KettleRPC

struct OptionTests {
  private func url(_ text: String) throws -> TransferURL {
    try TransferURL.parse(text).get().url
  }

  private func spec(
    _ options: [String: RPCValue], _ urls: String...
  ) throws -> TransferSpec {
    let urls = try (urls.isEmpty ? ["https://example.org/f"] : urls).map(url)
    var spec = TransferSpec(url: urls[0])
    try RPCChoices(options).apply(to: &spec, urls, login: nil)
    return spec
  }

  private func refusal(_ name: String, _ value: RPCValue) -> String? {
    do throws(RPCError) {
      _ = try RPCChoices([name: value])
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `options become the settings of a transfer`() throws {
    let spec = try spec([
      "header": ["X-One: 1", "Cookie: a=b"], "user-agent": "U", "referer": "*", "split": "5",
      "max-download-limit": "50K", "pause": "true", "http-user": "anna", "http-passwd": "p",
      "checksum": "sha-1=da39a3ee5e6b4b0d3255bfef95601890afd80709", "max-tries": .integer(0),
      "retry-wait": "7", "timeout": "90", "connect-timeout": "12", "no-netrc": .boolean(true),
      "remote-time": "true", "allow-overwrite": "true",
    ])
    #expect(
      spec.headers.map { "\($0.name): \($0.value)" } == [
        "X-One: 1", "Cookie: a=b", "User-Agent: U", "Referer: https://example.org/f",
      ])
    #expect(spec.connections == 5)
    #expect(spec.limitBytesPerSecond == 51_200)
    #expect(spec.beginning == .paused)
    #expect(spec.login == Login(user: "anna", password: "p"))
    #expect(spec.checksum?.algorithm == .sha1)
    #expect(spec.options.attemptsMax == 0)
    #expect(spec.options.retryDelaySeconds == 7)
    #expect(spec.options.silenceSeconds == 90)
    #expect(spec.options.connectSeconds == 12)
    #expect(spec.options.usesNetrc == false)
    #expect(spec.options.keepsServerTime)
    #expect(spec.onConflict == .replace)
    #expect(spec.options.rpc == RPCOptions())
  }

  @Test func `one text with several lines is several headers`() throws {
    let spec = try spec(["header": "A: 1\nB: 2\r\n\n"])
    #expect(spec.headers.map(\.name) == ["A", "B"])
  }

  @Test func `a header that is given goes before the option for it`() throws {
    let spec = try spec(["header": ["user-agent: mine"], "user-agent": "other"])
    #expect(spec.headers.map(\.value) == ["mine"])
  }

  @Test(
    arguments: [
      ("5", nil, 1, 5), (nil, "2", 1, 2), ("5", "1", 1, 1), ("5", "2", 2, 4), ("500", "16", 1, 16),
      ("500", nil, 1, 64), (nil, nil, 1, nil),
    ] as [(String?, String?, Int, Int?)])
  func `the number of connections is the smaller of two limits`(
    split: String?, perServer: String?, urlCount: Int, count: Int?
  ) throws {
    var options: [String: RPCValue] = [:]
    options["split"] = split.map(RPCValue.text)
    options["max-connection-per-server"] = perServer.map(RPCValue.text)
    var spec = TransferSpec(url: try url("https://a.example/f"))
    let urls = try (0..<urlCount).map { try url("https://\($0).example/f") }
    try RPCChoices(options).apply(to: &spec, urls, login: nil)
    #expect(spec.connections == count)
  }

  @Test func `other URLs are mirrors`() throws {
    let spec = try spec([:], "https://a.example/f", "https://b.example/f")
    #expect(spec.options.mirrors.map(\.text) == ["https://b.example/f"])
  }

  @Test func `what happens to an existing file`() throws {
    #expect(try spec([:]).onConflict == .rename)
    #expect(try spec(["auto-file-renaming": "false"]).onConflict == .skip)
    #expect(
      try spec(["auto-file-renaming": "false", "allow-overwrite": "true"]).onConflict == .replace)
  }

  @Test func `-c continues what another program has begun`() throws {
    #expect(try spec(["continue": "true"]).options.continues)
    #expect(try spec(["continue": "false"]).options.continues == false)
    #expect(try spec([:]).options.continues == false)
  }

  @Test func `options without a meaning are kept for the client`() throws {
    let spec = try spec([
      "bt-tracker": "x", "file-allocation": "prealloc", "whatever": .integer(3), "out": .null,
      "continue": "true",
    ])
    #expect(
      spec.options.rpc?.echoed == [
        "bt-tracker": "x", "file-allocation": "prealloc", "whatever": "3", "continue": "true",
      ])
  }

  @Test func `what is kept for the client is bounded`() throws {
    var options: [String: RPCValue] = ["long": .text(String(repeating: "x", count: 20_000))]
    for number in 0..<500 { options["o\(number)"] = "x" }
    let kept = try spec(options).options.rpc?.echoed ?? [:]
    #expect(kept.count == RPCOptions.echoedCountMax)
    #expect(kept["long"] == nil)
  }

  @Test(
    arguments: [
      ("split", "x"), ("split", "0"), ("split", "-1"), ("max-download-limit", "fast"),
      ("pause", "yes"), ("checksum", "crc32=00000000"), ("checksum", "sha-256=00"), ("gid", "xyz"),
      ("max-tries", "-1"), ("timeout", "0"), ("header", "no name"), ("header", "Range: bytes=0-1"),
      ("header", "A: b\u{1}"), ("dir", .object([:])),
      // Must not be passed over in silence.
      ("dry-run", "true"), ("parameterized-uri", "true"), ("select-file", "1"),
      ("load-cookies", "/etc/passwd"), ("certificate", "/c"), ("on-download-complete", "/bin/sh"),
      ("log", "/tmp/x"), ("save-cookies", "/tmp/x"),
    ] as [(String, RPCValue)])
  func `a value that cannot be used is refused with its name`(name: String, value: RPCValue) {
    let message = refusal(name, value)
    let named = name == "header" ? "header" : name == "gid" ? "GID" : "option \(name)"
    #expect(message?.contains(named) == true, "\(message ?? "accepted")")
  }

  @Test func `a harmless form of the same options is accepted`() {
    for (name, value) in [("dry-run", "false"), ("select-file", ""), ("load-cookies", "")] {
      #expect(refusal(name, .text(value)) == nil)
    }
  }

  // MARK: Proxies

  @Test func `proxies are used, or the download is refused`() throws {
    var environment = ProxyEnvironment()
    environment.http = "http://p:1"
    environment.https = "http://a%40b:x@q:2"
    environment.ftp = "http://p:1"
    environment.exceptions = "localhost"
    let chosen = try spec([
      "all-proxy": "http://p:1", "https-proxy": "http://q:2", "https-proxy-user": "a@b",
      "https-proxy-passwd": "x", "no-proxy": "localhost",
    ])
    #expect(chosen.options.proxy == .environment(environment))
    #expect(try spec(["all-proxy": ""]).options.proxy == .direct)
    #expect(try spec(["no-proxy": "a"]).options.proxy == nil)
    #expect(try spec([:]).options.proxy == nil)
    #expect(throws: RPCError.self) { try spec(["http-proxy": "gopher://x"]) }
  }

  // MARK: Answers

  @Test func `an answer can be sent again`() throws {
    let options: [String: RPCValue] = [
      "header": ["Cookie: a=b", "X: y"], "user-agent": "U", "max-download-limit": "51200",
      "checksum": "md5=d41d8cd98f00b204e9800998ecf8427e", "http-user": "u", "http-passwd": "p",
      "all-proxy": "http://p:1", "bt-tracker": "t", "timeout": "90", "split": "7",
      "max-connection-per-server": "7", "allow-overwrite": "true",
    ]
    var first = try spec(options)
    first.name = FileName(foreign: "n")
    let answer =
      OptionAnswer.options(
        of: first, gid: GID(rawValue: 1), directory: "/d"
      ).object ?? [:]
    #expect(answer["header"] == "Cookie: a=b\nX: y")
    #expect(answer["out"] == "n")
    #expect(answer["dir"] == "/d")
    #expect(answer["max-download-limit"] == "51200")
    #expect(answer.values.allSatisfy { $0.text != nil })
    #expect(answer["gid"] == nil)
    var second = try spec(answer.filter { $0.key != "dir" && $0.key != "out" })
    second.name = FileName(foreign: "n")
    second.options.rpc = nil
    first.options.rpc = nil
    #expect(second == first)
  }

  @Test func `the login of a transfer that others added stays secret`() throws {
    var other = try spec([
      "header": ["Authorization: Basic eHg6eXk=", "Cookie: a=secret", "X-Token: secret"],
      "user-agent": "U", "http-user": "me", "http-passwd": "secret",
      "all-proxy": "http://me:secret@p:1",
    ])
    other.options.rpc = nil
    let answer = OptionAnswer.options(of: other, gid: GID(rawValue: 1), directory: "/d")
    let texts = (answer.object ?? [:]).values.compactMap(\.text)
    #expect(!texts.contains { $0.contains("secret") || $0.contains("Basic") || $0 == "me" })
    #expect(answer.object?["user-agent"] == "U")
    #expect(answer.object?["http-proxy"] == "http://p:1")
  }

  @Test(arguments: [
    "Transfer-Encoding: chunked", "content-length: 5", "Connection: close", "TE: trailers",
    "Host: other.example", "Upgrade: h2c", "Range: bytes=0-", "Expect: 100-continue",
  ])
  func `a header that frames the request is refused`(line: String) {
    #expect(throws: RPCError.self) { try spec(["header": [.text(line)]]) }
  }

  @Test func `the global options have what front ends compute with`() {
    let globals = OptionAnswer.Globals(
      directory: "/d", runningMax: 20, connectionsPerHostMax: 24, limitBytesPerSecond: 1000,
      choices: ["split": "3"])
    let answer = OptionAnswer.options(of: globals).object ?? [:]
    for name in [
      "dir", "max-concurrent-downloads", "max-overall-download-limit", "max-overall-upload-limit",
      "max-download-limit", "split", "max-connection-per-server", "min-split-size", "disk-cache",
      "user-agent", "max-tries", "retry-wait", "continue", "allow-overwrite", "file-allocation",
    ] {
      #expect(answer[name]?.text != nil, "\(name)")
    }
    #expect(answer["split"] == "3")
    #expect(answer["max-overall-download-limit"] == "1000")
    #expect(answer["rpc-secret"] == nil)
  }
}

struct PlaceTests {
  private func place(
    _ directory: String?, _ output: String?, roots: [String] = ["/home/me/Downloads", "/data"]
  ) throws(RPCError) -> RPCPlace {
    try RPCPlace(
      directory: directory, output: output, base: "/home/me/Downloads", home: "/home/me",
      roots: roots)
  }

  @Test func `a file goes below an allowed directory`() throws {
    #expect(try place(nil, nil).directory == "/home/me/Downloads")
    #expect(try place(nil, "a.bin").name?.text == "a.bin")
    let deeper = try place("/data/x/", "y/./z.bin")
    #expect((deeper.directory, deeper.name?.text) == ("/data/x/y", "z.bin"))
    #expect(try place("~/Downloads/new", nil).directory == "/home/me/Downloads/new")
    #expect(try place("/anywhere", nil, roots: ["/"]).directory == "/anywhere")
  }

  @Test(
    arguments: [
      ("/etc", nil), ("/home/me", nil), ("/database", nil), ("relative", nil),
      ("/data/../etc", nil), ("/data", "../x"), ("/data", "/x"), ("/data", "x/"), ("/data", "."),
      ("/data", ".."), ("", nil),
    ] as [(String?, String?)])
  func `anything else is refused`(directory: String?, output: String?) {
    #expect(throws: RPCError.self) { try place(directory, output) }
  }

  // Fault 151
  @Test(arguments: [
    (".bash_aliases", "_bash_aliases"), ("x/-rf", "_rf"), ("a\u{202E}gpj.exe", "a_gpj.exe"),
    ("~x", "_x"), ("con", "_con"), ("a\u{1}", "a_"),
  ])
  func `a name that a page may have chosen is harmless`(output: String, name: String) throws {
    #expect(try place(nil, output).name == FileName(foreign: name))
    #expect(try place(nil, output).name?.text == name)
  }
}
