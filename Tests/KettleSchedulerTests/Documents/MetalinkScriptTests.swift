import KettleModel
import Testing

@testable import KettleScheduler

/// Which URLs a Metalink from a server may name, and what it says of the file.
struct MetalinkScriptTests {
  private static let digest = String(repeating: "a", count: 64)
  private let id = TransferID(rawValue: 1)
  private let linkType = ["Content-Type": "application/metalink4+xml"]

  private func metalink(_ urls: [String], _ inner: String = "", name: String = "a.iso") -> [UInt8] {
    Array(
      ("<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"\(name)\">\(inner)"
        + urls.map { "<url>\($0)</url>" }.joined() + "</file></metalink>").utf8)
  }

  /// Delivers a Metalink that the last attempt has requested.
  private func deliver(
    _ bytes: [UInt8], _ script: inout SchedulerScript, from reach: NetworkReach = .world
  ) throws {
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, from: reach)
    script.settled(attempt, .document(ArrivedDocument(bytes, as: .metalink)))
  }

  /// Answers the request for the file: it is another Metalink.
  private func answerMetalink(_ script: inout SchedulerScript) throws {
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, linkType)
    script.settled(attempt, .cancelled)
  }

  private func request(
    after urls: [String], from metalink: String = "http://files.example/a.meta4",
    digest: String? = nil, size: Int64? = nil, reach: NetworkReach = .world
  ) throws -> SchedulerScript {
    var script = SchedulerScript()
    script.add(spec(metalink))
    let hash = digest.map { "<hash type=\"sha-256\">\($0)</hash>" } ?? ""
    let size = size.map { "<size>\($0)</size>" } ?? ""
    try deliver(self.metalink(urls, hash + size), &script, from: reach)
    return script
  }

  @Test func `the best URL opens the file, and the others are copies`() throws {
    let script = try request(after: ["http://b.example/a.iso", "http://c.example/a.iso"])
    #expect(script.plan?.url.text == "http://b.example/a.iso")
    let record = try #require(script.record(id))
    #expect(record.spec.options.described?.copies.map(\.url.text) == ["http://c.example/a.iso"])
    #expect(record.spec.options.mirrors.isEmpty)
    #expect(record.spec.name == FileName(foreign: "a.iso"))
  }

  // Fault 151
  @Test func `a name in a Metalink is foreign, and the user's own stays`() throws {
    var script = SchedulerScript()
    script.add(spec("http://files.example/a.meta4"))
    try deliver(metalink(["http://b.example/a"], name: ".bash_aliases"), &script)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "1000"])
    guard case .create(let file)? = script.bodyPlan else {
      Issue.record("no file")
      return
    }
    #expect(file.preferredName == "_bash_aliases")
    var own = SchedulerScript()
    var wanted = spec("http://files.example/a.meta4")
    wanted.name = try FileName(typed: ".bash_aliases")
    own.add(wanted)
    try deliver(metalink(["http://b.example/a"], name: "x"), &own)
    #expect(own.record(id)?.spec.name?.text == ".bash_aliases")
  }

  // MARK: Addresses

  @Test(arguments: [
    "http://127.0.0.1/a", "http://localhost/a", "http://[::1]/a", "http://192.168.1.1/a",
    "ftp://b.example/a",
  ])
  func `no URL that only the user can reach, and none on a server of files`(url: String) throws {
    let refused = try request(after: [url])
    let record = try #require(refused.record(id))
    #expect(record.failure?.code == .metalinkUnusable)
    #expect(refused.state(id) == .failed)
    let other = try request(after: [url, "http://b.example/a"])
    #expect(other.plan?.url.text == "http://b.example/a")
    #expect(other.record(id)?.spec.options.otherSources == [])
  }

  // Fault 152
  @Test func `every address that a public Metalink leads to must be public`() throws {
    var script = try request(after: ["http://rebind.example/a", "http://other.example/a"])
    #expect(script.plan?.url.host == "rebind.example")
    #expect(script.plan?.minimumReach == .world)
    // The second one, after the first is gone.
    let attempt = try #require(script.attempt)
    script.head(attempt, 404)
    script.settled(attempt, .cancelled)
    #expect(script.plan?.url.host == "other.example")
    #expect(script.plan?.minimumReach == .world)
  }

  // Fault 152
  @Test func `the reach of a Metalink survives a restart, for its URL and the copies`() throws {
    let script = try request(after: ["http://b.example/a.meta4", "http://c.example/a"])
    var facts = TransferFacts(try #require(script.record(id)))
    facts.chooseOpener(at: script.now.monotonic)
    #expect(facts.firstRequest.purpose == .document(.metalink))
    #expect(facts.firstRequest.redirects.minimumReach == .world)
    #expect(facts.firstFileRequest.redirects.minimumReach == .world)
    #expect(facts.mirrors.sources.map(\.redirects.minimumReach) == [.world, .world])
    // Targets of redirects are forgotten between runs, the reach is not.
    facts.mirrors.beginRun(keepsBytes: false)
    #expect(facts.mirrors.sources.map(\.redirects.minimumReach) == [.world, .world])
  }

  // Fault 152
  @Test func `another link of the user may lead anywhere again`() throws {
    let script = try request(after: ["http://b.example/a", "http://c.example/a"])
    var facts = TransferFacts(try #require(script.record(id)))
    facts.replaceLink(with: ChainedURL(given: url("http://nas.local/a")), login: nil)
    facts.chooseOpener(at: script.now.monotonic)
    #expect(facts.firstFileRequest.redirects.minimumReach == .machine)
    #expect(facts.mirrors.sources.map(\.redirects.minimumReach) == [.machine, .world])
  }

  @Test func `a server in the user's network may name its neighbours`() throws {
    let script = try request(after: ["http://192.168.1.1/a"], reach: .network)
    #expect(script.plan?.url.text == "http://192.168.1.1/a")
    #expect(script.plan?.minimumReach == .network)
  }

  @Test func `over https it names http only with a digest`() throws {
    let secure = "https://files.example/a.meta4"
    let refused = try request(after: ["http://b.example/a"], from: secure)
    #expect(refused.state(id) == .failed)
    let verified = try request(after: ["http://b.example/a"], from: secure, digest: Self.digest)
    #expect(verified.plan?.url.text == "http://b.example/a")
  }

  // MARK: Chains

  // Fault 153
  @Test func `a Metalink that names itself fails`() throws {
    let own = "http://files.example/a.meta4"
    var script = try request(after: [own])
    try answerMetalink(&script)
    try deliver(metalink([own]), &script)
    #expect(script.state(id) == .failed)
    #expect(
      script.record(id)?.failure
        == TransferFailure(.metalinkUnusable, on: own, detail: "it leads back to itself"))
  }

  // Fault 153
  @Test func `a chain of ever new Metalinks ends`() throws {
    var script = try request(after: ["http://files.example/1"])
    var count = 1
    while script.state(id) == .running, count < 20 {
      try answerMetalink(&script)
      count += 1
      try deliver(metalink(["http://files.example/\(count)"]), &script)
    }
    #expect(count == DocumentChain.countMax + 1)
    #expect(script.state(id) == .failed)
    #expect(
      script.record(id)?.failure?.detail == "more than 5 documents lead from one to the next")
  }

  // Fault 153
  @Test func `a playlist that names itself as its variant fails`() throws {
    var script = SchedulerScript()
    script.add(spec("http://files.example/show.m3u8"))
    let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nshow.m3u8\n"
    for _ in 0..<2 {
      let attempt = try #require(script.attempt)
      script.head(attempt, 200)
      script.settled(attempt, .document(ArrivedDocument(Array(text.utf8), as: .playlist)))
    }
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.detail == "it leads back to itself")
  }

  // MARK: The size

  // Fault 154
  @Test func `a source of another size than the Metalink says is dropped`() throws {
    var script = try request(
      after: ["http://b.example/a", "http://c.example/a"], size: 1000)
    let short = try #require(script.attempt)
    script.head(short, 200, ["Content-Length": "900"])
    #expect(script.bodyPlan == nil)
    script.settled(short, .cancelled)
    #expect(script.plan?.url.host == "c.example")
    script.head(try #require(script.attempt), 200, ["Content-Length": "1000"])
    #expect(script.bodyPlan != nil)
  }

  // Fault 154
  @Test func `with sources of other sizes alone the transfer waits and says why`() throws {
    var script = try request(after: ["http://b.example/a"], size: 1000)
    let short = try #require(script.attempt)
    script.head(short, 200, ["Content-Length": "900"])
    script.settled(short, .cancelled)
    let record = try #require(script.record(id))
    #expect(record.state == .waiting)
    #expect(record.reason == .needsLink)
    #expect(
      record.failure?.sentence
        == "The link \"http://b.example/a\" leads to a different file "
        + "(900 bytes in place of 1000 bytes); replace it with kettle start ID --url URL")
  }

  // Fault 154
  @Test func `a body of undeclared length has the size that the Metalink says`() throws {
    var script = try request(
      after: ["http://b.example/a", "http://c.example/a"], size: 1000)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200)
    guard case .create(let file)? = script.bodyPlan else {
      Issue.record("no file")
      return
    }
    #expect(file.total == 1000)
    script.opened(attempt, partial(total: 1000, entityTag: nil))
    script.settled(attempt, .complete, durable: 900)
    #expect(script.plan?.url.host == "c.example")
    #expect(script.plan?.requested == nil)
  }

  // Fault 154
  @Test func `a body that is longer than the Metalink says leads to the next source`() throws {
    var script = try request(
      after: ["http://b.example/a", "http://c.example/a"], size: 1000)
    let attempt = try #require(script.attempt)
    script.head(attempt, 200)
    script.opened(attempt, partial(total: 1000, entityTag: nil))
    script.settled(
      attempt, .failed(TransferFailure(.tooLong, on: "http://b.example/a")), durable: 0)
    #expect(script.plan?.url.host == "c.example")
  }
}
