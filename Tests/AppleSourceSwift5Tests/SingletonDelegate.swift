import BackgroundTransfer
import Foundation
import Testing

typealias EventsHandler = () -> Void

/// One object is the delegate of all sessions of the program, and stores the handler of each.
class PostOffice: NSObject, URLSessionDelegate, URLSessionTaskDelegate, URLSessionDownloadDelegate {
  struct Names {
    static let letters: String = "org_example_letters"
  }

  class var shared: PostOffice {
    struct Holder {
      static let office = PostOffice()
    }
    return Holder.office
  }

  var handlers: [String: EventsHandler] = [:]
  var journal: [String] = []

  func makeSession(_ identifier: String) -> URLSession {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }

  func keep(_ handler: @escaping EventsHandler, for identifier: String) {
    handlers[identifier] = handler
  }

  func callHandler(of identifier: String) {
    guard let handler = handlers.removeValue(forKey: identifier) else { return }
    handler()
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
    journal.append("invalid: \(error?.localizedDescription ?? "as wanted")")
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust,
      let trust = space.serverTrust
    else {
      completionHandler(.performDefaultHandling, nil)
      return
    }
    completionHandler(.useCredential, URLCredential(trust: trust))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard challenge.previousFailureCount == 0 else {
      completionHandler(.cancelAuthenticationChallenge, nil)
      return
    }
    let login = URLCredential(user: "clerk", password: "stamp", persistence: .forSession)
    completionHandler(.useCredential, login)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    journal.append("\(session) has task \(downloadTask) at \(location.path)")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    journal.append("\(bytesWritten), \(totalBytesWritten) of \(totalBytesExpectedToWrite)")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    journal.append("again from \(fileOffset) of \(expectedTotalBytes)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    journal.append("sent \(totalBytesSent) of \(totalBytesExpectedToSend)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    if let identifier = session.configuration.identifier, !identifier.isEmpty {
      callHandler(of: identifier)
    }
  }
}

/// The object that UIKit would call.
final class PostOfficeApplication: ApplicationDelegate {
  func application(
    handleEventsForBackgroundURLSession identifier: String,
    completionHandler: @escaping () -> Void
  ) {
    _ = PostOffice.shared.makeSession(identifier)
    PostOffice.shared.keep(completionHandler, for: identifier)
  }
}

@Suite(.timeLimit(.minutes(3)), .serialized)
struct SingletonDelegateTests {
  @Test func `an identifier has exactly one session`() throws {
    let scratch = try Scratch()
    let first = PostOffice.shared.makeSession(PostOffice.Names.letters)
    let second = PostOffice.shared.makeSession(PostOffice.Names.letters)
    let other = PostOffice.shared.makeSession("org_example_parcels")
    #expect(first == second)
    #expect(first != other)
    #expect(first.delegate === PostOffice.shared)
    withExtendedLifetime(scratch) {}
  }

  @Test func `a handler is called once for its session`() throws {
    let scratch = try Scratch()
    let identifier = "org_example_handlers"
    let session = PostOffice.shared.makeSession(identifier)
    var callCount = 0
    PostOfficeApplication().application(
      handleEventsForBackgroundURLSession: identifier, completionHandler: { callCount += 1 })
    let delegate: URLSessionDelegate = PostOffice.shared
    delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
    delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
    #expect(callCount == 1)
    withExtendedLifetime(scratch) {}
  }

  @Test func `progress calls and invalidation reach the program's own methods`() throws {
    let scratch = try Scratch()
    let session = PostOffice.shared.makeSession("org_example_progress")
    let request = URLRequest(url: URL(literal: "http://127.0.0.1:9/parcel"))
    let task = session.downloadTask(with: request)
    let delegate: URLSessionDownloadDelegate = PostOffice.shared
    PostOffice.shared.journal = []
    delegate.urlSession(
      session, downloadTask: task, didResumeAtOffset: 7, expectedTotalBytes: 20)
    delegate.urlSession(
      session, downloadTask: task, didWriteData: 3, totalBytesWritten: 10,
      totalBytesExpectedToWrite: 20)
    delegate.urlSession(
      session, task: task, didSendBodyData: 1, totalBytesSent: 1, totalBytesExpectedToSend: 2)
    delegate.urlSession(session, didBecomeInvalidWithError: nil)
    #expect(
      PostOffice.shared.journal == [
        "again from 7 of 20", "3, 10 of 20", "sent 1 of 2", "invalid: as wanted",
      ])
    withExtendedLifetime(scratch) {}
  }
}
