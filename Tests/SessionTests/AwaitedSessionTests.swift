import BackgroundTransfer
import Foundation
import Testing
import TestSupport

/// Awaited downloads, and how sessions end, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct AwaitedSessionTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let told = Told()
  private let session: URLSession
  private let body = SeededBody(seed: 13, byteCount: 300_000)

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
    session = home.session(told)
    origin.serve(OriginBehavior(body), at: "/a.bin")
  }

  /// Stalls after 100,000 bytes until the test releases it.
  private func serveSlowly(until event: String = "go") {
    origin.serve(
      OriginBehavior(body).with { $0.stall = .init(after: 100_000, until: event) }, at: "/slow")
  }

  // MARK: download(from:to:)

  @Test func `an awaited download returns its file without delegate calls`() async throws {
    let place = try await session.download(
      from: try origin.address("/a.bin"), to: home.file("a.bin"))
    #expect(place == home.file("a.bin"))
    #expect(body.difference(fromFileAt: place.path) == nil)
    try await told.expect(["invalid"], of: session)
    #expect(try await home.rows().isEmpty)
  }

  @Test func `a failed download throws`() async throws {
    origin.serve(.status(404), at: "/none")
    let error = await #expect(throws: URLError.self) {
      try await session.download(from: try origin.address("/none"), to: home.file("a.bin"))
    }
    #expect(error?.code == .badServerResponse)
    try await told.expect(["invalid"], of: session)
  }

  @Test func `cancelling the Swift task cancels the transfer`() async throws {
    serveSlowly()
    let (url, place) = (try origin.address("/slow"), home.file("a.bin"))
    let waiting = Task { [session] in try await session.download(from: url, to: place) }
    try await origin.waitForBytesSent(100_000, at: "/slow")
    waiting.cancel()
    let error = await #expect(throws: URLError.self) { try await waiting.value }
    #expect(error?.code == .cancelled)
    try await told.expect(["invalid"], of: session)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.files).isEmpty)
    #expect(try await home.rows().isEmpty)
  }

  // MARK: Invalidation

  @Test func `finishTasksAndInvalidate lets tasks finish and accepts no new ones`() async throws {
    serveSlowly()
    let task = session.downloadTask(with: try origin.address("/slow"))
    task.resume()
    try await told.wait(for: "wrote 1 100000/")
    session.finishTasksAndInvalidate()
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    try await told.wait(for: "completed -1")
    origin.release("go")
    #expect(
      try await told.wait(for: "invalid") == [
        "wrote 1 100000/300000", "completed -1 -1", "wrote 1 300000/300000", "finished 1 200",
        "completed 1 nil", "invalid",
      ])
    #expect(session.delegate == nil)
    let list = try await home.kettle("session", "list", "--json").said
    #expect(list == "[]\n")
  }

  @Test func `invalidateAndCancel completes every task with -999`() async throws {
    serveSlowly()
    let session = home.session(told) { $0.httpMaximumConnectionsPerHost = 2 }
    let tasks = try (1...3).map { _ in session.downloadTask(with: try origin.address("/slow")) }
    tasks[0].resume()
    tasks[1].resume()
    try await told.wait("bytes of both") { calls in
      ["wrote 1 100000/", "wrote 2 100000/"].allSatisfy { start in
        calls.contains { $0.hasPrefix(start) }
      }
    }
    session.invalidateAndCancel()
    let calls = try await told.wait(for: "invalid").filter { !$0.hasPrefix("wrote") }
    #expect(Set(calls.dropLast()) == ["completed 1 -999", "completed 2 -999", "completed 3 -999"])
    #expect(calls.count == 4)
    #expect(calls.last == "invalid")
    #expect(try await home.rows().isEmpty)
  }

  @Test func `getAllTasks returns unfinished tasks, including suspended ones`() async throws {
    serveSlowly()
    let session = home.session(told) { $0.httpMaximumConnectionsPerHost = 2 }
    let slow = session.downloadTask(with: try origin.address("/slow"))
    let held = session.downloadTask(with: try origin.address("/a.bin"))
    let done = session.downloadTask(with: try origin.address("/a.bin"))
    slow.resume()
    done.resume()
    try await told.wait(for: "completed 3")
    #expect(await session.allTasks == [slow, held])
    let (data, uploads, downloads) = await session.tasks
    #expect(data.isEmpty && uploads.isEmpty && downloads == [slow, held])
    origin.release("go")
    held.cancel()
    _ = try await told.all(session)
  }
}
