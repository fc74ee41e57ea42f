import Foundation
import KettleModel
import Testing
import TestSupport

/// Fresh links, limits and the configuration file, through the real program.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealControlsTests {
  private let home: KettleHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try KettleHome()
    // A small buffer, so that nearly all sent bytes were read.
    origin = try ScriptedOrigin(sendBufferByteCount: 64 << 10)
  }

  private func configure(_ text: String) throws {
    let directory = home.path + "/.config/kettle"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: directory + "/config.toml"))
  }

  @Test func `start --url resumes from the received bytes`() async throws {
    let body = SeededBody(seed: 21, byteCount: 6_000_000)
    origin.serve(OriginBehavior(body).stuck(after: 2_000_000), at: "/old.bin")
    let url = try origin.url("/old.bin").text
    let id = try await home.kettle("add", "--connections", "1", url).output.trimmed
    try await origin.waitForBytesSent(2_000_000, at: "/old.bin")
    #expect(try await home.kettle("pause", id).code == 0)
    origin.serve(.status(403, headers: [], text: "expired"), at: "/old.bin")
    origin.serve(OriginBehavior(body), at: "/new.bin")
    let link = try origin.url("/new.bin").text
    let outcome = try await home.kettle("start", id, "--url", link)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
    // It keeps its name and the bytes from the old link.
    #expect(body.difference(fromFileAt: home.downloads + "/old.bin") == nil)
    let request = try #require(origin.requests(at: "/new.bin").first)
    #expect(request.value(of: "Range")?.hasPrefix("bytes=") == true)
    // A completed transfer takes no link, and neither does one that does not exist.
    #expect(try await home.kettle("start", id, "--url", link).code == 1)
    #expect(try await home.kettle("start", "999", "--url", link).code == 2)
  }

  @Test func `a global limit applies at once and can be removed`() async throws {
    let body = SeededBody(seed: 22, byteCount: 4_000_000)
    origin.serve(OriginBehavior(body), at: "/a.bin")
    #expect(try await home.kettle("limit", "1M").code == 0)
    let url = try origin.url("/a.bin").text
    let start = ContinuousClock.now
    let id = try await home.kettle("add", url).output.trimmed
    try await origin.waitForBytesSent(200_000, at: "/a.bin")
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
    #expect(ContinuousClock.now - start > .seconds(2))
    #expect(try await home.kettle("limit", "none").code == 0)
    #expect(try await home.kettle("get", url, "-o", "b.bin").code == 0)
    #expect(body.difference(fromFileAt: home.downloads + "/b.bin") == nil)
  }

  @Test func `the limit of one transfer can be removed while it runs`() async throws {
    let body = SeededBody(seed: 23, byteCount: 8_000_000)
    origin.serve(OriginBehavior(body), at: "/c.bin")
    let added = try await home.kettle("add", "--limit", "100K", origin.url("/c.bin").text)
    let id = added.output.trimmed
    try await origin.waitForBytesSent(50_000, at: "/c.bin")
    #expect(try await home.state(of: id) == "running")
    let outcome = try await home.kettle("limit", "none", id)
    #expect(outcome.output == "\(id): no limit of its own\n", "\(outcome.errors)")
    // With the limit it would take 80 seconds.
    #expect(try await home.kettle("wait", id, "--timeout", "40").code == 0)
    #expect(body.difference(fromFileAt: home.downloads + "/c.bin") == nil)
  }

  @Test func `the configuration file applies, and its errors become notices with line numbers`()
    async throws
  {
    try configure("[downloads]\ndirectory = \"~/in\"\n[limits]\ntransfer = 3\n")
    try FileManager.default.createDirectory(
      atPath: home.path + "/in", withIntermediateDirectories: false)
    let body = SeededBody(seed: 24, byteCount: 1000)
    origin.serve(OriginBehavior(body), at: "/d.bin")
    let outcome = try await home.kettle("get", origin.url("/d.bin").text)
    #expect(outcome.code == 0)
    #expect(outcome.errors.isEmpty)
    #expect(body.difference(fromFileAt: home.path + "/in/d.bin") == nil)
    let status = try await home.kettle("daemon", "status").output
    #expect(
      status.contains(
        "Notice: The key \"limits.transfer\" in line 4 of "
          + "\"\(home.path)/.config/kettle/config.toml\" is unknown "
          + "(did you mean \"limits.transfers\"?); "))
  }

  // Fault 187
  @Test func `with an unreadable configuration file nothing is sent until it can be read`()
    async throws
  {
    try configure("[limits\n")
    origin.serve(OriginBehavior(SeededBody(seed: 26, byteCount: 1000)), at: "/h.bin")
    let id = try await home.kettle("add", origin.url("/h.bin").text).output.trimmed
    let status = try await home.kettle("daemon", "status")
    #expect(status.code == 0)
    #expect(status.output.contains("so nothing is sent that it may forbid"))
    #expect(try await home.kettle("why", id).output.contains("the configuration file"))
    #expect(origin.requests(at: "/h.bin").isEmpty)
    #expect(try await home.kettle("config", "reload").code == 2)
    #expect(origin.requests(at: "/h.bin").isEmpty)
    try configure("[limits]\ntransfers = 2\n")
    #expect(try await home.kettle("config", "reload").code == 0)
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
  }

  // Fault 187
  @Test func `a service with an unreadable configuration file goes on without it if told`()
    async throws
  {
    try configure("[limits\n")
    origin.serve(OriginBehavior(SeededBody(seed: 27, byteCount: 1000)), at: "/i.bin")
    let id = try await home.kettle("add", origin.url("/i.bin").text).output.trimmed
    #expect(try await home.kettle("config", "reload", "--without-file").code == 0)
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
  }

  // Fault 187
  @Test func `a reload of a broken file keeps the settings in use`() async throws {
    try configure("[limits]\nrate = \"3M\"\n")
    #expect(try await home.rows().isEmpty)
    for text in ["[limits\n", "[limits]\nrate = \"fast\"\n"] {
      try configure(text)
      let reload = try await home.kettle("config", "reload")
      #expect(reload.code == 2)
      #expect(reload.errors.lowercased().contains("the settings in use stay"), "\(reload.errors)")
      let status = try await home.kettle("daemon", "status").output
      #expect(status.contains("Limit: 3 MiB/s in total"), "\(status)")
    }
  }

  // Fault 189
  @Test func `another service can start as soon as one was stopped`() async throws {
    for _ in 0..<3 {
      #expect(try await home.kettle("daemon", "start").code == 0)
      #expect(try await home.kettle("daemon", "stop").code == 0)
      let held = try FileManager.default.contentsOfDirectory(atPath: "/proc").contains { entry in
        let words = try? String(contentsOfFile: "/proc/\(entry)/environ", encoding: .utf8)
        return words?.contains("HOME=\(home.path)\0") == true
      }
      #expect(!held)
    }
  }
}
