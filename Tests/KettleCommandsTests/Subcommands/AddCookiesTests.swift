import Foundation
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

  @Test func `a database that cannot be read is refused`() async throws {
    let directory = try TemporaryDirectory()
    let context = try browserContext(directory, .failure(.changing))
    let outcome = await context.run("add", "https://a.org/1", "--load-cookies", "cookies.sqlite")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("close the browser and try again"))
    #expect(context.service.asked.isEmpty)
  }
}
