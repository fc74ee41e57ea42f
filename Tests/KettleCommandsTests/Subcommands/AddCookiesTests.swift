import Foundation
import Glibc
import KettleModel
import Testing

@testable import KettleCommands

/// `--load-cookies` with the database of a browser.
@Suite(.timeLimit(.minutes(5)))
struct AddCookiesTests {
  private func specs(_ context: FakeContext) -> [TransferSpec] {
    context.service.asked.flatMap { asked in
      if case .add(let specs) = asked { specs } else { [TransferSpec]() }
    }
  }

  /// Writes what is recognized as a database, for a context whose reader gives these cookies.
  private func browserContext(
    _ directory: TemporaryDirectory, _ answer: Result<BrowserCookies, BrowserCookieProblem>
  ) throws -> FakeContext {
    _ = try directory.file("cookies.sqlite", "SQLite format 3\u{0}")
    var context = FakeContext()
    context.directory = directory.path
    context.environment["TMPDIR"] = "/some/where"
    context.browserCookies = FakeBrowserCookies(answer)
    return context
  }

  @Test
  func `a browser's cookies go to their hosts, and the encrypted ones of others do not matter`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let site = Cookie(name: "k", value: "v", domain: "a.org", includesSubdomains: true)
    let others = (0..<300).map { Cookie(name: "n\($0)", value: "v", domain: "b.org") }
    let context = try browserContext(
      directory,
      .success(
        BrowserCookies(
          cookies: others + [site],
          encrypted: [Cookie(name: "e", value: "", domain: "c.org", includesSubdomains: true)])))
    let outcome = await context.run(
      "add", "https://www.a.org/1", "--load-cookies", "cookies.sqlite")
    #expect(outcome.code == 0)
    #expect(try #require(specs(context).first).options.cookies == [site])
    #expect(
      context.browserCookies.requests == [
        BrowserCookieRequest(
          path: directory.path + "/cookies.sqlite", temporaryDirectory: "/some/where",
          now: context.clock.now().wall)
      ])
  }

  @Test func `encrypted cookies of a host in the list are refused before anything happens`()
    async throws
  {
    let directory = try TemporaryDirectory()
    _ = try directory.file("urls.txt", "https://b.org/1\nhttps://www.c.org/2\n")
    let encrypted = ["d", "e"].map {
      Cookie(name: $0, value: "", domain: "c.org", includesSubdomains: true)
    }
    let context = try browserContext(directory, .success(BrowserCookies(encrypted: encrypted)))
    let outcome = await context.run(
      "add", "https://a.org/1", "-i", "urls.txt", "-d", "new", "--load-cookies", "cookies.sqlite")
    #expect(outcome.code == 2)
    #expect(
      outcome.error.hasPrefix("kettle: 2 cookies for \"www.c.org\" in \"cookies.sqlite\" are"))
    #expect(context.service.asked.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/new"))
    let got = await context.run(
      "get", "https://c.org/1", "--load-cookies", "cookies.sqlite")
    #expect(got.code == 2)
    #expect(got.error.contains("2 cookies for \"c.org\""))
  }

  // Fault 147
  @Test func `lines that are no cookies are named, and the others are used`() async throws {
    let directory = try TemporaryDirectory()
    let lines = [
      "# Netscape HTTP Cookie File", "a.org\tFALSE\t/\tFALSE\t9999999999.5\tk\tv", "a.org k v",
    ]
    _ = try directory.file("cookies.txt", lines.joined(separator: "\r\n"))
    var context = FakeContext()
    context.directory = directory.path
    let outcome = await context.run("add", "https://a.org/1", "--load-cookies", "cookies.txt")
    #expect(outcome.code == 0)
    #expect(
      outcome.error.contains(
        "kettle: Line 3 of \"cookies.txt\" is no cookie and not used; "
          + "a cookie has seven fields with tabs in between"))
    #expect(
      specs(context).first?.options.cookies == [Cookie(name: "k", value: "v", domain: "a.org")])
    #expect(
      Sentences.cookieLines(Array(1...12), of: "c")
        == "Lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more of \"c\" are no cookies and not used; "
        + "a cookie has seven fields with tabs in between")
  }

  // Fault 149
  @Test(arguments: [
    ("/dev/zero", "it is a device"), (".", "it is a directory"),
    ("large", "it is larger than 16 MiB"), ("pipe", "nothing writes to this FIFO"),
  ])
  func `what has no end is not read for cookies`(path: String, reason: String) async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file("large", "")
    #expect(truncate(directory.path + "/large", off_t(CookieFile.byteCountMax) + 1) == 0)
    #expect(mkfifo(directory.path + "/pipe", 0o600) == 0)
    var context = FakeContext()
    context.directory = directory.path
    let outcome = await context.run("add", "https://a.org/1", "--load-cookies", path)
    #expect(outcome.code == 2)
    #expect(
      outcome.error.contains(
        "The cookies \"\(path)\" cannot be read (\(reason)); check the path and permissions"))
    #expect(context.service.asked.isEmpty)
  }

  @Test func `a database that cannot be read is refused`() async throws {
    let directory = try TemporaryDirectory()
    let context = try browserContext(directory, .failure(.changing))
    let outcome = await context.run("add", "https://a.org/1", "--load-cookies", "cookies.sqlite")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("close the browser and try again"))
    #expect(context.service.asked.isEmpty)
  }
}
