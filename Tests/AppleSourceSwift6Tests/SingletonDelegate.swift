import BackgroundTransfer
import Foundation
import Synchronization
import Testing

/// The delegate of every session of the program, with its state under a lock.
final class Dispatcher: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  static let shared = Dispatcher()

  private struct State {
    var handlers: [String: @Sendable () -> Void] = [:]
    var lines: [String] = []
    var reply = Data()
  }

  private let state = Mutex(State())

  var lines: [String] { state.withLock { $0.lines } }

  func add(_ handler: @escaping @Sendable () -> Void, for identifier: String) {
    state.withLock { $0.handlers[identifier] = handler }
  }

  func session(_ identifier: String) -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.timeoutIntervalForRequest = 30
    configuration.timeoutIntervalForResource = 24 * 60 * 60
    configuration.waitsForConnectivity = true
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }

  private func note(_ line: String) { state.withLock { $0.lines.append(line) } }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    note("invalid \(error == nil)")
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    switch challenge.protectionSpace.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust:
      guard let trust = challenge.protectionSpace.serverTrust else {
        return completionHandler(.cancelAuthenticationChallenge, nil)
      }
      completionHandler(.useCredential, URLCredential(trust: trust))
    case NSURLAuthenticationMethodClientCertificate:
      completionHandler(.rejectProtectionSpace, nil)
    default:
      completionHandler(.performDefaultHandling, nil)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let methods = [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest]
    guard methods.contains(challenge.protectionSpace.authenticationMethod),
      challenge.previousFailureCount < 2
    else { return completionHandler(.performDefaultHandling, nil) }
    completionHandler(
      .useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    note("sent \(bytesSent), \(totalBytesSent) of \(totalBytesExpectedToSend)")
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { $0.reply += data }
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    note("waits")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let reply = state.withLock { String(decoding: $0.reply, as: UTF8.self) }
    note("complete \(error == nil) \(reply)")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    note("file")
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    guard let identifier = session.configuration.identifier else { return }
    let handler = state.withLock { $0.handlers.removeValue(forKey: identifier) }
    if let handler { DispatchQueue.main.async { handler() } }
  }
}

@Suite(.timeLimit(.minutes(3)), .serialized)
struct SingletonDelegateTests {
  @Test func `the stored handler is called exactly once`() async throws {
    _ = try Scratch()
    let session = Dispatcher.shared.session("org.example.dispatch")
    let delegate: any URLSessionDelegate = Dispatcher.shared
    let calls = AsyncStream.makeStream(of: String.self)
    Dispatcher.shared.add({ calls.continuation.yield("stored") }, for: "org.example.dispatch")
    delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
    delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
    // After whatever the two calls put onto the main queue.
    DispatchQueue.main.async {
      calls.continuation.yield("behind")
      calls.continuation.finish()
    }
    var order: [String] = []
    for await call in calls.stream { order.append(call) }
    #expect(order == ["stored", "behind"])
  }

  @Test func `an upload reports the sent bytes, the response and its completion`() throws {
    let scratch = try Scratch()
    let session = Dispatcher.shared.session("org.example.uploads")
    var request = URLRequest(url: URL(literal: "http://127.0.0.1:9/in"))
    request.httpMethod = "PUT"
    let body = try scratch.file("body", holding: "12345678")
    let task: URLSessionUploadTask = session.uploadTask(with: request, fromFile: body)
    let delegate: any URLSessionDataDelegate = Dispatcher.shared
    delegate.urlSession(
      session, task: task, didSendBodyData: 4, totalBytesSent: 8, totalBytesExpectedToSend: 8)
    delegate.urlSession(session, dataTask: task, didReceive: Data("ok".utf8))
    delegate.urlSession(session, task: task, didCompleteWithError: nil)
    #expect(Dispatcher.shared.lines.suffix(2) == ["sent 4, 8 of 8", "complete true ok"])
    #expect(session.configuration.timeoutIntervalForResource == 86_400)
  }
}
