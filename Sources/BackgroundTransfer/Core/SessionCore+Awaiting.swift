import Foundation
import FoundationNetworking
import KettleSystem
import KettleTasks

/// The results of the tasks that `URLSession.download(for:to:onConflict:)` awaits.
struct Outcomes: Sendable {
  typealias Waiter = @Sendable (Result<URL, any Error>) -> Void

  private var waiters: [Int64: [Waiter]] = [:]
  private var results: [Int64: Result<URL, any Error>] = [:]

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
        // Claims the result first: a program that exits when it has its file leaves no result
        // behind.
        handle.core.feed(.claimed(number))
        for waiter in waiting { waiter(result) }
      }
    ]
  }

  /// Removes and returns the result if it exists; otherwise adds the waiter and returns nil.
  mutating func wait(for number: Int64, _ waiter: @escaping Waiter) -> Result<URL, any Error>? {
    if let result = results.removeValue(forKey: number) { return result }
    waiters[number, default: []].append(waiter)
    return nil
  }

  func hasResult(of number: Int64) -> Bool { results[number] != nil }

  /// Removes the results whose files no longer exist, and returns their task numbers.
  mutating func removeStale(unless isThere: (URL) -> Bool) -> [Int64] {
    let stale = results.filter { _, result in
      if case .success(let file) = result { !isThere(file) } else { false }
    }
    for number in stale.keys { results[number] = nil }
    return stale.keys.sorted()
  }

  private static func result(
    of end: TaskEnd, path: String?, _ handle: TaskHandle
  ) -> Result<URL, any Error> {
    if let failure = end.failure { return .failure(failure.error(for: handle)) }
    guard let url = path.map({ URL(fileURLWithPath: $0) }) ?? handle.destination else {
      return .failure(URLError(.unknown))
    }
    return .success(url)
  }
}

extension SessionCore {
  func download(_ plan: DownloadPlan) async throws -> URL {
    await withCheckedContinuation { continuation in
      whenAttached { continuation.resume() }
    }
    let stale = state.withLock { state in
      state.outcomes.removeStale { FileManager.default.fileExists(atPath: $0.path) }
    }
    for number in stale { feed(.claimed(number)) }
    let task = makeDownload(plan, duplicates: .separate)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        wait(for: task) { continuation.resume(with: $0) }
      }
    } onCancel: {
      task.cancel()
    }
  }

  private func wait(for task: URLSessionTask, _ waiter: @escaping Outcomes.Waiter) {
    let number = task.handle.number
    let known = state.withLock { $0.outcomes.wait(for: number, waiter) }
    if let known {
      feed(.claimed(number))
      waiter(known)
    } else if task.state == .suspended {
      task.resume()
    }
  }
}
