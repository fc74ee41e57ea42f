import BackgroundTransfer
import Foundation
import Testing

/// What the delegate of a session needs to know about the orders behind its tasks.
protocol OrderProvider: AnyObject {
  func order(for task: URLSessionTask) -> Order?
  func credential(for task: URLSessionTask, in space: URLProtectionSpace) -> URLCredential?
  func didGatherMetrics(for task: URLSessionTask)
  func didComplete(_ task: URLSessionTask, then completion: @escaping () -> Void)
}

/// Observers of all traffic; each implements what it wants.
protocol TrafficMonitor {
  var queue: DispatchQueue { get }
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
  func order(_ order: Order, didReceive response: HTTPURLResponse)
}

extension TrafficMonitor {
  var queue: DispatchQueue { .main }
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {}
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {}
  func order(_ order: Order, didReceive response: HTTPURLResponse) {}
}

final class Order: Hashable {
  let id = UUID()
  var body = Data()
  var metrics: [URLSessionTaskMetrics] = []
  var onEnd: ((Order, Error?) -> Void)?

  static func == (left: Order, right: Order) -> Bool { left.id == right.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The delegate of the session, which programs may subclass.
open class TrafficDelegate: NSObject {
  weak var provider: OrderProvider?
  var monitor: TrafficMonitor?
}

extension TrafficDelegate: URLSessionDelegate {
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    monitor?.urlSession(session, didBecomeInvalidWithError: error)
  }
}

extension TrafficDelegate: URLSessionTaskDelegate {
  typealias Evaluation = (
    disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?
  )

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let evaluation = attempt(challenge, of: task)
    completionHandler(evaluation.disposition, evaluation.credential)
  }

  private func attempt(
    _ challenge: URLAuthenticationChallenge, of task: URLSessionTask
  ) -> Evaluation {
    switch challenge.protectionSpace.authenticationMethod {
    case NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest,
      NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNegotiate:
      guard challenge.previousFailureCount == 0 else { return (.rejectProtectionSpace, nil) }
      guard let login = provider?.credential(for: task, in: challenge.protectionSpace) else {
        return (.performDefaultHandling, nil)
      }
      return (.useCredential, login)
    default:
      return (.performDefaultHandling, nil)
    }
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(request)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    provider?.order(for: task)?.metrics.append(metrics)
    monitor?.urlSession(session, task: task, didFinishCollecting: metrics)
    provider?.didGatherMetrics(for: task)
  }

  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let order = provider?.order(for: task)
    provider?.didComplete(task) {
      if let order = order { order.onEnd?(order, error) }
    }
  }
}

extension TrafficDelegate: URLSessionDataDelegate {
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse,
      let order = provider?.order(for: dataTask)
    else {
      completionHandler(.allow)
      return
    }
    monitor?.order(order, didReceive: response)
    completionHandler(.allow)
  }

  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
  ) {
    provider?.order(for: dataTask)?.body.append(data)
  }

  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping (CachedURLResponse?) -> Void
  ) {
    completionHandler(proposedResponse)
  }
}

extension TrafficDelegate: URLSessionDownloadDelegate {
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    guard let order = provider?.order(for: downloadTask) else { return }
    order.body = (try? Data(contentsOf: location)) ?? Data()
  }
}

extension URLSessionConfiguration {
  /// The configuration of the shop's clients.
  static var shop: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = ["Accept-Language": "en;q=1.0", "User-Agent": "Shop/1"]
    configuration.urlCache = URLCache.shared
    return configuration
  }
}

/// A client whose session, delegate and queue are given to it, and which ends an order when its
/// task is complete and measured.
final class SharedClient: OrderProvider {
  let session: URLSession
  private let delegate: TrafficDelegate
  private let rootQueue: DispatchQueue
  private var orders: [URLSessionTask: Order] = [:]
  private var events: [URLSessionTask: (completed: Bool, measured: Bool)] = [:]
  private var ends: [URLSessionTask: () -> Void] = [:]

  init(session: URLSession, delegate: TrafficDelegate, rootQueue: DispatchQueue) {
    precondition(session.configuration.identifier == nil, "Not for background sessions")
    precondition(session.delegateQueue.underlyingQueue === rootQueue)
    self.session = session
    self.delegate = delegate
    self.rootQueue = rootQueue
    delegate.provider = self
  }

  convenience init(
    configuration: URLSessionConfiguration = .shop, delegate: TrafficDelegate = TrafficDelegate()
  ) {
    let rootQueue = DispatchQueue(label: "org.example.shop.root")
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.underlyingQueue = rootQueue
    queue.name = "org.example.shop.delegate"
    let session = URLSession(
      configuration: configuration, delegate: delegate, delegateQueue: queue)
    self.init(session: session, delegate: delegate, rootQueue: rootQueue)
  }

  deinit { session.invalidateAndCancel() }

  func start(
    _ make: (URLSession) -> URLSessionTask, onEnd: @escaping (Order, Error?) -> Void
  ) -> URLSessionTask {
    rootQueue.sync {
      let task = make(session)
      let order = Order()
      order.onEnd = onEnd
      orders[task] = order
      events[task] = (completed: false, measured: false)
      task.resume()
      return task
    }
  }

  func order(for task: URLSessionTask) -> Order? {
    dispatchPrecondition(condition: .onQueue(rootQueue))
    return orders[task]
  }

  func credential(for task: URLSessionTask, in space: URLProtectionSpace) -> URLCredential? {
    session.configuration.urlCredentialStorage?.defaultCredential(for: space)
  }

  func didGatherMetrics(for task: URLSessionTask) {
    events[task]?.measured = true
    endIfPossible(task)
  }

  func didComplete(_ task: URLSessionTask, then completion: @escaping () -> Void) {
    events[task]?.completed = true
    ends[task] = completion
    endIfPossible(task)
  }

  private func endIfPossible(_ task: URLSessionTask) {
    guard let event = events[task], event.completed, event.measured else { return }
    orders[task] = nil
    events[task] = nil
    ends.removeValue(forKey: task)?()
  }
}

@Suite(.timeLimit(.minutes(3)))
struct SharedClientTests {
  private func end(
    cancels: Bool = false, _ make: (URLSession) -> URLSessionTask
  ) async -> (body: String, metrics: URLSessionTaskMetrics?, error: URLError?) {
    let client = SharedClient()
    defer { withExtendedLifetime(client) {} }
    return await withCheckedContinuation { continuation in
      let task = client.start(make) { order, error in
        continuation.resume(
          returning: (
            String(decoding: order.body, as: UTF8.self), order.metrics.first, error as? URLError
          ))
      }
      if cancels { task.cancel() }
    }
  }

  @Test func `an order ends when its task is complete and measured`() async throws {
    let end = await end { $0.dataTask(with: URL(literal: "data:text/plain,tea")) }
    #expect(end.body == "tea")
    #expect(end.error == nil)
    let metrics = try #require(end.metrics)
    #expect(metrics.redirectCount == 0)
    #expect(metrics.transactionMetrics.last?.resourceFetchType == .networkLoad)
  }

  @Test func `an order that fails or is cancelled ends too`() async {
    let refused = await end { $0.downloadTask(with: URL(literal: "http://127.0.0.1:9/tea")) }
    #expect(refused.error?.code == .cannotConnectToHost)
    #expect(refused.metrics != nil)
    let cancelled = await end(cancels: true) {
      $0.dataTask(with: URL(literal: "http://127.0.0.1:9/tea"))
    }
    #expect(cancelled.error != nil && cancelled.metrics != nil)
  }
}
