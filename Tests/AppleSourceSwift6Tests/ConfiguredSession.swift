import BackgroundTransfer
import Foundation
import Testing

/// A downloader of a shop: everything is configured, measured and resumable.
final class ShopDownloader: NSObject, URLSessionDownloadDelegate, Sendable {
  static func configuration(_ identifier: String) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.httpMaximumConnectionsPerHost = 100000
    configuration.httpCookieStorage = HTTPCookieStorage.shared
    configuration.httpCookieAcceptPolicy = .always
    configuration.httpShouldSetCookies = true
    configuration.urlCredentialStorage = nil
    configuration.urlCache = nil
    configuration.protocolClasses = nil
    configuration.multipathServiceType = .handover
    configuration.connectionProxyDictionary = ["HTTPEnable": 0, "HTTPSEnable": 0]
    return configuration
  }

  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    task.taskDescription = task.taskDescription ?? "new"
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler:
      @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    var newRequest = request
    newRequest.setValue("1", forHTTPHeaderField: "X-Delayed")
    completionHandler(.useNewRequest, newRequest)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    for transaction in metrics.transactionMetrics
    where transaction.resourceFetchType == .networkLoad {
      if let start = transaction.domainLookupStartDate, let end = transaction.domainLookupEndDate {
        print(end.timeIntervalSince(start), transaction.networkProtocolName ?? "")
      }
      print(transaction.countOfResponseBodyBytesReceived, transaction.isReusedConnection)
    }
    print(metrics.redirectCount, metrics.taskInterval)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    let name = downloadTask.response?.suggestedFilename ?? location.lastPathComponent
    let target = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try? FileManager.default.moveItem(at: location, to: target)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {}
}

/// What resume data says about its download, for code that shows it or moves its file.
enum ResumeDataReader {
  static func dictionary(_ data: Data) -> [String: Any]? {
    let list = try? PropertyListSerialization.propertyList(
      from: data, options: .mutableContainersAndLeaves, format: nil)
    return list as? [String: Any]
  }

  static func temporaryName(_ data: Data) -> String? {
    guard let list = dictionary(data), let version = list["NSURLSessionResumeInfoVersion"] as? Int
    else { return nil }
    if version > 1 { return list["NSURLSessionResumeInfoTempFileName"] as? String }
    let path = list["NSURLSessionResumeInfoLocalPath"] as? String
    return path.map { URL(fileURLWithPath: $0).lastPathComponent }
  }

  static func receivedByteCount(_ data: Data) -> Int64 {
    (dictionary(data)?["NSURLSessionResumeBytesReceived"] as? NSNumber)?.int64Value ?? 0
  }
}

/// Watches one task beside the delegate of the session.
final class TaskWatcher: NSObject, URLSessionTaskDelegate, Sendable {}

@Suite(.timeLimit(.minutes(3)), .serialized)
struct ConfiguredSessionTests {
  @Test func `a configured session makes tasks with a delegate of their own`() throws {
    _ = try Scratch()
    let session = URLSession(
      configuration: ShopDownloader.configuration("org.example.shop"), delegate: ShopDownloader(),
      delegateQueue: nil)
    let task = session.downloadTask(with: URL(literal: "http://127.0.0.1:9/catalogue"))
    let watcher = TaskWatcher()
    task.delegate = watcher
    #expect(task.taskDescription == "new")
    #expect(task.isEqual(task) && !task.isEqual(session))
    #expect(task.delegate === watcher)
    #expect(session.configuration.multipathServiceType == .handover)
  }

  @Test func `resume data is read as a property list`() throws {
    let list: [String: Any] = [
      "NSURLSessionResumeInfoVersion": 2, "NSURLSessionResumeBytesReceived": 17,
      "NSURLSessionResumeInfoTempFileName": "CFNetworkDownload_1.tmp",
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    #expect(ResumeDataReader.temporaryName(data) == "CFNetworkDownload_1.tmp")
    #expect(ResumeDataReader.receivedByteCount(data) == 17)
    #expect(ResumeDataReader.temporaryName(Data()) == nil)
  }
}
