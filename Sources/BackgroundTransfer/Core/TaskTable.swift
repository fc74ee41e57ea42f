import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// The task objects of a session, indexed by number and by download.
struct TaskTable: Sendable {
  private var byNumber: [Int64: URLSessionTask] = [:]
  /// Lets a session with thousands of downloads find a duplicate quickly.
  private var byDownload: [DownloadKey: Set<Int64>] = [:]

  var all: some Collection<URLSessionTask> { byNumber.values }

  subscript(number: Int64) -> URLSessionTask? { byNumber[number] }

  mutating func insert(_ task: URLSessionTask) {
    byNumber[task.handle.number] = task
    if let key = DownloadKey(task.handle) {
      byDownload[key, default: []].insert(task.handle.number)
    }
  }

  mutating func remove(_ number: Int64) {
    guard let task = byNumber.removeValue(forKey: number), let key = DownloadKey(task.handle)
    else { return }
    byDownload[key]?.remove(number)
    if byDownload[key]?.isEmpty == true { byDownload[key] = nil }
  }

  /// Returns the tasks for the same download, oldest first.
  func same(as plan: DownloadPlan) -> [URLSessionTask] {
    byDownload[DownloadKey(plan)]?.sorted().compactMap { byNumber[$0] } ?? []
  }
}

/// The fields in which two equal downloads agree.
private struct DownloadKey: Hashable {
  let url: String?
  let method: String?
  let headers: [String: String]
  let body: Data?
  let destination: String?

  init(_ plan: DownloadPlan) { self.init(plan.request, plan.destination) }

  /// nil for tasks that are no downloads or that the service will never have.
  init?(_ handle: TaskHandle) {
    guard handle.kind == .download, handle.number > 0 else { return nil }
    self.init(handle.values.withLock { $0.request }, handle.destination)
  }

  private init(_ request: URLRequest, _ destination: URL?) {
    url = request.url?.absoluteString
    method = request.httpMethod
    headers = request.allHTTPHeaderFields ?? [:]
    body = request.httpBody
    self.destination = destination?.standardizedFileURL.path
  }
}
