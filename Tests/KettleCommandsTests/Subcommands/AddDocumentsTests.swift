import KettleModel
import Testing

@testable import KettleCommands

/// Options for lists of checksums, Metalinks and playlists.
@Suite(.timeLimit(.minutes(5)))
struct AddDocumentsTests {
  private func options(_ words: String...) async throws -> TransferOptions {
    let context = FakeContext()
    let outcome = await context.run(["add", "https://a.example/f"] + words)
    #expect(outcome.code == 0, "\(outcome.error)")
    let specs = context.service.asked.flatMap { asked in
      if case .add(let specs) = asked { specs } else { [TransferSpec]() }
    }
    return try #require(specs.first).options
  }

  private func error(_ words: String...) async -> String {
    let context = FakeContext()
    let outcome = await context.run(["add"] + words)
    #expect(outcome.code == 2)
    #expect(context.service.asked.isEmpty)
    return outcome.error
  }

  @Test func `--checksum-url names a list`() async throws {
    let chosen = try await options("--checksum-url", "https://a.example/SHA256SUMS")
    #expect(chosen.checksumURL?.text == "https://a.example/SHA256SUMS")
  }

  @Test func `a list and a digest exclude each other, and an invalid list is refused`() async {
    let digest = "md5:" + String(repeating: "a", count: 32)
    let both = await error(
      "https://a.example/f", "--checksum", digest, "--checksum-url", "https://a.example/l")
    #expect(both.contains("exclude each other"))
    let invalid = await error("https://a.example/f", "--checksum-url", "SHA256SUMS")
    #expect(invalid.contains("has no scheme"))
  }

  @Test(arguments: [("720p", "720p"), ("2500k", "2500000"), ("smallest", "smallest")])
  func `--variant bounds a playlist`(text: String, stored: String) async throws {
    #expect(try await options("--variant", text).variant?.rawValue == stored)
  }

  @Test func `--as-is keeps what describes a file`() async throws {
    #expect(try await options("--as-is").isAsIs)
    #expect(try await options().isAsIs == false)
  }

  @Test func `--continue takes over what another program has begun`() async throws {
    #expect(try await options("--continue").continues)
    #expect(try await options("-c").continues)
    #expect(try await options().continues == false)
    let outcome = await FakeContext().run("get", "https://a.example/f", "-o", "-", "-c")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("has no file that --continue could continue"))
  }

  // Fault 193
  @Test func `a file that is continued without -d may be in the current directory`() async throws {
    let directory = try TemporaryDirectory()
    for name in ["begun", "named", "-rf"] { _ = try directory.file(name, "a") }
    func chosen(_ words: String...) async throws -> String? {
      var context = FakeContext()
      context.directory = directory.path
      let outcome = await context.run(["add"] + words)
      #expect(outcome.code == 0, "\(outcome.error)")
      let specs = context.service.asked.flatMap { asked in
        if case .add(let specs) = asked { specs } else { [TransferSpec]() }
      }
      return try #require(specs.first).directory
    }
    let here = directory.path
    #expect(try await chosen("https://a.example/x/beg%75n?token=1", "-c") == here)
    #expect(try await chosen("https://a.example/x", "-c", "-o", "named") == here)
    #expect(try await chosen("https://a.example/begun") == nil)
    #expect(try await chosen("https://a.example/other", "-c") == nil)
    #expect(try await chosen("https://a.example/-rf", "-c") == nil)
    #expect(try await chosen("https://a.example/", "-c") == nil)
    #expect(try await chosen("https://a.example/begun", "-c", "-d", "/tmp") == "/tmp")
  }

  @Test func `--decode unpacks what arrives compressed`() async throws {
    #expect(try await options("--decode").unpacks)
    #expect(try await options().unpacks == false)
    let outcome = await FakeContext().run(
      "get", "https://a.example/f", "-o", "-", "--stream", "--decode")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("give one of them"))
  }

  @Test func `get reads a Metalink file too`() async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file(
      "a.meta4",
      """
      <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a.iso">
      <url>http://m.example/a</url></file></metalink>
      """)
    var context = FakeContext()
    context.directory = directory.path
    let outcome = await context.run("get", "a.meta4", "--paused")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("would not start it"))
    #expect(!outcome.error.contains("a.meta4"))
  }

  private func torrent(_ seeds: String) -> String {
    "d4:infod5:filesld6:lengthi4e4:pathl1:d5:a.isoeed6:lengthi3e4:pathl6:.bruceeee4:name1:n"
      + "12:piece lengthi4e6:pieces40:\(String(repeating: "x", count: 40))e\(seeds)e"
  }

  @Test func `each file of a torrent becomes a transfer from its web seeds`() async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file(
      "a.torrent", torrent("8:url-listl19:http://m.example/x/18:http://o.example/ye"))
    var context = FakeContext()
    context.directory = directory.path
    let outcome = await context.run("add", "a.torrent")
    #expect(outcome.code == 0, "\(outcome.error)")
    let specs = context.service.asked.flatMap { asked in
      if case .add(let specs) = asked { specs } else { [TransferSpec]() }
    }
    #expect(
      specs.map(\.url.text) == ["http://m.example/x/n/d/a.iso", "http://m.example/x/n/.bruce"])
    #expect(specs.map(\.name?.text) == ["a.iso", "_bruce"])
    let described = try #require(specs.first?.options.described)
    #expect(described.copies.map(\.url.text) == ["http://o.example/y/n/d/a.iso"])
    #expect(described.byteCount == 4)
    #expect(described.pieces?.given?.count == 1)
  }

  @Test func `a torrent without a web seed is refused`() async throws {
    let directory = try TemporaryDirectory()
    _ = try directory.file("a.torrent", torrent(""))
    var context = FakeContext()
    context.directory = directory.path
    let outcome = await context.run("add", "a.torrent")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("names no web server, and Kettle has no peers"))
    #expect(context.service.asked.isEmpty)
  }
}
