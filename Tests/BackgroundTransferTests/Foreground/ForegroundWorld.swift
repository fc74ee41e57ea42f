import BackgroundTransfer
import Foundation
import KettleModel
import KettleSystem
import TestSupport
import Testing

/// A delegate with every method that a session which is not a background session calls, and a list
/// of these calls.
final class Listener: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
  /// How the listener answers.
  struct Answers: Sendable {
    var disposition = URLSession.ResponseDisposition.allow
    /// Receives the new request of a redirect, and returns the one to send.
    var redirect: @Sendable (URLRequest) -> URLRequest? = { $0 }
    var challenge: @Sendable (Int) -> (URLSession.AuthChallengeDisposition, URLCredential?) = { _ in
      (.performDefaultHandling, nil)
    }
    var stream: @Sendable () -> InputStream? = { nil }
  }

  private struct State {
    var calls: [String] = []
    var body = Data()
    var file: URL?
    var fileContent: Data?
  }

  private let answers: Answers
  private let state = Mutex(State())
  private let caller: AsyncStream<String>.Continuation
  private let stream: AsyncStream<String>

  init(_ change: (inout Answers) -> Void = { _ in }) {
    var answers = Answers()
    change(&answers)
    self.answers = answers
    (stream, caller) = AsyncStream.makeStream()
  }

  /// The calls so far.
  var calls: [String] { state.withLock { $0.calls } }
  var body: Data { state.withLock { $0.body } }
  var file: URL? { state.withLock { $0.file } }
  var fileContent: Data? { state.withLock { $0.fileContent } }

  /// Waits for a call that begins with this text, and returns all calls so far. Call it from one
  /// place at a time.
  func calls(until prefix: String) async -> [String] {
    for await call in stream where call.hasPrefix(prefix) { break }
    return calls
  }

  private func note(_ call: String, _ change: (inout State) -> Void = { _ in }) {
    state.withLock { state in
      state.calls.append(call)
      change(&state)
    }
    caller.yield(call)
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    note("invalid \(error == nil)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    note("redirect \(response.statusCode) \(request.url?.path ?? "")")
    completionHandler(answers.redirect(request))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    note("challenge \(space.authenticationMethod) \(challenge.previousFailureCount)")
    let (disposition, credential) = answers.challenge(challenge.previousFailureCount)
    completionHandler(disposition, credential)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    note("stream")
    completionHandler(answers.stream())
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    note("sent \(totalBytesSent) of \(totalBytesExpectedToSend)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    note("completed \(task.state) \((error as? URLError)?.code.rawValue ?? 0)")
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
    completionHandler(answers.disposition)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    note("data \(data.count)") { $0.body += data }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    note("file") {
      $0.file = location
      $0.fileContent = try? Data(contentsOf: location)
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    note("wrote \(totalBytesWritten) of \(totalBytesExpectedToWrite)")
  }
}

/// A session and an origin to use it with.
struct ForegroundWorld {
  let origin: ScriptedOrigin
  let listener: Listener
  let session: URLSession

  init(
    _ configuration: URLSessionConfiguration = .ephemeral,
    answers: (inout Listener.Answers) -> Void = { _ in }
  ) throws {
    origin = try ScriptedOrigin()
    origin.serve(.whole(Array("hello world".utf8), mediaType: "text/plain"), at: "/hello")
    listener = Listener(answers)
    session = URLSession(configuration: configuration, delegate: listener, delegateQueue: nil)
  }

  func request(_ path: String, _ method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try url(path))
    request.httpMethod = method
    return request
  }

  func url(_ path: String) throws -> URL {
    try #require(URL(string: try origin.url(path).text))
  }
}

/// A protocol of a program: answers every request for an `answer` URL.
final class AnsweringProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "answer" }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url else { return }
    let response = URLResponse(
      url: url, mimeType: "text/plain", expectedContentLength: 9, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data("an answer".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}
