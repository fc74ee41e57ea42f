import BackgroundTransfer
import Foundation
import Synchronization
import Testing

/// A client of a book shop: a background session for the books, a plain one for the rest. One
/// delegate serves both.
final class ShopClient: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  private struct State {
    var replies: [Int: Data] = [:]
    var metrics: URLSessionTaskMetrics?
  }

  private let state = Mutex(State())
  private let calls: AsyncStream<String>.Continuation
  let lines: AsyncStream<String>

  override init() {
    (lines, calls) = AsyncStream.makeStream()
    super.init()
  }

  func session(inBackground: Bool) -> URLSession {
    var configuration = URLSessionConfiguration.default
    if inBackground {
      configuration = URLSessionConfiguration.background(withIdentifier: "org.example.catalogue")
      configuration.isDiscretionary = false
      configuration.sessionSendsLaunchEvents = true
    }
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }

  /// Asks for a price with the shared session.
  func price(at url: URL, then use: @escaping @Sendable (Result<String, any Error>) -> Void) {
    URLSession.shared.dataTask(with: url) { data, _, error in
      if let error { return use(.failure(error)) }
      use(.success(String(decoding: data ?? Data(), as: UTF8.self)))
    }.resume()
  }

  func title(at url: URL) async throws -> String {
    var request = URLRequest(url: url)
    request.cachePolicy = .reloadIgnoringCacheData
    let (data, response) = try await URLSession.shared.data(for: request)
    if let response = response as? HTTPURLResponse, response.statusCode != 200 {
      throw URLError(.badServerResponse)
    }
    return String(decoding: data, as: UTF8.self)
  }

  func firstLine(at url: URL) async throws -> String? {
    let (bytes, _) = try await URLSession.shared.bytes(from: url)
    for try await line in bytes.lines { return line }
    return nil
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    calls.yield("response \(response.mimeType ?? "")")
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { $0.replies[dataTask.taskIdentifier, default: Data()].append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(request.url?.scheme == "https" ? request : nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    calls.yield("file")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    let isNew = state.withLock { state in
      defer { state.metrics = metrics }
      return state.metrics != metrics
    }
    if isNew { calls.yield("metrics \(metrics.redirectCount)") }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let reply = state.withLock { $0.replies.removeValue(forKey: task.taskIdentifier) }
    calls.yield("complete \(String(decoding: reply ?? Data(), as: UTF8.self))")
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    calls.yield("invalid")
    calls.finish()
  }
}

@Suite(.timeLimit(.minutes(3)))
struct PlainRequestsTests {
  @Test func `the delegate of both sessions receives the reply of a data task`() async throws {
    let client = ShopClient()
    let session = client.session(inBackground: false)
    session.dataTask(with: URL(literal: "data:text/plain,hello")).resume()
    session.finishTasksAndInvalidate()
    var lines: [String] = []
    for await line in client.lines { lines.append(line) }
    #expect(lines == ["response text/plain", "metrics 0", "complete hello", "invalid"])
  }

  @Test func `the shared session needs no delegate`() async throws {
    let client = ShopClient()
    #expect(try await client.title(at: URL(literal: "data:text/plain,Title")) == "Title")
    #expect(try await client.firstLine(at: URL(literal: "data:text/plain,one%0Atwo")) == "one")
    let price = await withCheckedContinuation { continuation in
      client.price(at: URL(literal: "data:text/plain,17")) { continuation.resume(returning: $0) }
    }
    #expect(try price.get() == "17")
  }

  @Test func `the background session of the same client downloads`() throws {
    _ = try Scratch()
    let client = ShopClient()
    let session = client.session(inBackground: true)
    let task = session.downloadTask(with: URL(literal: "http://127.0.0.1:9/book"))
    #expect(task.state == .suspended)
    #expect(session.configuration.identifier == "org.example.catalogue")
    #expect(session.delegate === client)
  }
}
