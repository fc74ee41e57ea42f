import KettleModel
import Testing

@testable import KettleScheduler

/// Which URLs a Metalink from a server may name.
struct MetalinkScriptTests {
  private static let digest = String(repeating: "a", count: 64)

  private func request(
    after urls: [String], from metalink: String = "http://files.example/a.meta4",
    digest: String? = nil, reach: NetworkReach = .world
  ) throws -> SchedulerScript {
    var script = SchedulerScript()
    script.add(spec(metalink))
    let hash = digest.map { "<hash type=\"sha-256\">\($0)</hash>" } ?? ""
    let text =
      "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"a.iso\">\(hash)"
      + urls.map { "<url>\($0)</url>" }.joined() + "</file></metalink>"
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, from: reach)
    script.settled(attempt, .document(Array(text.utf8)))
    return script
  }

  @Test func `the best URL opens the file, and the others are mirrors`() throws {
    let script = try request(after: ["http://b.example/a.iso", "http://c.example/a.iso"])
    #expect(script.plan?.url.text == "http://b.example/a.iso")
    let record = try #require(script.record(TransferID(rawValue: 1)))
    #expect(record.spec.options.mirrors.map(\.text) == ["http://c.example/a.iso"])
    #expect(record.spec.name == "a.iso")
  }

  @Test(arguments: [
    "http://127.0.0.1/a", "http://localhost/a", "http://[::1]/a", "http://192.168.1.1/a",
    "ftp://b.example/a",
  ])
  func `no URL that only the user can reach, and none on a server of files`(url: String) throws {
    let refused = try request(after: [url])
    let record = try #require(refused.record(TransferID(rawValue: 1)))
    #expect(record.failure?.code == .metalinkUnusable)
    #expect(refused.state(TransferID(rawValue: 1)) == .failed)
    let other = try request(after: [url, "http://b.example/a"])
    #expect(other.plan?.url.text == "http://b.example/a")
    #expect(other.record(TransferID(rawValue: 1))?.spec.options.mirrors == [])
  }

  @Test func `a server in the user's network may name its neighbours`() throws {
    let script = try request(after: ["http://192.168.1.1/a"], reach: .network)
    #expect(script.plan?.url.text == "http://192.168.1.1/a")
  }

  @Test func `over https it names http only with a digest`() throws {
    let secure = "https://files.example/a.meta4"
    let refused = try request(after: ["http://b.example/a"], from: secure)
    #expect(refused.state(TransferID(rawValue: 1)) == .failed)
    let verified = try request(after: ["http://b.example/a"], from: secure, digest: Self.digest)
    #expect(verified.plan?.url.text == "http://b.example/a")
  }
}
