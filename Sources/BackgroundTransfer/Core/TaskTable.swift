import Foundation
import FoundationNetworking
import KettleModel
import KettleSystem

/// The task objects of a session, indexed by number and by what they transfer.
struct TaskTable: Sendable {
  private var byNumber: [Int64: URLSessionTask] = [:]
  /// Lets a session with thousands of downloads find a duplicate quickly.
  private var byContent: [TaskKey: Set<Int64>] = [:]

  var all: some Collection<URLSessionTask> { byNumber.values }

  subscript(number: Int64) -> URLSessionTask? { byNumber[number] }

  mutating func insert(_ task: URLSessionTask) {
    byNumber[task.handle.number] = task
    if let key = TaskKey(task.handle) {
      byContent[key, default: []].insert(task.handle.number)
    }
  }

  mutating func remove(_ number: Int64) {
    guard let task = byNumber.removeValue(forKey: number), let key = TaskKey(task.handle)
    else { return }
    byContent[key]?.remove(number)
    if byContent[key]?.isEmpty == true { byContent[key] = nil }
  }

  /// Returns the equal tasks, oldest first.
  func same(as plan: DownloadPlan) -> [URLSessionTask] {
    byContent[TaskKey(plan)]?.sorted().compactMap { byNumber[$0] } ?? []
  }
}

/// The fields in which two equal tasks agree.
private struct TaskKey: Hashable {
  let url: String?
  let method: String?
  let headers: [String: String]
  let body: Data?
  let destination: String?
  /// The path of the file that an upload sends.
  let file: String?

  init(_ plan: DownloadPlan) {
    self.init(plan.request, destination: plan.destination, file: plan.file)
  }

  /// nil for tasks that the service will never have.
  init?(_ handle: TaskHandle) {
    guard handle.number > 0, let request = handle.originalRequest else { return nil }
    self.init(request, destination: handle.destination, file: handle.file)
  }

  private init(_ request: URLRequest, destination: URL?, file: URL?) {
    url = request.url?.absoluteString
    method = request.httpMethod
    headers = request.allHTTPHeaderFields ?? [:]
    body = request.httpBody
    self.destination = destination?.standardizedFileURL.path
    self.file = file?.standardizedFileURL.path
  }
}
