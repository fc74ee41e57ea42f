import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// The delegate of a FoundationNetworking session. It forwards each event to its receiver: a
/// delegate of this module, a completion handler or an awaiting caller.
final class DelegateBridge: NSObject, Sendable {
  private struct State {
    var delegate: SessionCore.Delegate?
    /// By `ForegroundTask.key`.
    var tasks: [Int: URLSessionTask] = [:]
    /// Retained from the invalidation to the last delegate call.
    var invalidated: URLSession?
  }

  private let state: Mutex<State>
  private let queue: OperationQueue
  private let executor: DelegateExecutor
  /// Whether the delegate decides about redirects.
  private let asksAboutRedirects: Bool

  init(delegate: SessionCore.Delegate?, queue: OperationQueue, asksAboutRedirects: Bool) {
    state = Mutex(State(delegate: delegate))
    self.queue = queue
    self.asksAboutRedirects = asksAboutRedirects
    executor = DelegateExecutor(queue: queue)
  }

  var delegate: (any URLSessionDelegate)? { state.withLock { $0.delegate }?.object }

  /// The unfinished tasks, sorted by number.
  var tasks: [URLSessionTask] {
    state.withLock { Array($0.tasks.values) }.sorted { $0.taskIdentifier < $1.taskIdentifier }
  }

  func insert(_ task: URLSessionTask, under key: Int) {
    state.withLock { $0.tasks[key] = task }
  }

  func retain(_ session: URLSession) { state.withLock { $0.invalidated = session } }

  /// A task of the program and what stands behind it.
  struct Entry: Sendable {
    let task: URLSessionTask
    let backing: ForegroundTask
  }

  func entry(_ key: Int) -> Entry? {
    guard let task = state.withLock({ $0.tasks[key] }),
      let backing = task.backing as? ForegroundTask
    else { return nil }
    return Entry(task: task, backing: backing)
  }

  /// The task's own delegate before the session's.
  private func delegates(of entry: Entry) -> [SessionCore.Delegate] {
    [entry.backing.ownDelegate, state.withLock { $0.delegate }].compactMap { $0 }
  }

  /// Calls the delegate of a task on the delegate queue, or the session's if the task has none of
  /// this type. Returns whether there is one.
  @discardableResult
  func tell<Delegate>(
    _ entry: Entry, _ body: @escaping @Sendable (Delegate, URLSession, URLSessionTask) -> Void
  ) -> Bool {
    guard let found = delegates(of: entry).first(where: { $0.object is Delegate }) else {
      return false
    }
    queue.addOperation {
      guard let delegate = found.object as? Delegate else { return }
      body(delegate, entry.backing.session, entry.task)
    }
    return true
  }
}

// MARK: - Responses and ends

extension DelegateBridge {
  /// Handles an event of a task that may be one that FoundationNetworking does not have.
  func handle(_ event: Reception.Event, of backing: ForegroundTask) {
    guard let entry = entry(backing.key) else { return }
    for action in backing.take(event) { perform(action, for: entry) }
  }

  private func perform(_ action: Reception.Action, for entry: Entry) {
    switch action {
    case .respond(let response): respond(response, to: entry)
    case .receive(let data): receive(data, for: entry)
    case .end(let error):
      state.withLock { $0.tasks[entry.backing.key] = nil }
      if let metrics = entry.backing.metrics() {
        tell(entry) { (delegate: any URLSessionTaskDelegate, session, task) in
          delegate.urlSession(session, task: task, didFinishCollecting: metrics)
        }
      }
      if case .delegate = entry.backing.receiver {
        let isTold = tell(entry) { (delegate: any URLSessionTaskDelegate, session, task) in
          delegate.urlSession(session, task: task, didCompleteWithError: error)
          task.delegate = nil
          entry.backing.membership?.end()
        }
        if !isTold { entry.backing.membership?.end() }
      } else {
        entry.backing.finish(error)
        entry.backing.delegate = nil
        entry.backing.membership?.end()
      }
    }
  }

  private func respond(_ response: URLResponse, to entry: Entry) {
    switch entry.backing.receiver {
    case .data, .file: break
    case .bytes(let flow): flow.respond(response)
    case .delegate:
      tell(entry) { (delegate: any URLSessionDataDelegate, session, task) in
        guard let task = task as? URLSessionDataTask else { return }
        delegate.urlSession(session, dataTask: task, didReceive: response) { disposition in
          switch disposition {
          // FoundationNetworking cannot turn a task into another kind of task.
          case .allow, .becomeDownload, .becomeStream: break
          case .cancel: task.cancel()
          }
        }
      }
    }
  }

  private func receive(_ data: Data, for entry: Entry) {
    switch entry.backing.receiver {
    case .data, .file: break
    case .bytes(let flow): flow.receive(data)
    case .delegate:
      tell(entry) { (delegate: any URLSessionDataDelegate, session, task) in
        guard let task = task as? URLSessionDataTask else { return }
        delegate.urlSession(session, dataTask: task, didReceive: data)
      }
    }
  }

  /// Removes the file of a download if the program has not moved it.
  static func remove(_ file: URL) { try? FileManager.default.removeItem(at: file) }
}

// MARK: - FoundationNetworking.URLSessionDelegate

extension DelegateBridge: FoundationNetworking.URLSessionTaskDelegate {
  func urlSession(_ session: System.Session, didBecomeInvalidWithError error: (any Error)?) {
    queue.addOperation { [self] in
      let (session, delegate) = state.withLock { ($0.invalidated, $0.delegate) }
      if let session { delegate?.object.urlSession(session, didBecomeInvalidWithError: error) }
      state.withLock { state in
        state.delegate = nil
        state.invalidated = nil
      }
    }
  }

