import Foundation
import KettleModel
import TestSupport
import Testing

/// The real program and the real service with a scripted origin.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealServiceTests {
  private let home: KettleHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try KettleHome()
    // A small buffer, so that nearly all sent bytes were read.
    origin = try ScriptedOrigin(sendBufferByteCount: RefetchLedger.sendBufferByteCount)
  }

  @Test func `get downloads the file and writes no escape byte to a pipe`() async throws {
    let body = SeededBody(seed: 1, byteCount: 3_000_000)
    origin.serve(OriginBehavior(body), at: "/a.bin")
    let outcome = try await home.kettle("get", origin.url("/a.bin").text)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(!(outcome.output + outcome.errors).utf8.contains(0x1B))
    #expect(body.difference(fromFileAt: home.downloads + "/a.bin") == nil)
  }

  @Test func `start after pause resumes from the received bytes`() async throws {
    let body = SeededBody(seed: 2, byteCount: 6_000_000)
    origin.serve(OriginBehavior(body).stuck(after: 2_000_000), at: "/b.bin")
    let url = try origin.url("/b.bin").text
    let id = try await home.kettle("add", "--connections", "1", url).output.trimmed
    try await origin.waitForBytesSent(2_000_000, at: "/b.bin")
    #expect(try await home.kettle("pause", id).code == 0)
    #expect(try await home.state(of: id) == "paused")
    #expect(FileManager.default.fileExists(atPath: home.downloads + "/b.bin.part"))
    origin.serve(OriginBehavior(body), at: "/b.bin")
    #expect(try await home.kettle("start", id).code == 0)
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
    #expect(body.difference(fromFileAt: home.downloads + "/b.bin") == nil)
    let resumed = try #require(origin.requests(at: "/b.bin").last)
    #expect(resumed.value(of: "Range")?.hasPrefix("bytes=") == true)
    #expect(resumed.value(of: "If-Range") != nil)
  }

  @Test func `kill -9 of the service costs at most the last second and no file`() async throws {
    let body = SeededBody(seed: 3, byteCount: 160_000_000)
    // A service without checkpoints would lose the five seconds of a share. Each response stalls
    // after its share, so a busy machine cannot miss the moment of a kill.
    let steady = OriginBehavior(body).with { $0.bytesPerSecond = 12_000_000 }
    let shares = Array(repeating: steady.stuck(after: 60_000_000), count: 2)
    // On a busy machine the service may ask again before the last kill, which must still hit it.
    let rest = OriginBehavior(body).with { $0.headWaitsFor = "killed twice" }
    origin.serve(shares + [rest], at: "/c.bin")
    var ledger = RefetchLedger()
    let url = try origin.url("/c.bin").text
    let id = try await home.kettle("add", "--connections", "1", url).output.trimmed
    for round in Int64(1)...2 {
      let service = try await home.servicePID()
      for step in 1...6 {
        try await origin.waitForBytesSent(
          (round - 1) * 60_000_000 + Int64(step) * 10_000_000, at: "/c.bin")
        ledger.observe(origin)
      }
      ledger.strike(origin)
      kill(service, SIGKILL)
      // Any client starts it again, and the transfer resumes by itself.
      #expect(try await home.rows().count == 1)
    }
    origin.release("killed twice")
    #expect(try await home.kettle("wait", id, "--timeout", "90").code == 0)
    #expect(body.difference(fromFileAt: home.downloads + "/c.bin") == nil)
    let bill = ledger.bill("/c.bin", origin.requests)
    #expect(bill.kills == 2, "\(bill.history)")
    #expect(bill.isKept, "\(bill.history)")
  }

  // Fault 97
  @Test func `two hundred concurrent adds start one service and lose no transfer`() async throws {
    origin.serve(OriginBehavior(SeededBody(seed: 4, byteCount: 1000)), at: "/d.bin")
    let url = try origin.url("/d.bin").text
    let home = home
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<200 {
        group.addTask {
          let outcome = try await home.kettle("add", "--paused", url)
          return outcome.code == 0 ? outcome.output.trimmed : "\(outcome.code) \(outcome.errors)"
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(ids).count == 200, "\(ids.filter { Int($0) == nil }.prefix(3))")
    #expect(try await home.rows().count == 200)
  }

  @Test func `undo of a stop continues from where it was`() async throws {
    let body = SeededBody(seed: 5, byteCount: 9_000_000)
    origin.serve(OriginBehavior(body).stuck(after: 1_000_000), at: "/e.bin")
    let url = try origin.url("/e.bin").text
    let id = try await home.kettle("add", "--connections", "1", url).output.trimmed
    try await origin.waitForBytesSent(1_000_000, at: "/e.bin")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.downloads) == ["e.bin.part"])
    #expect(try await home.kettle("stop", id).code == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: home.downloads)
    #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix(".kettle-bin-") }, "\(names)")
    #expect(try await home.state(of: id) == "idle")
    origin.serve(OriginBehavior(body), at: "/e.bin")
    #expect(try await home.kettle("undo").code == 0)
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
    #expect(body.difference(fromFileAt: home.downloads + "/e.bin") == nil)
    #expect(origin.requests(at: "/e.bin").last?.value(of: "Range") != nil)
    #expect(try await home.kettle("undo").code == 2)
  }

  @Test func `a truncated body is completed by a second request`() async throws {
    let body = SeededBody(seed: 6, byteCount: 500_000)
    let cut = OriginBehavior(body).with { $0.ending = .cut(after: 200_000, .fin) }
    origin.serve([cut, OriginBehavior(body)], at: "/f.bin")
    let outcome = try await home.kettle("get", origin.url("/f.bin").text)
    #expect(outcome.code == 0)
    #expect(body.difference(fromFileAt: home.downloads + "/f.bin") == nil)
    #expect(origin.requests(at: "/f.bin").count == 2)
  }

  @Test func `a 404 page is not saved`() async throws {
    origin.serve(.status(404, headers: [], text: "<html>gone</html>"), at: "/g.bin")
    let url = try origin.url("/g.bin").text
    let outcome = try await home.kettle("get", url)
    #expect(outcome.code == 1)
    #expect(
      outcome.errors.contains(
        "The server responded to \"\(url)\" with 404; check the link, then start it again"))
    #expect(!FileManager.default.fileExists(atPath: home.downloads + "/g.bin"))
  }

  @Test func `a host that refuses connections is waited for, and why says so`() async throws {
    let url = try origin.url("/h.bin").text
    origin.stop()
    let id = try await home.kettle("add", url).output.trimmed
    #expect(try await home.kettle("wait", id, "--timeout", "2").code == 4)
    let why = try await home.kettle("why", id)
    #expect(why.code == 0)
    #expect(why.output.contains("refused the connection"), "\(why.output)")
    #expect(why.output.contains("The next attempt is at"), "\(why.output)")
  }

  @Test(arguments: [
    "", "nonsense", "nfs://example.org/a", "http://", "http://exa mple.org/", "http://h/\u{1B}[2J",
    "http://h:99999/",
  ])
  func `an invalid URL is rejected before anything is queued`(url: String) async throws {
    let outcome = try await home.kettle("add", url)
    #expect(outcome.code == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("kettle: "))
    #expect(!outcome.errors.utf8.contains(0x1B))
  }

  @Test func `daemon status without a service exits with 3 and starts none`() async throws {
    #expect(try await home.kettle("daemon", "status").code == 3)
    #expect(try await home.kettle("daemon", "status").code == 3)
  }

  @Test func `a corrupt store is set aside and named in the status`() async throws {
    let state = home.path + "/.local/state/kettle"
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data("not a database at all, and long enough to be one".utf8)
      .write(to: URL(filePath: state + "/store.sqlite"))
    #expect(try await home.rows().isEmpty)
    let names = try FileManager.default.contentsOfDirectory(atPath: state)
    let aside = try #require(names.first { $0.hasPrefix("store.sqlite.damaged-") })
    #expect(
      FileManager.default.contents(atPath: state + "/" + aside)
        == Data("not a database at all, and long enough to be one".utf8))
    let status = try await home.kettle("daemon", "status")
    #expect(status.output.contains(aside), "\(status)")
  }

  // Fault 96
  @Test func `a socket left by a killed service does not prevent a start`() async throws {
    _ = try await home.rows()
    kill(try await home.servicePID(), SIGKILL)
    #expect(FileManager.default.fileExists(atPath: home.path + "/run/kettle/control.sock"))
    #expect(try await home.rows().isEmpty)
  }

  @Test(arguments: ["/proc/no/such/directory", "/etc/passwd"])
  func `an unwritable directory is rejected with an error message`(
    directory: String
  ) async throws {
    let outcome = try await home.kettle("add", "-d", directory, "http://127.0.0.1:1/a")
    #expect(outcome.code == 2)
    #expect(outcome.errors.contains("\"\(directory)\""), "\(outcome.errors)")
  }

  @Test func `transfers that run when the service stops resume in the next service`() async throws {
    let body = SeededBody(seed: 7, byteCount: 5_000_000)
    origin.serve(OriginBehavior(body).stuck(after: 2_000_000), at: "/i.bin")
    let url = try origin.url("/i.bin").text
    let id = try await home.kettle("add", "--connections", "1", url).output.trimmed
    try await origin.waitForBytesSent(2_000_000, at: "/i.bin")
    #expect(try await home.kettle("daemon", "stop").code == 0)
    origin.serve(OriginBehavior(body), at: "/i.bin")
    #expect(try await home.kettle("wait", id, "--timeout", "60").code == 0)
    #expect(body.difference(fromFileAt: home.downloads + "/i.bin") == nil)
    #expect(origin.requests(at: "/i.bin").last?.value(of: "Range") != nil)
  }

  @Test func `reset moves the files that Kettle downloaded to the bin and nothing else`()
    async throws
  {
    origin.serve(OriginBehavior(SeededBody(seed: 8, byteCount: 1000)), at: "/j.bin")
    #expect(try await home.kettle("get", origin.url("/j.bin").text).code == 0)
    try Data("mine".utf8).write(to: URL(filePath: home.downloads + "/mine.txt"))
    #expect(try await home.kettle("reset").code == 2)
    #expect(try await home.kettle("reset", "--yes").code == 0)
    func names() throws -> Set<String> {
      Set(try FileManager.default.contentsOfDirectory(atPath: home.downloads))
    }
    #expect(try !names().contains("j.bin"))
    #expect(try await home.kettle("undo").code == 0)
    #expect(try names() == ["mine.txt", "j.bin"])
    #expect(try await home.kettle("reset", "--yes").code == 0)
    #expect(try await home.kettle("bin", "empty", "--yes").code == 0)
    #expect(try names() == ["mine.txt"])
  }
}

extension String {
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
