import BackgroundTransfer
import Foundation
import KettleControl
import KettleModel
import Testing

struct AwaitedDownloadTests {
  private let place = URL(fileURLWithPath: "/tmp/kettle-awaited/book")

  @Test func `an awaited download returns its file and makes no delegate calls`() async throws {
    let world = try SessionWorld()
    async let file = world.session.download(
      from: SessionWorld.url, to: place, onConflict: .replace)
    let spec = try await world.service.added(1)
    #expect(spec.directory == "/tmp/kettle-awaited")
    #expect(spec.name?.text == "book")
    #expect(spec.onConflict == .replace)
    try world.service.move(1, to: .completed) { $0.path = "/tmp/kettle-awaited/book" }
    #expect(try await file.path == place.path)
    #expect(world.recorder.calls.isEmpty)
    let acknowledged = try await world.service.wait { request -> [TransferID]? in
      if case .acknowledgeTasks(let params) = request { params.ids } else { nil }
    }
    #expect(acknowledged == [TransferID(rawValue: 101)])
  }

  @Test func `an error response is an error, not a file`() async throws {
    let world = try SessionWorld()
    let waiting = Task { try await world.session.download(from: SessionWorld.url, to: place) }
    _ = try await world.service.added(1)
    try world.service.move(1, to: .failed) {
      $0.error = TransferFailure(.httpStatus, on: $0.url, detail: "404")
    }
    let error = await #expect(throws: URLError.self) { try await waiting.value }
    #expect(error?.code == .badServerResponse)
  }

  @Test func `after a relaunch the same call joins the existing task`() async throws {
    let world = try SessionWorld()
    let waiting = Task { try await world.session.download(from: SessionWorld.url, to: place) }
    let left = try await world.service.added(1)
    // A result whose file is gone would be ignored.
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("book".utf8).write(to: place)
    defer { try? FileManager.default.removeItem(at: place) }
    let next = try SessionWorld(
      prepare: { service in
        service.change { state in
          state.tasks[1] = SessionTask(
            snapshot: TransferSnapshot(
              id: TransferID(rawValue: 101), session: left.session, taskIdentifier: 1, title: "b",
              url: left.url.text, state: .completed, path: "/tmp/kettle-awaited/book",
              createdAt: WallTime(millisecondsSince1970: 0), task: TaskStatus()),
            spec: left)
        }
      })
    #expect(try await next.session.download(from: SessionWorld.url, to: place).path == place.path)
    #expect(next.service.requests.contains { $0.method == AddTransfers.name } == false)
    #expect(next.recorder.calls.isEmpty)
    waiting.cancel()
  }

  @Test func `a result whose file is gone is ignored`() async throws {
    let world = try SessionWorld()
    let gone = URL(fileURLWithPath: "/tmp/kettle-awaited/gone")
    let waiting = Task { try await world.session.download(from: SessionWorld.url, to: gone) }
    let left = try await world.service.added(1)
    let next = try SessionWorld(
      prepare: { service in
        service.change { state in
          state.tasks[1] = SessionTask(
            snapshot: TransferSnapshot(
              id: TransferID(rawValue: 101), session: left.session, taskIdentifier: 1, title: "b",
              url: left.url.text, state: .completed, path: gone.path,
              createdAt: WallTime(millisecondsSince1970: 0), task: TaskStatus()),
            spec: left)
        }
      })
    let again = Task { try await next.session.download(from: SessionWorld.url, to: gone) }
    _ = try await next.service.added(2)
    #expect(next.service.requests.contains { $0.method == AcknowledgeTasks.name })
    again.cancel()
    waiting.cancel()
  }

  @Test func `two callers of the same download share one task`() async throws {
    let world = try SessionWorld()
    async let one = world.session.download(from: SessionWorld.url, to: place)
    async let two = world.session.download(from: SessionWorld.url, to: place)
    _ = try await world.service.added(1)
    while await world.session.allTasks.isEmpty { await Task.yield() }
    try world.service.move(1, to: .completed) { $0.path = "/tmp/kettle-awaited/book" }
    #expect(try await one == two)
  }

  @Test func `cancelling the wait cancels the task`() async throws {
    let world = try SessionWorld()
    let waiting = Task { try await world.session.download(from: SessionWorld.url, to: place) }
    _ = try await world.service.added(1)
    waiting.cancel()
    try await world.service.wait { request -> Bool? in
      if case .cancelTasks = request { true } else { nil }
    }
    try world.service.move(1, to: .failed) {
      $0.error = TransferFailure(.cancelled, on: $0.url)
    }
    let error = await #expect(throws: URLError.self) { try await waiting.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `an impossible download fails immediately`() async throws {
    let world = try SessionWorld()
    let url = try #require(URL(string: "ftp://books.example/b"))
    let error = await #expect(throws: URLError.self) {
      try await world.session.download(from: url, to: place)
    }
    #expect(error?.code == .unsupportedURL)
    #expect(world.recorder.calls.isEmpty)
  }

  @Test func `progress can be read as a sequence that ends`() async throws {
    let world = try SessionWorld()
    let task = world.session.downloadTask(with: SessionWorld.url)
    task.resume()
    _ = try await world.service.added(1)
    let updates = task.progressUpdates
    try world.service.finish(1)
    var last: TransferProgress?
    for await progress in updates { last = progress }
    #expect(last?.completedByteCount == 3)
    #expect(last?.fraction == 1)
  }
}
