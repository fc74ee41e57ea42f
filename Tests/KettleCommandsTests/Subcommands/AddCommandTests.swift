import Foundation
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct AddCommandTests {
  private func specs(_ context: FakeContext) -> [TransferSpec] {
    context.service.asked.flatMap { asked in
      if case .add(let specs) = asked { specs } else { [TransferSpec]() }
    }
  }

  @Test func `ids are printed, one per line`() async {
    let context = FakeContext()
    let outcome = await context.run("add", "https://example.org/a", "https://example.org/b")
    #expect(outcome == .init(code: 0, output: "1\n2\n", error: ""))
    #expect(context.service.isClosed)
  }

  @Test func `with --json an array of id and url is printed, without a login`() async {
    let outcome = await FakeContext().run(
      "add", "--json", "https://anna:pw@example.org/a", "http://example.org:80/b?x=\"1\"")
    #expect(
      outcome
        == .init(
          code: 0,
          output: """
            [
            {"id": 1, "url": "https://example.org/a"},
            {"id": 2, "url": "http://example.org/b?x=%221%22"}
            ]

            """, error: ""))
  }

  @Test func `every option reaches the service`() async throws {
    let directory = try TemporaryDirectory()
    let certificate = try directory.file("ca.pem", "PEM")
    var context = FakeContext()
    context.directory = directory.path
    let hex = String(repeating: "ab", count: 32)
    let outcome = await context.run(
      "add", "https://example.org/a", "-t", "The title", "-d", ".", "-o", "name.iso",
      "--session", "mine", "--connections", "8", "--header", "X-One: 1", "--header", "X-Two:2",
      "--user", "anna:pass:word", "--checksum", "sha256:\(hex)", "--ca-certificate", "ca.pem",
      "--limit", "1.5M", "--not-before", "+90m", "--priority", "high", "--paused",
      "--on-conflict", "replace")
    #expect(outcome == .init(code: 0, output: "1\n", error: ""))
    let spec = try #require(specs(context).first)
    #expect(spec.url.text == "https://example.org/a")
    #expect(spec.title == "The title")
    #expect(spec.directory == directory.path)
    #expect(spec.name?.text == "name.iso")
    #expect(spec.session.rawValue == "mine")
    #expect(spec.connections == 8)
    #expect(spec.headers.map(\.name) == ["X-One", "X-Two"])
    #expect(spec.headers.map(\.value) == ["1", "2"])
    #expect(spec.login == Login(user: "anna", password: "pass:word"))
    #expect(spec.checksum?.text == "sha256:\(hex)")
    #expect(spec.caCertificatePath == certificate)
    #expect(spec.limitBytesPerSecond == 1_572_864)
    #expect(spec.notBefore?.iso8601 == "2026-11-21T13:30:00Z")
    #expect(spec.priority == .high)
    #expect(spec.beginning == .paused)
    #expect(spec.onConflict == .replace)
  }

  @Test func `without options the service uses its defaults`() async throws {
    let context = FakeContext()
    _ = await context.run("add", "https://example.org/a")
    let spec = try #require(specs(context).first)
    guard case .success(let parsed) = TransferURL.parse("https://example.org/a") else { return }
    var expected = TransferSpec(url: parsed.url)
    expected.options.proxy = .environment(ProxyEnvironment())
    #expect(spec == expected)
  }

  @Test func `a missing directory is made, and -o takes a path`() async throws {
    let directory = try TemporaryDirectory()
    var context = FakeContext()
    context.directory = directory.path
    _ = await context.run("add", "https://a.org/1", "-d", "new/./deep", "-o", "er/name")
    let spec = try #require(specs(context).first)
    #expect(spec.directory == directory.path + "/new/deep/er")
    #expect(spec.name?.text == "name")
    #expect(FileManager.default.fileExists(atPath: directory.path + "/new/deep/er"))
  }

  @Test func `a rejected command makes no directory`() async throws {
    let directory = try TemporaryDirectory()
    var context = FakeContext()
    context.directory = directory.path
    let outcome = await context.run("add", "https://a.org/1", "-d", "new", "--limit", "fast")
    #expect(outcome.code == 2)
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/new"))
  }

  @Test func `the options about the network are sent with the transfer`() async throws {
    let directory = try TemporaryDirectory()
    let cookies = try directory.file(
      "cookies.txt", ".a.org\tTRUE\t/\tFALSE\t0\tk\tv\nother.org\tFALSE\t/\tFALSE\t0\tn\to\n")
    var context = FakeContext()
    context.environment["https_proxy"] = "http://never:1"
    _ = await context.run(
      "add", "https://www.a.org/1", "--timeout", "90", "--connect-timeout", "7", "--tries", "0",
      "--retry-delay", "5", "--proxy", "none", "--load-cookies", cookies, "--no-netrc",
      "--remote-time")
    var expected = TransferOptions()
    expected.silenceSeconds = 90
    expected.connectSeconds = 7
    expected.attemptsMax = 0
    expected.retryDelaySeconds = 5
    expected.proxy = .direct
    expected.cookies = [
      Cookie(name: "k", value: "v", domain: "a.org", includesSubdomains: true)
    ]
    expected.usesNetrc = false
    expected.keepsServerTime = true
    #expect(try #require(specs(context).first).options == expected)
  }

  @Test func `standard values that are chosen are sent as chosen`() async throws {
    let context = FakeContext()
    _ = await context.run(
      "add", "https://www.a.org/1", "--priority", "normal", "--on-conflict", "rename",
      "--no-remote-time", "--no-decode")
    let spec = try #require(specs(context).first)
    #expect(spec.options.chosen == [.priority, .onConflict, .serverTime, .unpacking])
    let plain = FakeContext()
    _ = await plain.run("add", "https://www.a.org/1", "--priority", "low")
    #expect(try #require(specs(plain).first).options.chosen.isEmpty)
  }

  @Test func `the environment of the command decides about the proxy`() async throws {
    var context = FakeContext()
    context.environment["https_proxy"] = "http://p:1"
    _ = await context.run("add", "https://a.org/1")
    let choice = try #require(specs(context).first).options.proxy
    #expect(choice == .environment(ProxyEnvironment(["https_proxy": "http://p:1"])))
  }

  @Test(arguments: [
    (["--header", "range: bytes=0-9"], "use \"curl -r\""), (["--timeout", "0"], "--timeout 0"),
    (["--tries", "1000001"], "Cannot make 1000001 attempts"),
    (["--proxy", "h/x"], "is not the address of a"),
    (["--key", "/etc/passwd"], "give that with --cert"),
    (["--load-cookies", "/etc/passwd"], "has no cookies"),
    (["--load-cookies", "/no/such"], "cannot be read"),
  ])
  func `an option that cannot be used is refused`(option: [String], part: String) async {
    let context = FakeContext()
    let outcome = await context.run(["add", "https://a.org/1"] + option)
    #expect(outcome.code == 2)
    #expect(outcome.error.contains(part))
    #expect(context.service.asked.isEmpty)
  }

  @Test func `a list is read from a file and from standard input`() async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file("urls.txt", "# two\nhttps://example.org/a\n\nhttps://example.org/b\n")
    var context = FakeContext()
    context.directory = directory.path
    #expect(await context.run("add", "-i", "urls.txt").output == "1\n2\n")

    var piped = FakeContext()
    piped.console = FakeConsole(input: "https://example.org/c\n")
    let outcome = await piped.run("add", "https://example.org/first", "-i", "-")
    #expect(outcome.output == "1\n2\n")
    #expect(specs(piped).map(\.url.path) == ["/first", "/c"])
  }

  @Test func `all problems are reported at once, and nothing is queued`() async {
    var context = FakeContext()
    context.console = FakeConsole(input: "https://example.org/a\nnope\n")
    let outcome = await context.run(
      "add", "example.org/x", "-i", "-", "--limit", "fast", "--priority", "9",
      "--connections", "65", "--header", "no colon", "--user", ":x", "-o", "..")
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
    #expect(context.service.asked.isEmpty)
    #expect(
      outcome.error == """
        kettle: The URL "example.org/x" has no scheme; start it with https:// or http://
        kettle: Line 2 of standard input: The URL "nope" has no scheme; start it with https:// \
        or http://
        kettle: ".." is not a valid file name; use no "/" and no control characters, \
        at most 250 bytes, and choose the directory with -d
        kettle: Cannot use 65 connections for one file; give a number from 1 to 64
        kettle: Invalid rate "fast"; write 500K or 1.5M, which is per second
        kettle: Invalid priority "9"; write low, normal, high, or a number from 0 to 1
        kettle: Invalid header "no colon"; write it as "Name: value" without line \
        breaks
        kettle: The user name is empty; write --user NAME or --user NAME:PASSWORD

        """)
  }

  @Test(arguments: [
    ["-o", "name"], ["--checksum", "sha256:" + String(repeating: "0", count: 64)],
    ["--mirror", "https://b.org/1"],
  ])
  func `options for one file are rejected for several`(option: [String]) async {
    let context = FakeContext()
    let outcome = await context.run(["add", "https://a.org/1", "https://a.org/2"] + option)
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("2 URLs were given"))
    #expect(context.service.asked.isEmpty)
  }

  @Test(arguments: [
    "", ".", "..", "/..", "a\nb", "a\u{7F}", String(repeating: "x", count: 251),
  ])
  func `an invalid file name is rejected`(name: String) async {
    let outcome = await FakeContext().run("add", "https://a.org/1", "-o", name)
    #expect(outcome.code == 2)
    #expect(outcome.error.contains(" is not a valid file name; "))
  }

  @Test(arguments: ["gone/../x", "file", "locked"])
  func `an unusable directory is rejected`(name: String) async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file("file", "")
    try FileManager.default.createDirectory(
      atPath: directory.path + "/locked", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o500])
    var context = FakeContext()
    context.directory = directory.path
    let outcome = await context.run("add", "https://a.org/1", "-d", name)
    // Root may write anywhere, regardless of the mode.
    if name == "locked", geteuid() == 0 { return }
    let expected = [
      "gone/../x":
        "The directory \"gone/../x\" does not exist; create it, or choose another with -d",
      "file": "\"file\" is not a directory; choose one with -d, and name the file with -o",
      "locked": "The directory \"locked\" cannot be written to (Permission denied); "
        + "change its permissions, or choose another with -d",
    ]
    #expect(outcome.error == "kettle: \(expected[name] ?? "")\n")
    #expect(outcome.code == 2)
    #expect(context.service.asked.isEmpty)
  }

  @Test func `a missing or invalid certificate file is rejected`() async throws {
    let directory = try TemporaryDirectory()
    var context = FakeContext()
    context.directory = directory.path
    let outcome = await context.run("add", "https://a.org/1", "--ca-certificate", "ca.pem")
    #expect(
      outcome
        == .init(
          code: 2, output: "",
          error: "kettle: The certificate file \"ca.pem\" cannot be read "
            + "(No such file or directory); check its path and permissions\n"))
    #expect(await context.run("add", "https://a.org/1", "--ca-certificate", ".").code == 2)
  }

  @Test func `the password prompt comes last and does not echo`() async {
    let context = FakeContext()
    context.console.answer(.success("s3cret"))
    let outcome = await context.run("add", "https://example.org/a", "--user", "anna")
    #expect(outcome == .init(code: 0, output: "1\n", error: ""))
    #expect(context.console.questions == ["secret: Password for anna: "])
    #expect(specs(context).map(\.login) == [Login(user: "anna", password: "s3cret")])

    let wrong = FakeContext()
    wrong.console.answer(.success("s3cret"))
    #expect(await wrong.run("add", "nope", "--user", "anna").code == 2)
    #expect(wrong.console.questions.isEmpty)
  }

  @Test(arguments: [[], ["--depth", "1"]])
  func `the login in the URL of a collection is used, and is not its name`(
    options: [String]
  ) async throws {
    let context = FakeContext()
    let path = options.isEmpty ? "d/SHA256SUMS" : "d/"
    _ = await context.run(["add", "https://anna:pw@example.org/\(path)"] + options)
    let spec = try #require(specs(context).first)
    #expect(spec.login == Login(user: "anna", password: "pw"))
    let url = "https://example.org/\(path)"
    #expect(spec.url.text == url)
    #expect(spec.options.collection?.source.name == url)
  }

  @Test func `without a terminal a missing password is rejected`() async {
    let outcome = await FakeContext().run("add", "https://example.org/a", "--user", "anna")
    #expect(
      outcome
        == .init(
          code: 2, output: "",
          error: "kettle: Cannot ask for the password of \"anna\" without a terminal; write "
            + "--user NAME:PASSWORD\n"))
  }

  @Test func `Ctrl-C at the password prompt queues nothing`() async {
    let context = FakeContext()
    context.console.answer(.failure(.interrupted))
    let outcome = await context.run("add", "https://example.org/a", "--user", "anna")
    #expect(outcome == .init(code: 130, output: "", error: ""))
    #expect(context.service.asked.isEmpty)
  }

  @Test func `a login in a URL overrides --user for that URL`() async {
    let context = FakeContext()
    _ = await context.run(
      "add", "https://eve:e@example.org/a", "https://example.org/b", "--user", "anna:a")
    #expect(
      specs(context).map(\.login)
        == [Login(user: "eve", password: "e"), Login(user: "anna", password: "a")])
  }

  @Test func `nothing to add is an error`() async {
    let outcome = await FakeContext().run("add")
    #expect(outcome.code == 2)
    #expect(
      outcome.error == "kettle: No URL was given; write \"kettle add URL\", "
        + "or \"kettle add -i FILE\" for a list\n")
  }

  @Test func `a refusal exits with 2, an unreachable service with 3`() async {
    let refused = FakeContext()
    refused.service.fail(AddTransfers.name, with: ControlError(.refusedSpec, "headers"))
    let outcome = await refused.run("add", "https://example.org/a", "--json")
    #expect(outcome.code == 2)
    #expect(outcome.output == "[]\n")
    #expect(refused.service.isClosed)

    var away = FakeContext()
    away.connector = FakeConnector([.failure(.didNotStart(detail: "x", logPath: "/l"))])
    #expect(await away.run("add", "https://example.org/a").code == 3)
  }

  @Test func `a long list is sent in batches, and ids queued before a failure are printed`()
    async throws
  {
    var context = FakeContext()
    let urls = (1...2500).map { "https://example.org/\($0)" }
    context.console = FakeConsole(input: urls.joined(separator: "\n"))
    let outcome = await context.run("add", "-i", "-")
    #expect(outcome.output == (1...2500).map { "\($0)\n" }.joined())
    let counts = context.service.asked.map { asked in
      if case .add(let specs) = asked { specs.count } else { -1 }
    }
    #expect(counts == [1000, 1000, 500])
  }

  @Test func `a list with some logins keeps its order`() async {
    var context = FakeContext()
    context.console = FakeConsole(
      input: "https://example.org/1\nhttps://eve:e@example.org/2\nhttps://example.org/3\n")
    let outcome = await context.run("add", "-i", "-", "--user", "anna:a", "--json")
    #expect(outcome.code == 0)
    #expect(outcome.output.contains(#"{"id": 2, "url": "https://example.org/2"}"#))
    #expect(specs(context).map(\.url.path) == ["/1", "/2", "/3"])
    #expect(specs(context).map { $0.login?.user } == ["anna", "eve", "anna"])
  }

  @Test func `options apply to every line of a list`() async {
    var context = FakeContext()
    context.console = FakeConsole(input: "https://example.org/1\nhttps://example.org/2\n")
    _ = await context.run(
      "add", "-i", "-", "--user", "anna:a", "--limit", "1K", "--paused", "--header", "X-One: 1")
    #expect(specs(context).count == 2)
    for spec in specs(context) {
      #expect(spec.login == Login(user: "anna", password: "a"))
      #expect(spec.limitBytesPerSecond == 1024)
      #expect(spec.beginning == .paused)
      #expect(spec.headers.map(\.name) == ["X-One"])
    }
  }

  @Test(arguments: [
    (ConsoleError.readerGone, Int32(0)), (.cannotWrite(detail: "No space left on device"), 1),
  ])
  func `an output error does not affect what is queued`(
    failure: ConsoleError, code: Int32
  ) async {
    for json in [[], ["--json"]] {
      var context = FakeContext()
      let urls = (1...2500).map { "https://example.org/\($0)" }
      context.console = FakeConsole(input: urls.joined(separator: "\n"))
      context.console.fail(with: failure)
      #expect(await context.run(["add", "-i", "-"] + json).code == code)
      #expect(specs(context).count == 2500)
    }
  }

  @Test func `a batch is bounded in bytes too`() throws {
    let path = String(repeating: "x", count: 15_000)
    guard case .success(let parsed) = TransferURL.parse("https://example.org/" + path) else {
      throw ControlError(.invalidParams, "url")
    }
    let batches = TransferAdder.batches(Array(repeating: TransferSpec(url: parsed.url), count: 100))
    #expect(batches.map(\.count).reduce(0, +) == 100)
    #expect(batches.allSatisfy { $0.count <= 17 })
  }
}
