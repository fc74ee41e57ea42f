import BackgroundTransfer
import Foundation
import KettleSystem

/// A delegate that records its calls as one list of texts.
final class Recorder: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
  private struct State {
    var calls: [String] = []
    var errors: [Int: URLError] = [:]
    var sessionError: URLError?
    var contents: [Int: String] = [:]
  }

  private let state = Mutex(State())
  private let changed = NSCondition()

  var calls: [String] { state.withLock { $0.calls } }
  func error(of task: URLSessionTask) -> URLError? {
    state.withLock { $0.errors[task.taskIdentifier] }
  }
  var sessionError: URLError? { state.withLock { $0.sessionError } }
  func content(of task: URLSessionTask) -> String? {
    state.withLock { $0.contents[task.taskIdentifier] }
  }

  /// Waits for this call. Returns false on timeout.
  func wait(for call: String) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 60)
    changed.lock()
    defer { changed.unlock() }
    while !calls.contains(call) {
      guard changed.wait(until: deadline) else { return false }
    }
    return true
  }

  private func note(_ call: String, _ change: (inout State) -> Void = { _ in }) {
    state.withLock { state in
      state.calls.append(call)
      change(&state)
    }
    changed.lock()
    changed.broadcast()
    changed.unlock()
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    note("invalid") { $0.sessionError = error as? URLError }
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { note("events") }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    note("sent \(task.taskIdentifier) \(bytesSent) \(totalBytesSent) \(totalBytesExpectedToSend)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    note("completed \(task.taskIdentifier) \((error as? URLError)?.code.rawValue ?? 0)") {
      $0.errors[task.taskIdentifier] = error as? URLError
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    let content = (try? Data(contentsOf: location)).map { String(decoding: $0, as: UTF8.self) }
    note("finished \(downloadTask.taskIdentifier)") {
      $0.contents[downloadTask.taskIdentifier] = content
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    note(
      "wrote \(downloadTask.taskIdentifier) \(bytesWritten) \(totalBytesWritten) "
        + "\(totalBytesExpectedToWrite)")
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    note("resumed \(downloadTask.taskIdentifier) \(fileOffset) \(expectedTotalBytes)")
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    note("received \(dataTask.taskIdentifier) \(data.count)")
  }
}

/// Creates a session with its own identifier and this service.
struct SessionWorld {
  let service: FakeService
  let recorder = Recorder()
  let session: URLSession

  init(
    isRunning: Bool = true, identifier: String = UUID().uuidString,
    prepare: (FakeService) -> Void = { _ in },
    configure: (URLSessionConfiguration) -> Void = { _ in }
  ) throws {
    service = try FakeService()
    prepare(service)
    if isRunning { try service.start() }
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.servicePaths = service.paths
    configuration.serviceExecutable = "/nonexistent/kettle"
    configure(configuration)
    session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
  }

  static let url = URL(string: "http://books.example/b") ?? URL(fileURLWithPath: "/")
}
