import Foundation
import KettleModel
import Testing
import TestSupport

/// The example with launch events: the order of its calls, before and after a launch.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct BackgroundDownloadExampleTests {
  private let home: ExampleHome
  private let origin: ScriptedOrigin
  private let body = SeededBody(seed: 41, byteCount: 3_000_000)
  private let identifier = "org.example.background-download"

  init() throws {
    home = try ExampleHome()
    origin = try ScriptedOrigin()
  }

  private var file: String { home.files + "/book.bin" }

  /// Holds back the end of the file until the event.
  private func serveHeldBack(until event: String) {
    origin.serve(
      OriginBehavior(body).with { $0.stall = .init(after: 1_000_000, until: event) },
      at: "/book.bin")
  }

  /// The calls in a program that the service launched, for a task with this result.
  private func launchedCalls(task: String = "1", status: Int = 200) -> [String] {
    [
      "handleEvents \(identifier)", "didFinishDownloadingTo \(task) \(status)",
      "didCompleteWithError \(task) 0", "didFinishEvents", "handler called",
    ]
  }

  @Test func `a running program gets the calls for its file and its completion and no others`()
    async throws
  {
    origin.serve(OriginBehavior(body), at: "/book.bin")
    let program = try home.start("background-download", try origin.url("/book.bin").text, file)
    #expect(await program.end() == 0)
    try await home.wait(for: "didBecomeInvalidWithError nil")
    #expect(
      home.calls == [
        "resume 1", "didFinishDownloadingTo 1 200", "didCompleteWithError 1 0",
        "didBecomeInvalidWithError nil",
      ])
    let whole = "didWriteData 1 3000000 of 3000000"
    #expect(home.said.read { $0.filter { $0.hasPrefix("didWriteData") }.last } == whole)
    #expect(body.difference(fromFileAt: file) == nil)
  }

  @Test func `a program that exited is launched once and gets its calls in order`() async throws {
    serveHeldBack(until: "left")
    let url = try origin.url("/book.bin").text
    let program = try home.start("background-download", url, file, "--log", home.log, "--leave")
    #expect(await program.end() == 0)
    origin.release("left")
    try await home.wait(for: "handler called")
    #expect(home.calls == ["resume 1"] + launchedCalls())
    #expect(body.difference(fromFileAt: file) == nil)
    #expect(origin.beginnings(at: "/book.bin") == 1)
  }

  @Test func `an error page makes the same calls and does not get the file's name`() async throws {
    origin.serve(
      .status(404, text: "no such book").with { $0.headWaitsFor = "left" }, at: "/book.bin")
    let url = try origin.url("/book.bin").text
    let program = try home.start("background-download", url, file, "--log", home.log, "--leave")
    #expect(await program.end() == 0)
    origin.release("left")
    try await home.wait(for: "handler called")
    #expect(home.calls == ["resume 1"] + launchedCalls(status: 404))
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `a redirect causes no additional call`() async throws {
    origin.serve(OriginBehavior(body).with { $0.headWaitsFor = "left" }, at: "/moved.bin")
    origin.serveRedirects(2, from: "/book.bin", to: "/moved.bin")
    let url = try origin.url("/book.bin").text
    let program = try home.start("background-download", url, file, "--log", home.log, "--leave")
    #expect(await program.end() == 0)
    origin.release("left")
    try await home.wait(for: "handler called")
    #expect(home.calls == ["resume 1"] + launchedCalls())
    #expect(body.difference(fromFileAt: file) == nil)
  }

  @Test func `a program killed in its handler gets the same calls again`() async throws {
    origin.serve(OriginBehavior(body), at: "/book.bin")
    let url = try origin.url("/book.bin").text
    let program = try home.start("background-download", url, file, "--log", home.log, "--halt")
    #expect(await program.stopped())
    program.send(SIGKILL)
    #expect(await program.end() == 128 + SIGKILL)
    try await home.wait(for: "handler called")
    #expect(home.calls == ["resume 1", "didFinishDownloadingTo 1 200"] + launchedCalls())
    #expect(body.difference(fromFileAt: file) == nil)
  }

  @Test func `a download completes once after the service is killed`() async throws {
    serveHeldBack(until: "killed")
    let program = try home.start("background-download", try origin.url("/book.bin").text, file)
    try await origin.waitForBytesSent(1_000_000, at: "/book.bin")
    kill(try await home.servicePID(), SIGKILL)
    origin.release("killed")
    #expect(await program.end() == 0)
    try await home.wait(for: "didBecomeInvalidWithError nil")
    #expect(home.calls.count { $0.hasPrefix("didCompleteWithError") } == 1)
    #expect(home.calls.suffix(2).first == "didCompleteWithError 1 0")
    #expect(body.difference(fromFileAt: file) == nil)
  }

  @Test func `a download stopped with the service resumes at the next start of the service`()
    async throws
  {
    serveHeldBack(until: "stopped")
    let url = try origin.url("/book.bin").text
    let program = try home.start("background-download", url, file, "--log", home.log, "--leave")
    #expect(await program.end() == 0)
    try await origin.waitForBytesSent(1_000_000, at: "/book.bin")
    #expect(await (try home.start("kettle", "daemon", "stop")).end() == 0)
    origin.release("stopped")
    #expect(await (try home.start("kettle", "daemon", "start")).end() == 0)
    try await home.wait(for: "handler called")
    let calls = home.calls.filter { !$0.contains("ervice") }
    #expect(calls == ["resume 1"] + launchedCalls())
    #expect(body.difference(fromFileAt: file) == nil)
  }
}
