import Foundation
import FoundationNetworking
import KettleSystem
import KettleTasks

/// The results of the tasks that `URLSession.download(for:to:onConflict:)` and
/// `URLSession.upload(for:fromFile:)` await.
struct Outcomes: Sendable {
  /// The success of a task.
  struct Success: Sendable {
    /// The finished file, or the one with the response to an upload; nil when it has no body.
    var file: URL?
    var response: URLResponse?
  }

  /// Reads what it needs of the result, which the service may then delete, and returns the call
  /// that passes it on.
  typealias Waiter = @Sendable (Result<Success, any Error>) -> (@Sendable () -> Void)

  private var waiters: [Int64: [Waiter]] = [:]
  private var results: [Int64: Result<Success, any Error>] = [:]

  /// Records the end of a task and returns the calls that notify its waiters. Without waiters,
  /// keeps the result until a waiter requests it.
  mutating func recordEnd(
    of number: Int64, _ end: TaskEnd, path: String?, handle: TaskHandle?
  ) -> [@Sendable () -> Void] {
    guard let handle else { return [] }
    let result = Self.result(of: end, path: path, handle)
    guard let waiting = waiters.removeValue(forKey: number) else {
      results[number] = result
      return []
    }
    return [
      {
        let calls = waiting.map { $0(result) }
        // Claims the result first: a program that exits when it has its file leaves no result
        // behind.
        handle.core.feed(.claimed(number))
        for call in calls { call() }
      }
    ]
  }

  /// Removes and returns the result if it exists; otherwise adds the waiter and returns nil.
  mutating func wait(
    for number: Int64, _ waiter: @escaping Waiter
  ) -> Result<Success, any Error>? {
    if let result = results.removeValue(forKey: number) { return result }
    waiters[number, default: []].append(waiter)
    return nil
  }

  func hasResult(of number: Int64) -> Bool { results[number] != nil }

  /// Removes the results whose files no longer exist, and returns their task numbers.
  mutating func removeStale(unless isThere: (URL) -> Bool) -> [Int64] {
    let stale = results.filter { _, result in
      if case .success(let success) = result, let file = success.file {
        !isThere(file)
      } else {
        false
      }
    }
    for number in stale.keys { results[number] = nil }
    return stale.keys.sorted()
  }

  private static func result(
    of end: TaskEnd, path: String?, _ handle: TaskHandle
  ) -> Result<Success, any Error> {
    if let failure = end.failure { return .failure(failure.error(for: handle)) }
    let file = path.map { URL(fileURLWithPath: $0) } ?? handle.destination
    return .success(Success(file: file, response: handle.response))
  }
}

extension SessionCore {
  /// - Returns: where the file is.
  func download(_ plan: DownloadPlan) async throws -> URL {
    await removeStaleResults()
    return try await result(of: makeDownload(plan, duplicates: .separate)) { success in
      guard let file = success.file else { throw URLError(.unknown) }
      return file
    }
  }

  /// - Returns: the body of the response, and the response.
  func upload(_ request: URLRequest, file: URL) async throws -> (Data, URLResponse) {
    await removeStaleResults()
    let task = makeUpload(request, file: file, isAwaited: true)
    return try await result(of: task) { success in
      guard let response = success.response else { throw URLError(.unknown) }
      return (try success.file.map { try Data(contentsOf: $0) } ?? Data(), response)
    }
  }

  private func removeStaleResults() async {
    await withCheckedContinuation { continuation in
      whenAttached { continuation.resume() }
    }
    let stale = state.withLock { state in
      state.outcomes.removeStale { FileManager.default.fileExists(atPath: $0.path) }
    }
    for number in stale { feed(.claimed(number)) }
  }

  private func result<Value: Sendable>(
    of task: URLSessionTask,
    _ take: @escaping @Sendable (Outcomes.Success) throws -> Value
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        wait(for: task) { result in
          let value = result.flatMap { success in Result { try take(success) } }
          return { continuation.resume(with: value) }
        }
      }
    } onCancel: {
      task.cancel()
    }
  }

  private func wait(for task: URLSessionTask, _ waiter: @escaping Outcomes.Waiter) {
    let number = task.handle.number
    let known = state.withLock { $0.outcomes.wait(for: number, waiter) }
    if let known {
      let call = waiter(known)
      feed(.claimed(number))
      call()
    } else if task.state == .suspended {
      task.resume()
    }
  }
}
