import BackgroundTransfer
import Foundation
import Testing

enum FetchProblem: Error {
  case cancelled
  case unknownDownload
  case disk(Error)
  case connection(Error)
  case server(URLResponse?)
}

/// Fetches as async functions, implemented with a delegate and its stored state.
actor FetchService {
  static let shared = FetchService()

  private lazy var session: URLSession = {
    let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.fetches")
    configuration.isDiscretionary = false
    configuration.sessionSendsLaunchEvents = true
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }()

  private let places = UserDefaults.standard
  private var waiting = [String: CheckedContinuation<URL, Error>]()
  private var running = [String: URLSessionDownloadTask]()
  private var previewHandler: (() -> Void)?

  func fetch(_ source: URL, to place: URL) async throws -> URL {
    if running[source.absoluteString] != nil { cancel(source) }
    return try await withCheckedThrowingContinuation { continuation in
      waiting[source.absoluteString] = continuation
      places.set(place, forKey: source.absoluteString)
      let task = session.downloadTask(with: source)
      task.earliestBeginDate = Date().addingTimeInterval(5)
      running[source.absoluteString] = task
      task.resume()
    }
  }

  func cancel(_ source: URL) {
    waiting[source.absoluteString]?.resume(throwing: FetchProblem.cancelled)
    running[source.absoluteString]?.cancel()
    forget(source)
  }

  func keepPreviewHandler(_ handler: @escaping (() -> Void)) { previewHandler = handler }

  func isFetching(_ source: URL) -> Bool { running[source.absoluteString] != nil }

  var task: URLSessionDownloadTask? { running.values.first }

  private func forget(_ source: URL) {
    waiting.removeValue(forKey: source.absoluteString)
    running.removeValue(forKey: source.absoluteString)
    places.removeObject(forKey: source.absoluteString)
  }

  private func finish(_ task: URLSessionDownloadTask, at temporary: URL) {
    guard let source = task.originalRequest?.url else { return }
    defer { forget(source) }
    guard let place = places.url(forKey: source.absoluteString) else { return }
    let continuation = waiting[source.absoluteString]
    guard let reply = task.response as? HTTPURLResponse, reply.statusCode == 200 else {
      continuation?.resume(throwing: FetchProblem.server(task.response))
      return
    }
    do {
      try FileManager.default.moveItem(at: temporary, to: place)
      continuation?.resume(returning: place)
    } catch {
      continuation?.resume(throwing: FetchProblem.disk(error))
    }
  }

  private func complete(_ task: URLSessionTask, _ error: Error?) {
    guard let error = error else { return }
    if let error = error as? URLError, error.code == .cancelled { return }
    guard let source = task.originalRequest?.url else { return }
    waiting[source.absoluteString]?.resume(throwing: FetchProblem.connection(error))
    forget(source)
  }

  private func callPreviewHandler() {
    previewHandler?()
    previewHandler = nil
  }
}

extension FetchService: URLSessionDownloadDelegate {
  nonisolated
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask,
      didFinishDownloadingTo location: URL
    )
  {
    let temporary = FileManager.default.temporaryDirectory
      .appendingPathComponent(location.lastPathComponent)
    try? FileManager.default.moveItem(at: location, to: temporary)
    Task { await finish(downloadTask, at: temporary) }
  }

  nonisolated
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?
    )
  {
    Task { await complete(task, error) }
  }

  nonisolated
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
  {
    Task { await callPreviewHandler() }
  }
}

@Suite(.timeLimit(.minutes(3)))
struct ActorServiceTests {
  private let scratch: Scratch
  private let session: URLSession

  init() throws {
    scratch = try Scratch()
    // Created before the service creates it, so that only the tests call the delegate.
    session = URLSession(
      configuration: .background(withIdentifier: "org.example.fetches"), delegate: nil,
      delegateQueue: nil)
  }

  @Test func `a delegate call reaches the caller that awaits the fetch`() async throws {
    let service = FetchService()
    let source = URL(literal: "http://127.0.0.1:9/actor.bin")
    let place = scratch.folder.appendingPathComponent("actor.bin")
    let fetch = Task { try await service.fetch(source, to: place) }
    while await !service.isFetching(source) { await Task.yield() }
    let task = try #require(await service.task)
    let delegate: URLSessionDownloadDelegate = service
    // There is no service, so there was no reply either.
    let arrived = try scratch.file("CFNetworkDownload_\(UUID().uuidString)", holding: "x")
    delegate.urlSession(session, downloadTask: task, didFinishDownloadingTo: arrived)
    await #expect(throws: FetchProblem.self) { try await fetch.value }
    #expect(await !service.isFetching(source))
    #expect(!FileManager.default.fileExists(atPath: arrived.path))
  }

  @Test func `a cancelled fetch throws its own error`() async throws {
    let service = FetchService()
    let source = URL(literal: "http://127.0.0.1:9/cancelled.bin")
    let place = scratch.folder.appendingPathComponent("cancelled.bin")
    let fetch = Task { try await service.fetch(source, to: place) }
    while await !service.isFetching(source) { await Task.yield() }
    await service.cancel(source)
    do {
      _ = try await fetch.value
      Issue.record("It was cancelled.")
    } catch FetchProblem.cancelled {
      #expect(await !service.isFetching(source))
    }
  }
}
