import BackgroundTasks
import ControlProtocol
import Foundation
import FoundationNetworking
import Synchronization
import TransferModel

final class SessionCore: Sendable {
  let configuration: URLSessionConfiguration
  nonisolated(unsafe) let delegate: (any URLSessionDelegate)?
  let queue: OperationQueue
  let sessionDescription = Mutex<String?>(nil)
  let duplicatePolicy = Mutex(DuplicatePolicy.separate)
  var identifier: String { configuration.identifier ?? "" }

  init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
    queue: OperationQueue?
  ) {
    self.configuration = configuration
    self.delegate = delegate
    self.queue = queue ?? OperationQueue()
  }

  func adopt(_ session: URLSession) {}
  func resume(_ number: Int64) {}
  func suspend(_ number: Int64) {}
  func cancel(_ number: Int64) {}
  func cancel(_ number: Int64, producingResumeData: @escaping @Sendable (Data?) -> Void) {}
  func invalidate(cancellingTasks: Bool) {}
  func update(_ number: Int64, _ change: (inout UpdateTask.Params) -> Void) {}
  func whenAttached(_ body: @escaping @Sendable () -> Void) {}
  var liveTasks: [URLSessionTask] { [] }
  func makeHandle(_ request: URLRequest, kind: TaskOptions.Kind = .download) -> TaskHandle {
    TaskHandle(
      number: 0, kind: kind, core: self, destination: nil,
      values: .init(data: ProgramData(request: request), request: request))
  }
  func makeDownload(_ plan: DownloadPlan, duplicates: DuplicatePolicy) -> URLSessionDownloadTask {
    URLSessionDownloadTask(handle: makeHandle(plan.request))
  }
  func makeDownload(resumeData: Data) -> URLSessionDownloadTask {
    URLSessionDownloadTask(handle: makeHandle(URLRequest(url: URL(filePath: "/"))))
  }
  func makeUpload(_ request: URLRequest, file: URL) -> URLSessionUploadTask {
    URLSessionUploadTask(handle: makeHandle(request, kind: .upload))
  }
  func makeRefused<Made: URLSessionTask>(
    _ request: URLRequest, _ refusal: TaskRefusal,
    handler: (@Sendable (any Error) -> Void)? = nil
  ) -> Made {
    Made(handle: makeHandle(request))
  }
  func download(_ plan: DownloadPlan) async throws -> URL { throw URLError(.unknown) }
}
