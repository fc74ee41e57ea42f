import BackgroundTransfer
import Foundation
import KettleModel
import Testing
import TestSupport

/// The delegate calls and their order, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DownloadOrderTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()
  private let body = SeededBody(seed: 1, byteCount: 300_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
  }

  private func expectBody(_ task: URLSessionTask, _ body: SeededBody) {
    #expect(told.file(of: task)?.elementsEqual(body.bytes) == true)
  }

  @Test func `a file of known size reports progress, the file and its completion`() async throws {
    origin.serve(OriginBehavior(body), at: "/a.bin")
    let session = home.session(told)
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    try await told.expect(
      ["wrote 1 300000/300000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    expectBody(task, body)
    #expect(home.heldFiles.isEmpty)
    #expect(try await home.rows().isEmpty)
  }

  @Test func `a file of unknown size reports an expected size of -1`() async throws {
    origin.serve(OriginBehavior(body).with { $0.framing = .chunked }, at: "/a.bin")
    let session = home.session(told)
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    try await told.expect(
      ["wrote 1 300000/-1", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    expectBody(task, body)
  }

  @Test func `an empty file reports no progress`() async throws {
    origin.serve(OriginBehavior(SeededBody(seed: 1, byteCount: 0)), at: "/empty")
    let session = home.session(told)
    let task = session.downloadTask(with: try origin.address("/empty"))
    task.resume()
    try await told.expect(["finished 1 200", "completed 1 nil", "invalid"], of: session)
    #expect(told.file(of: task) == Data())
  }

  @Test func `an error page is delivered as a file without an error`() async throws {
    origin.serve(.status(404, text: "Nothing here"), at: "/a.bin")
    let session = home.session(told)
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    try await told.expect(
      ["wrote 1 12/12", "finished 1 404", "completed 1 nil", "invalid"], of: session)
    #expect(told.text(of: task) == "Nothing here")
    #expect(task.error == nil)
  }

  @Test func `a redirect is followed without a delegate call`() async throws {
    origin.serve(OriginBehavior(body), at: "/there")
    origin.serveRedirects(2, from: "/here", to: "/there")
    let session = home.session(told)
    let here = try origin.address("/here")
    let task = session.downloadTask(with: here)
    task.resume()
    try await told.expect(
      ["wrote 1 300000/300000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    let there = try origin.address("/there")
    #expect(task.originalRequest?.url == here)
    #expect(task.currentRequest?.url == there)
    #expect(task.response?.url == there)
    #expect(task.response?.suggestedFilename == "here")
  }

  @Test func `a failed download reports its error in the last call`() async throws {
    let closed = try ScriptedOrigin()
    closed.serve(at: "/round") { _ in .redirect(302, to: "/round") }
    let session = home.session(told)
    let task = session.downloadTask(with: try closed.address("/round"))
    task.resume()
    try await told.expect(["completed 1 -1007", "invalid"], of: session)
    #expect(told.error(of: task)?.failingURL == task.originalRequest?.url)
  }

  @Test func `an interrupted download resumes without a delegate call`() async throws {
    origin.serve(
      [
        OriginBehavior(body).with { $0.ending = .cut(after: 100_000, .reset) },
        OriginBehavior(body),
      ],
      at: "/a.bin")
    let session = home.session(told)
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    try await told.expect(
      ["wrote 1 300000/300000", "finished 1 200", "completed 1 nil", "invalid"], of: session)
    expectBody(task, body)
  }

  @Test func `each task gets one completion call, in the order of completion`() async throws {
    for name in ["/a", "/b", "/c"] {
      origin.serve(OriginBehavior(body).with { $0.headWaitsFor = name }, at: name)
    }
    let session = home.session(told) { $0.httpMaximumConnectionsPerHost = 3 }
    let tasks = try ["/a", "/b", "/c"].map {
      session.downloadTask(with: try origin.address($0))
    }
    for task in tasks { task.resume() }
    for (name, number) in [("/b", 2), ("/c", 3), ("/a", 1)] {
      origin.release(name)
      try await told.wait(for: "completed \(number)")
    }
    let ends = [2, 3, 1].flatMap {
      ["wrote \($0) 300000/300000", "finished \($0) 200", "completed \($0) nil"]
    }
    try await told.expect(ends + ["invalid"], of: session)
  }
}
