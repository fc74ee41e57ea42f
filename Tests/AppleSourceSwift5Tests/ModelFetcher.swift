import BackgroundTransfer
import Foundation
import Testing

/// The session of a fetcher that creates a new one for each attempt.
actor SessionHolder {
  private var session: URLSession?

  func set(_ session: URLSession?) { self.session = session }
  func get() -> URLSession? { session }
}

/// Fetches a large file byte by byte into a partial file, from where an earlier attempt ended.
final class ModelFetcher: NSObject, Sendable {
  enum Progress: Sendable {
    case running(Double)
    case completed(URL)
    case failed(Error)
  }

  private let place: URL
  private let partial: URL
  private let configuration: URLSessionConfiguration
  private let session = SessionHolder()
  private let progress = AsyncStream.makeStream(of: Progress.self)

  init(to place: URL, inBackground: Bool = false) {
    self.place = place
    partial = place.appendingPathExtension("incomplete")
    var configuration = URLSessionConfiguration.default
    if inBackground {
      configuration = URLSessionConfiguration.background(withIdentifier: "org.example.models5")
      configuration.isDiscretionary = false
      configuration.sessionSendsLaunchEvents = true
    }
    self.configuration = configuration
  }

  func fetch(_ source: URL, timeout: TimeInterval = 10) async -> AsyncStream<Progress> {
    await session.set(
      URLSession(configuration: configuration, delegate: self, delegateQueue: nil))
    guard let tasks = await session.get()?.allTasks else { return progress.stream }
    if let existing = tasks.filter({ $0.originalRequest?.url == source }).first {
      switch existing.state {
      case .running: return progress.stream
      case .suspended: existing.resume()
      case .canceling, .completed: existing.cancel()
      @unknown default: existing.cancel()
      }
    }
    var request = URLRequest(url: source)
    request.timeoutInterval = timeout
    request.allHTTPHeaderFields = ["Authorization": "Bearer 17"]
    do {
      try await read(request)
      try FileManager.default.moveItem(at: partial, to: place)
      progress.continuation.yield(.completed(place))
    } catch {
      progress.continuation.yield(.failed(error))
    }
    return progress.stream
  }

  private func read(_ request: URLRequest) async throws {
    guard let session = await session.get() else { throw URLError(.unknown) }
    var newRequest = request
    let known = (try? Data(contentsOf: partial))?.count ?? 0
    if known > 0 { newRequest.setValue("bytes=\(known)-", forHTTPHeaderField: "Range") }
    let (bytes, response) = try await session.bytes(for: newRequest)
    if let response = response as? HTTPURLResponse,
      !(200..<300).contains(response.statusCode)
    {
      throw URLError(.badServerResponse)
    }
    var buffer = Data(capacity: 16_384)
    for try await byte in bytes { buffer.append(byte) }
    try buffer.write(to: partial)
  }

  func cancel() async { await session.get()?.invalidateAndCancel() }
}

extension ModelFetcher: URLSessionDownloadDelegate {
  func urlSession(
    _: URLSession, downloadTask: URLSessionDownloadTask, didWriteData _: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    progress.continuation.yield(
      .running(Double(totalBytesWritten) / Double(totalBytesExpectedToWrite)))
  }

  func urlSession(
    _: URLSession, downloadTask _: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    do {
      try FileManager.default.moveItem(at: location, to: place)
      progress.continuation.yield(.completed(place))
    } catch {
      progress.continuation.yield(.failed(error))
    }
  }

  func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    if let error { progress.continuation.yield(.failed(error)) }
  }
}

@Suite(.timeLimit(.minutes(3)), .serialized)
struct ModelFetcherTests {
  @Test(arguments: [false, true])
  func `a model is fetched byte by byte`(inBackground: Bool) async throws {
    let scratch = try Scratch()
    let place = scratch.folder.appendingPathComponent("model")
    let fetcher = ModelFetcher(to: place, inBackground: inBackground)
    for await progress in await fetcher.fetch(URL(literal: "data:text/plain,weights")) {
      guard case .completed(let file) = progress else {
        Issue.record("\(progress)")
        break
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == "weights")
      break
    }
    await fetcher.cancel()
  }

  @Test func `a refused connection is reported`() async throws {
    let scratch = try Scratch()
    let fetcher = ModelFetcher(to: scratch.folder.appendingPathComponent("none"))
    for await progress in await fetcher.fetch(URL(literal: "http://127.0.0.1:9/model")) {
      guard case .failed(let error as URLError) = progress else { continue }
      #expect(error.code == .cannotConnectToHost)
      break
    }
  }
}
