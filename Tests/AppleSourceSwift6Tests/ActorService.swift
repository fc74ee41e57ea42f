import BackgroundTransfer
import Foundation
import Testing

/// Turns the calls of a delegate into async functions; a second request for the same source
/// replaces the first.
actor PictureLoader: URLSessionDownloadDelegate {
  enum Failure: Error {
    case replaced
    case file(any Error)
    case client(any Error)
    case server(URLResponse?)
  }

  private struct Load {
    var continuation: CheckedContinuation<URL, any Error>
    var task: URLSessionDownloadTask
  }

  private let defaults: UserDefaults?
  private var loads: [URL: Load] = [:]
  private var handler: (@Sendable () -> Void)?

  private lazy var session = URLSession(
    configuration: .background(withIdentifier: "org.example.pictures"), delegate: self,
    delegateQueue: nil)

  init(suite: String) { defaults = UserDefaults(suiteName: suite) }

  func load(_ source: URL, into place: URL) async throws -> URL {
    cancel(source)
    defaults?.set(place, forKey: source.absoluteString)
    let task = session.downloadTask(with: source)
    return try await withCheckedThrowingContinuation { continuation in
      loads[source] = Load(continuation: continuation, task: task)
      task.resume()
    }
  }

  func cancel(_ source: URL) {
    guard let load = loads.removeValue(forKey: source) else { return }
    load.continuation.resume(throwing: Failure.replaced)
    load.task.cancel()
  }

  func task(for source: URL) -> URLSessionDownloadTask? { loads[source]?.task }

  func keep(_ handler: @escaping @Sendable () -> Void) { self.handler = handler }

  private func end(_ source: URL, _ result: Result<URL, Failure>) {
    defaults?.removeObject(forKey: source.absoluteString)
    loads.removeValue(forKey: source)?.continuation.resume(with: result.mapError { $0 })
  }

  private func arrived(_ task: URLSessionDownloadTask, at temporary: URL) {
    guard let source = task.originalRequest?.url,
      let place = defaults?.url(forKey: source.absoluteString)
    else { return }
    if let reply = task.response as? HTTPURLResponse, reply.statusCode != 200 {
      return end(source, .failure(.server(reply)))
    }
    do {
      try FileManager.default.moveItem(at: temporary, to: place)
      end(source, .success(place))
    } catch {
      end(source, .failure(.file(error)))
    }
  }

  private func failed(_ task: URLSessionTask, _ error: any Error) {
    guard (error as? URLError)?.code != .cancelled, let source = task.originalRequest?.url
    else { return }
    end(source, .failure(.client(error)))
  }

  private func callHandler() {
    handler?()
    handler = nil
  }

  nonisolated func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    let temporary = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try? FileManager.default.moveItem(at: location, to: temporary)
    Task { await arrived(downloadTask, at: temporary) }
  }

  nonisolated func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let error else { return }
    Task { await failed(task, error) }
  }

  nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    Task { await callHandler() }
  }
}

@Suite(.timeLimit(.minutes(3)))
struct ActorServiceTests {
  private let scratch: Scratch
  private let source = URL(literal: "http://127.0.0.1:9/cat.jpg")
  private let session: URLSession

  init() throws {
    scratch = try Scratch()
    // Created before the loader creates it, so that only the tests call the delegate.
    session = URLSession(
      configuration: .background(withIdentifier: "org.example.pictures"), delegate: nil,
      delegateQueue: nil)
  }

  private func begin(
    _ loader: PictureLoader, into place: URL
  ) async -> (Task<URL, any Error>, URLSessionDownloadTask) {
    let source = source
    let load = Task { try await loader.load(source, into: place) }
    while true {
      if let task = await loader.task(for: source) { return (load, task) }
      await Task.yield()
    }
  }

  @Test func `the delegate's file ends up where the caller wants it`() async throws {
    let loader = PictureLoader(suite: UUID().uuidString)
    let place = scratch.folder.appending(path: "cat.jpg")
    let (load, task) = await begin(loader, into: place)
    let delegate: any URLSessionDownloadDelegate = loader
    let arrived = try scratch.file("arrived.tmp", holding: "miaow")
    delegate.urlSession(session, downloadTask: task, didFinishDownloadingTo: arrived)
    #expect(try await load.value == place)
    #expect(FileManager.default.contents(atPath: place.path()) == Data("miaow".utf8))
  }

  @Test func `a second load replaces the first, and a failure is thrown`() async throws {
    let loader = PictureLoader(suite: UUID().uuidString)
    let place = scratch.folder.appending(path: "dog.jpg")
    let (first, task) = await begin(loader, into: place)
    let source = source
    let second = Task { try await loader.load(source, into: place) }
    await #expect(throws: PictureLoader.Failure.self) { try await first.value }
    let delegate: any URLSessionDownloadDelegate = loader
    delegate.urlSession(session, task: task, didCompleteWithError: URLError(.cancelled))
    while await loader.task(for: source) == nil { await Task.yield() }
    delegate.urlSession(session, task: task, didCompleteWithError: URLError(.timedOut))
    await #expect(throws: PictureLoader.Failure.self) { try await second.value }
    #expect(await loader.task(for: source) == nil)
  }
}
