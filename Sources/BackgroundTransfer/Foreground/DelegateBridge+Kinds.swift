import Foundation
import FoundationNetworking

// What FoundationNetworking reports about data tasks, downloads and web sockets.

extension DelegateBridge: FoundationNetworking.URLSessionDataDelegate {
  func urlSession(
    _ session: System.Session, dataTask: System.DataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (System.Session.ResponseDisposition) -> Void
  ) {
    // FoundationNetworking does not wait for this, and ignores it.
    completionHandler(.allow)
    guard let entry = entry(dataTask.taskIdentifier) else { return }
    handle(.response(response), of: entry.backing)
  }

  func urlSession(_ session: System.Session, dataTask: System.DataTask, didReceive data: Data) {
    guard let entry = entry(dataTask.taskIdentifier) else { return }
    handle(.data(data), of: entry.backing)
  }

  func urlSession(
    _ session: System.Session, dataTask: System.DataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    let isTold = entry(dataTask.taskIdentifier).map { entry in
      tell(entry) { (delegate: any URLSessionDataDelegate, session, task) in
        guard let task = task as? URLSessionDataTask else { return }
        delegate.urlSession(
          session, dataTask: task, willCacheResponse: proposedResponse,
          completionHandler: completionHandler)
      }
    }
    if isTold != true { completionHandler(proposedResponse) }
  }
}

extension DelegateBridge: FoundationNetworking.URLSessionDownloadDelegate {
  func urlSession(
    _ session: System.Session, downloadTask: System.DownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    guard let entry = entry(downloadTask.taskIdentifier) else { return Self.remove(location) }
    guard case .delegate = entry.backing.receiver else {
      return entry.backing.take(file: location)
    }
    let isTold = tell(entry) { (delegate: any URLSessionDownloadDelegate, session, task) in
      defer { Self.remove(location) }
      guard let task = task as? URLSessionDownloadTask else { return }
      delegate.urlSession(session, downloadTask: task, didFinishDownloadingTo: location)
    }
    if !isTold { Self.remove(location) }
  }

  func urlSession(
    _ session: System.Session, downloadTask: System.DownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    guard let entry = entry(downloadTask.taskIdentifier) else { return }
    entry.backing.take(receivedByteCount: totalBytesWritten)
    tell(entry) { (delegate: any URLSessionDownloadDelegate, session, task) in
      guard let task = task as? URLSessionDownloadTask else { return }
      delegate.urlSession(
        session, downloadTask: task, didWriteData: bytesWritten,
        totalBytesWritten: totalBytesWritten, totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }
  }
}

extension DelegateBridge: FoundationNetworking.URLSessionWebSocketDelegate {
  func urlSession(
    _ session: System.Session, webSocketTask: System.WebSocketTask,
    didOpenWithProtocol protocol: String?
  ) {
    guard let entry = entry(webSocketTask.taskIdentifier) else { return }
    tell(entry) { (delegate: any URLSessionWebSocketDelegate, session, task) in
      guard let task = task as? URLSessionWebSocketTask else { return }
      delegate.urlSession(session, webSocketTask: task, didOpenWithProtocol: `protocol`)
    }
  }

  func urlSession(
    _ session: System.Session, webSocketTask: System.WebSocketTask,
    didCloseWith closeCode: System.WebSocketTask.CloseCode, reason: Data?
  ) {
    guard let entry = entry(webSocketTask.taskIdentifier) else { return }
    tell(entry) { (delegate: any URLSessionWebSocketDelegate, session, task) in
      guard let task = task as? URLSessionWebSocketTask else { return }
      delegate.urlSession(session, webSocketTask: task, didCloseWith: closeCode, reason: reason)
    }
  }
}
