import BackgroundTransfer
import Foundation
import Synchronization
import Testing

/// What an order ends with, when its task is complete and measured.
struct OrderEnd: Sendable {
  var body = Data()
  var response: HTTPURLResponse?
  var metrics: URLSessionTaskMetrics?
  var error: (any Error)?
}

/// Observes all traffic of a client.
protocol TrafficMonitor: Sendable {
  func task(_ task: URLSessionTask, didReceive response: HTTPURLResponse)
  func sessionDidBecomeInvalid(_ session: URLSession)
}

extension TrafficMonitor {
  func task(_ task: URLSessionTask, didReceive response: HTTPURLResponse) {}
  func sessionDidBecomeInvalid(_ session: URLSession) {}
}

/// A client over one session, for any code of the program. Orders are found by their tasks.
final class SharedClient: NSObject, Sendable {
  private struct Order {
    var end = OrderEnd()
    var isComplete = false
    let continuation: CheckedContinuation<OrderEnd, Never>
  }

  private struct State {
    var session: URLSession?
    var orders: [URLSessionTask: Order] = [:]
  }

  private let state = Mutex(State())
  private let rootQueue = DispatchQueue(label: "org.example.shop.root")
  private let monitors: [any TrafficMonitor]
  private let login: URLCredential?

  init(
    configuration: URLSessionConfiguration = .shop, monitors: [any TrafficMonitor] = [],
    login: URLCredential? = nil
  ) {
    self.monitors = monitors
    self.login = login
    super.init()
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.underlyingQueue = rootQueue
    queue.name = "org.example.shop.delegate"
    let session = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
    state.withLock { $0.session = session }
  }

  var session: URLSession? { state.withLock { $0.session } }

  func end(
    cancelling isCancelled: Bool = false,
    of make: @Sendable (URLSession) -> URLSessionTask?
  ) async -> OrderEnd? {
    guard let session, let task = make(session) else { return nil }
    return await withCheckedContinuation { continuation in
      state.withLock { $0.orders[task] = Order(continuation: continuation) }
      task.resume()
      if isCancelled { task.cancel() }
    }
  }

  func cancelAll() {
    session?.getAllTasks { tasks in tasks.forEach { $0.cancel() } }
  }

  private func change(_ task: URLSessionTask, _ body: (inout Order) -> Void) {
    let ended = state.withLock { state -> Order? in
      guard var order = state.orders[task] else { return nil }
      body(&order)
      state.orders[task] = order
      guard order.isComplete, order.end.metrics != nil else { return nil }
      return state.orders.removeValue(forKey: task)
    }
    ended.map { $0.continuation.resume(returning: $0.end) }
  }
}

extension URLSessionConfiguration {
  static var shop: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = ["Accept-Language": "en;q=1.0", "User-Agent": "Shop/1"]
    configuration.urlCache = URLCache.shared
    return configuration
  }
}

extension SharedClient: URLSessionTaskDelegate {
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    for monitor in monitors { monitor.sessionDidBecomeInvalid(session) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard challenge.previousFailureCount == 0 else { return (.rejectProtectionSpace, nil) }
    return login.map { (.useCredential, $0) } ?? (.performDefaultHandling, nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    change(task) { $0.end.metrics = metrics }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    change(task) {
      $0.end.error = error
      $0.end.response = task.response as? HTTPURLResponse
      $0.isComplete = true
    }
  }
}

extension SharedClient: URLSessionDataDelegate {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse {
      for monitor in monitors { monitor.task(dataTask, didReceive: response) }
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    change(dataTask) { $0.end.body.append(data) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    completionHandler(nil)
  }
}

extension SharedClient: URLSessionDownloadDelegate {
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    let body = (try? Data(contentsOf: location)) ?? Data()
    change(downloadTask) { $0.end.body = body }
  }
}

@Suite(.timeLimit(.minutes(3)))
struct SharedClientTests {
  private let client = SharedClient(monitors: [Silence()])

  private struct Silence: TrafficMonitor {}

  @Test func `an order ends when its task is complete and measured`() async throws {
    let end = try #require(
      await client.end { $0.dataTask(with: URL(literal: "data:text/plain,tea")) })
    #expect(end.body == Data("tea".utf8) && end.error == nil)
    let metrics = try #require(end.metrics)
    #expect(metrics.redirectCount == 0)
    #expect(metrics.transactionMetrics.last?.resourceFetchType == .networkLoad)
    client.session?.finishTasksAndInvalidate()
  }

  @Test func `an order that fails or is cancelled ends too`() async throws {
    let refused = try #require(
      await client.end { $0.downloadTask(with: URL(literal: "http://127.0.0.1:9/tea")) })
    #expect((refused.error as? URLError)?.code == .cannotConnectToHost)
    let cancelled = try #require(
      await client.end(cancelling: true) {
        $0.dataTask(with: URL(literal: "http://127.0.0.1:9/tea"))
      })
    #expect(cancelled.error != nil)
    client.cancelAll()
  }
}