  func urlSession(
    _ session: System.Session, task: System.Task, didCompleteWithError error: (any Error)?
  ) {
    guard let entry = entry(task.taskIdentifier) else { return }
    entry.backing.endCancellation()
    handle(.ended(error), of: entry.backing)
  }

  func urlSession(
    _ session: System.Session, task: System.Task, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    guard let entry = entry(task.taskIdentifier) else { return }
    entry.backing.take(sentByteCount: totalBytesSent)
    tell(entry) { (delegate: any URLSessionTaskDelegate, session, task) in
      delegate.urlSession(
        session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
        totalBytesExpectedToSend: totalBytesExpectedToSend)
    }
  }

  func urlSession(
    _ session: System.Session, task: System.Task,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let entry = entry(task.taskIdentifier) else { return completionHandler(nil) }
    // At the beginning of a request, FoundationNetworking needs the stream before this returns.
    if let body = entry.backing.dequeueBody() { return completionHandler(body.stream) }
    askForBody(of: entry) { completionHandler($0.stream) }
  }

  /// Gets the body of a streamed upload from the delegate and keeps it for the next request, which
  /// `start` begins.
  func prepareBody(of backing: ForegroundTask, _ start: @escaping @Sendable () -> Void) {
    guard let entry = entry(backing.key) else { return }
    askForBody(of: entry) { body in
      backing.enqueue(body)
      start()
    }
  }

  private func askForBody(of entry: Entry, _ body: @escaping @Sendable (BodyStream) -> Void) {
    let answer = Once(body)
    let isTold = tell(entry) { (delegate: any URLSessionTaskDelegate, session, task) in
      delegate.urlSession(session, task: task) { answer.call(BodyStream(stream: $0)) }
    }
    if !isTold { answer.call(BodyStream(stream: nil)) }
  }

  func urlSession(
    _ session: System.Session, task: System.Task,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard let entry = entry(task.taskIdentifier) else { return completionHandler(request) }
    let configuration = session.configuration
    let answer = Once<URLRequest?> { answer in
      entry.backing.follow {
        if answer != nil { entry.backing.countRedirect() }
        completionHandler(answer.map { $0.withCookies(of: configuration, from: response.url) })
      }
    }
    guard asksAboutRedirects else { return answer.call(request) }
    let isTold = tell(entry) { (delegate: any URLSessionTaskDelegate, session, task) in
      delegate.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request,
        completionHandler: { answer.call($0) })
    }
    if !isTold { answer.call(request) }
  }

  func urlSession(
    _ session: System.Session, task: System.Task, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (System.Session.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let entry = entry(task.taskIdentifier) else {
      return completionHandler(.cancelAuthenticationChallenge, nil)
    }
    let answer = Once<ChallengeDelivery.Answer> { [self] disposition, credential in
      switch (disposition, credential) {
      case (.useCredential, let credential?):
        handle(.retried, of: entry.backing)
        guard entry.backing.isStreamed else {
          return completionHandler(.useCredential, credential)
        }
        prepareBody(of: entry.backing) { completionHandler(.useCredential, credential) }
      case (.useCredential, nil), (.performDefaultHandling, _):
        endWithoutLogin(task, of: entry, after: challenge)
      case (.cancelAuthenticationChallenge, _), (.rejectProtectionSpace, _):
        completionHandler(.cancelAuthenticationChallenge, nil)
      }
    }
    // FoundationNetworking ends the process when it is to use a credential for another method.
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
    else { return answer.call((.performDefaultHandling, nil)) }
    Task(executorPreference: executor) { [self] in
      let delivery = ChallengeDelivery(
        delegates: delegates(of: entry).map(\.object), session: entry.backing.session,
        task: entry.task, challenge: challenge, isOfConnection: false)
      if await delivery.callDelegate(answer.call) { return }
      let stored = challenge.proposedCredential
      answer.call((stored == nil ? .performDefaultHandling : .useCredential, stored))
    }
  }

  /// Ends a task with the response that wants a login. FoundationNetworking would not end it, and
  /// does not tell where the file of a download is.
  private func endWithoutLogin(
    _ task: System.Task, of entry: Entry, after challenge: URLAuthenticationChallenge
  ) {
    let failure = TaskFailure.transfer(
      TransferFailure(.loginNeeded, on: challenge.protectionSpace.host), resume: nil)
    let error = (task as? System.DownloadTask).map { _ in
      failure.error(url: task.originalRequest?.url)
    }
    handle(.ended(error), of: entry.backing)
    task.cancel()
  }
}

extension URLRequest {
  /// Returns the request with the cookies for its URL. FoundationNetworking leaves them out when a
  /// delegate follows a redirect, and keeps those for the host that redirects.
  fileprivate func withCookies(
    of configuration: System.Configuration, from redirecting: URL?
  ) -> URLRequest {
    guard configuration.httpShouldSetCookies, let storage = configuration.httpCookieStorage,
      let url
    else { return self }
    var request = self
    let fields = HTTPCookie.requestHeaderFields(with: storage.cookies(for: url) ?? [])
    if let text = fields["Cookie"], !text.isEmpty {
      request.setValue(text, forHTTPHeaderField: "Cookie")
    } else if url.host != redirecting?.host {
      request.setValue(nil, forHTTPHeaderField: "Cookie")
    }
    return request
  }
}
