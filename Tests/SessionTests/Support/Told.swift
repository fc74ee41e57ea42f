import BackgroundTransfer
import Foundation
import Testing
import TestSupport

/// A delegate that records its calls as a list of texts.
///
/// Consecutive progress reports are one entry, the last: their number depends on the machine. Their
/// byte counts must still add up.
final class Told: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

  struct State: Sendable {
    var calls: [String] = []
    var files: [Int: Data] = [:]
    var places: [Int: URL] = [:]
    var errors: [Int: URLError] = [:]
    var metrics: [Int: URLSessionTaskMetrics] = [:]
    var sessionError: URLError?
    /// The sum of the bytes in the reports of a task.
    var byteCounts: [Int: Int64] = [:]
  }

  let state = Monitor(State())
  private let judge: @Sendable (URLAuthenticationChallenge) -> Answer
  private let take: @Sendable (URL) -> Void

  init(
    judge: @escaping @Sendable (URLAuthenticationChallenge) -> Answer = { _ in
      (.performDefaultHandling, nil)
    },
    take: @escaping @Sendable (URL) -> Void = { _ in }
  ) {
    self.judge = judge
    self.take = take
  }

  var calls: [String] { state.read { $0.calls } }
  func file(of task: URLSessionTask) -> Data? { state.read { $0.files[task.taskIdentifier] } }
  func text(of task: URLSessionTask) -> String? {
    file(of: task).map { String(decoding: $0, as: UTF8.self) }
  }
  func place(of task: URLSessionTask) -> URL? { state.read { $0.places[task.taskIdentifier] } }
  func error(of task: URLSessionTask) -> URLError? {
    state.read { $0.errors[task.taskIdentifier] }
  }

  func metrics(of task: URLSessionTask) -> URLSessionTaskMetrics? {
    state.read { $0.metrics[task.taskIdentifier] }
  }

  /// Waits for a call, and returns all calls so far.
  @discardableResult
  func wait(
    for call: String, budgetMilliseconds: Int64 = 30_000
  ) async throws -> [String] {
    try await wait("the call \"\(call)\"", budgetMilliseconds: budgetMilliseconds) {
      $0.contains { $0.hasPrefix(call) }
    }
  }

  @discardableResult
  func wait(
    _ what: String, budgetMilliseconds: Int64 = 30_000,
    _ isReached: @escaping @Sendable ([String]) -> Bool
  ) async throws -> [String] {
    try await state.wait(for: what, budgetMilliseconds: budgetMilliseconds) {
      isReached($0.calls)
    }.calls
  }

  /// Ends the session after its tasks, and returns all its calls.
  func all(_ session: URLSession) async throws -> [String] {
    session.finishTasksAndInvalidate()
    return try await wait(for: "invalid")
  }

  /// Ends the session after its tasks, and compares all its calls.
  func expect(
    _ expected: [String], of session: URLSession,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let calls = try await all(session)
    #expect(calls == expected, sourceLocation: sourceLocation)
  }

  private func note(_ call: String, _ change: (inout State) -> Void = { _ in }) {
    state.update { state in
      change(&state)
      state.calls.append(call)
    }
  }

  private func progress(
    _ verb: String, _ task: URLSessionTask, _ bytes: Int64, _ total: Int64, _ expected: Int64
  ) {
    state.update { state in
      let start = "\(verb) \(task.taskIdentifier) "
      let sum = state.byteCounts[task.taskIdentifier, default: 0] + bytes
      // Less than before: the download restarted from zero.
      state.byteCounts[task.taskIdentifier] = sum > total ? total : sum
      if sum < total { state.calls.append("\(start)\(total - sum) bytes were never told") }
      if state.calls.last?.hasPrefix(start) == true { state.calls.removeLast() }
      state.calls.append("\(start)\(total)/\(expected)")
    }
  }

  // MARK: Sessions

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    let code = (error as? URLError)?.code.rawValue
    note(code.map { "invalid \($0)" } ?? "invalid") { $0.sessionError = error as? URLError }
  }

  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { note("events") }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, "session", completionHandler)
  }

  private func answer(
    _ challenge: URLAuthenticationChallenge, _ whose: String,
    _ handler: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    let method = space.authenticationMethod.dropFirst("NSURLAuthenticationMethod".count)
    let realm = space.realm.map { " \($0)" } ?? ""
    note("challenge \(whose) \(method)\(realm) \(challenge.previousFailureCount)")
    let (disposition, credential) = judge(challenge)
    handler(disposition, credential)
  }

  // MARK: Tasks

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, "\(task.taskIdentifier)", completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    didReceiveInformationalResponse response: HTTPURLResponse
  ) {
    note("informed \(task.taskIdentifier) \(response.statusCode)")
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    progress("sent", task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
  }

  /// Recorded without a call, because every task has them.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    state.update { $0.metrics[task.taskIdentifier] = metrics }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let code = error.map { ($0 as? URLError).map { "\($0.code.rawValue)" } ?? "\($0)" }
    note("completed \(task.taskIdentifier) \(code ?? "nil")") {
      $0.errors[task.taskIdentifier] = error as? URLError
    }
  }

  // MARK: Downloads

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didFinishDownloadingTo location: URL
  ) {
    let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
    let data = FileManager.default.contents(atPath: location.path)
    let lack = data == nil ? " without its file" : ""
    note("finished \(downloadTask.taskIdentifier) \(status)\(lack)") {
      $0.files[downloadTask.taskIdentifier] = data
      $0.places[downloadTask.taskIdentifier] = location
    }
    take(location)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    progress("wrote", downloadTask, bytesWritten, totalBytesWritten, totalBytesExpectedToWrite)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask,
    didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
  ) {
    note("resumed \(downloadTask.taskIdentifier) \(fileOffset)/\(expectedTotalBytes)") {
      $0.byteCounts[downloadTask.taskIdentifier] = fileOffset
    }
  }

  // MARK: Uploads

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let status = (dataTask.response as? HTTPURLResponse)?.statusCode ?? 0
    note("received \(dataTask.taskIdentifier) \(status) \(String(decoding: data, as: UTF8.self))")
  }
}
