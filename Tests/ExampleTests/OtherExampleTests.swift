import Foundation
import KettleModel
import Testing
import TestSupport

/// The other four examples, over the real service.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct OtherExampleTests {
  private let home: ExampleHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try ExampleHome()
    origin = try ScriptedOrigin()
  }

  private func serve(_ names: String...) throws -> [(body: SeededBody, url: String)] {
    try names.enumerated().map { number, name in
      let body = SeededBody(seed: 50 + UInt64(number), byteCount: 400_000 + Int64(number))
      origin.serve(OriginBehavior(body), at: "/" + name)
      return (body, try origin.url("/" + name).text)
    }
  }

  private func holdHeads(of served: [(body: SeededBody, url: String)], until gate: String) {
    for (name, file) in zip(["a", "b"], served) {
      let behavior = OriginBehavior(file.body).with { $0.headWaitsFor = gate }
      origin.serve(behavior, at: "/\(name).bin")
    }
  }

  private func expectFile(_ name: String, _ body: SeededBody) {
    #expect(body.difference(fromFileAt: home.files + "/" + name) == nil, "\(name)")
  }

  @Test func `the singleton is launched separately for each session`() async throws {
    let served = try serve("a.bin", "b.bin")
    holdHeads(of: served, until: "left")
    let program = try home.start(
      "singleton-delegate", home.files, served[0].url, served[1].url, "--leave")
    #expect(await program.end() == 0)
    // A task that completes before the program has exited is reported to it and launches nothing.
    origin.release("left")
    let log = home.files + "/calls.log"
    let monitor = try FileLines(log, in: home.files)
    for name in ["org.example.singleton.even", "org.example.singleton.odd"] {
      let lines = try await monitor.wait(for: "handler called " + name).filter {
        $0.contains(name)
      }
      #expect(
        lines == [
          "handleEvents " + name, "didFinishDownloadingTo \(name) 1 200",
          "didCompleteWithError \(name) 1 nil", "didFinishEvents " + name, "handler called " + name,
        ])
    }
    expectFile("a.bin", served[0].body)
    expectFile("b.bin", served[1].body)
  }

  @Test func `the singleton exits when both sessions have ended`() async throws {
    let served = try serve("a.bin", "b.bin")
    let urls = served.map(\.url)
    let program = try home.start("singleton-delegate", home.files, urls[0], urls[1], urls[0] + "x")
    #expect(await program.end() == 0)
    #expect(home.calls.count { $0.hasPrefix("didCompleteWithError") } == 3)
    #expect(!FileManager.default.fileExists(atPath: home.files + "/a.binx"))
    expectFile("a.bin", served[0].body)
    expectFile("b.bin", served[1].body)
  }

  @Test func `the download service fetches a URL once when it is requested several times`()
    async throws
  {
    let served = try serve("a.bin", "b.bin")
    let (first, second) = (served[0].url, served[1].url)
    // No task completes before all requests were made.
    holdHeads(of: served, until: "asked")
    let program = try home.start("download-service", home.files, first, second, first, first)
    try await origin.waitForRequests(1, at: "/a.bin")
    try await origin.waitForRequests(1, at: "/b.bin")
    origin.release("asked")
    #expect(await program.end() == 0)
    try await home.wait(for: "requested 4, downloaded 2")
    #expect(origin.requests(at: "/a.bin").count == 1)
    expectFile("a.bin", served[0].body)
    expectFile("b.bin", served[1].body)
  }

  @Test func `the download service picks up running transfers after it is killed`() async throws {
    // Each connection gets up to 1,000,000 bytes, and together they must not complete the file.
    let body = SeededBody(seed: 60, byteCount: 30_000_000)
    origin.serve(
      OriginBehavior(body).with { $0.stall = .init(after: 1_000_000, until: "killed") },
      at: "/a.bin")
    let url = try origin.url("/a.bin").text
    let first = try home.start("download-service", home.files, url)
    try await origin.waitForBytesSent(1_000_000, at: "/a.bin")
    first.send(SIGKILL)
    #expect(await first.end() == 128 + SIGKILL)
    let second = try home.start("download-service", home.files, url)
    origin.release("killed")
    #expect(await second.end() == 0)
    #expect(origin.beginnings(at: "/a.bin") == 1)
    expectFile("a.bin", body)
  }

  @Test func `the download service reports a failed download`() async throws {
    origin.serve(.status(404, text: "gone"), at: "/gone.bin")
    let url = try origin.url("/gone.bin").text
    let program = try home.start("download-service", home.files, url)
    #expect(await program.end() == 1)
    try await home.wait(for: "gone.bin failed: -1011")
    #expect(!FileManager.default.fileExists(atPath: home.files + "/gone.bin"))
  }

  @Test func `data stored with a task is available after a relaunch`() async throws {
    let served = try serve("raw.bin")
    let behavior = OriginBehavior(served[0].body).with { $0.headWaitsFor = "left" }
    origin.serve(behavior, at: "/raw.bin")
    let program = try home.start(
      "request-info", home.files, served[0].url, "plan.pdf", "Ms Weiss", "--leave")
    #expect(await program.end() == 0)
    origin.release("left")
    let monitor = try FileLines(home.files + "/orders.log", in: home.files)
    let lines = try await monitor.wait(for: "finished in the background")
    #expect(lines == ["plan.pdf is ready for Ms Weiss", "finished in the background"])
    expectFile("plan.pdf", served[0].body)
  }

  @Test func `the list pauses, resumes and stops downloads`() async throws {
    // Too small to be split, so that each of the five gets a connection.
    let bodies = (0..<5).map { SeededBody(seed: 70 + UInt64($0), byteCount: 900_000) }
    var words = ["file-list", home.files]
    for (number, body) in bodies.enumerated() {
      let held = OriginBehavior(body).with { $0.stall = .init(after: 500_000, until: "go") }
      origin.serve(held, at: "/\(number + 1).bin")
      words.append(try origin.url("/\(number + 1).bin").text)
    }
    let program = try Running(
      BuiltProgram.path(of: words.removeFirst()), words, home.environment, output: home.log)
    try await home.wait(for: "ready")
    program.type("start all")
    for number in 1...5 {
      try await origin.waitForBytesSent(500_000, at: "/\(number).bin")
    }
    // It has bytes to resume from as soon as it shows progress.
    try await home.said.wait(for: "progress of the second") {
      $0.contains { $0.hasPrefix("2 ") && $0.hasSuffix(" %") && $0 != "2 0 %" }
    }
    program.type("pause 2")
    try await home.wait(for: "2 paused")
    program.type("stop 5")
    try await home.wait(for: "5 stopped")
    origin.release("go")
    program.type("resume 2")
    for number in 1...4 { try await home.wait(for: "\(number) finished") }
    let said = home.said.read { $0.filter { $0.hasPrefix("2 ") } }
    #expect(said.contains { $0.hasPrefix("2 resumed at ") }, "\(said)")
    let resumed = try #require(origin.requests(at: "/2.bin").last)
    #expect(resumed.value(of: "Range")?.hasPrefix("bytes=") == true)
    program.type("quit")
    #expect(await program.end() == 0)
    for number in 1...4 { expectFile("\(number).bin", bodies[number - 1]) }
    #expect(!FileManager.default.fileExists(atPath: home.files + "/5.bin"))
  }
}
