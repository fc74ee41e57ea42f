import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import KettleSystem

/// The names of FoundationNetworking that this module has too.
enum System {
  typealias Session = FoundationNetworking.URLSession
  typealias Configuration = FoundationNetworking.URLSessionConfiguration
  typealias Task = FoundationNetworking.URLSessionTask
  typealias DataTask = FoundationNetworking.URLSessionDataTask
  typealias DownloadTask = FoundationNetworking.URLSessionDownloadTask
  typealias WebSocketTask = FoundationNetworking.URLSessionWebSocketTask
}

/// A session whose transfers end with the program. FoundationNetworking performs them. A background
/// session has one for its data tasks.
///
/// Everything that FoundationNetworking reports arrives at `bridge`, on a queue of its own. From
/// there it goes to the delegate on the delegate queue, to a completion handler, or to a caller
/// that awaits it.
final class ForegroundSession: Sendable {
  let configuration: URLSessionConfiguration
  let queue: OperationQueue
  let bridge: DelegateBridge
  let sessionDescription = Mutex<String?>(nil)
  private let session: System.Session
  /// The queues below the default delegate queue and FoundationNetworking's, which do not retain
  /// them.
  private let serial = DispatchQueue(label: "org.kettle.URLSession.delegate")
  private let events = DispatchQueue(label: "org.kettle.URLSession.events")
  private let openness = Mutex(Openness())

  private struct Openness {
    var isOpen = true
    /// Counts downwards: tasks that cannot run have negative numbers.
    var nextRefusedNumber = -1
  }

  init(
    configuration: URLSessionConfiguration, delegate: SessionCore.Delegate?, queue: OperationQueue?
  ) {
    self.configuration = configuration
    let queue = queue ?? SessionCore.makeQueue(on: serial)
    self.queue = queue
    bridge = DelegateBridge(
      delegate: delegate, queue: queue, asksAboutRedirects: configuration.identifier == nil)
    session = System.Session(
      configuration: configuration.system, delegate: bridge,
      delegateQueue: SessionCore.makeQueue(on: events))
  }

  /// Creates a task of the kind that the caller expects; `make` creates FoundationNetworking's.
  /// After the invalidation of the session, the task fails when it is resumed.
  func make<Made: URLSessionTask>(
    _ request: URLRequest, for owner: URLSession, receiver: ForegroundTask.Receiver = .delegate,
    delegate: (any URLSessionTaskDelegate)? = nil,
    membership: ForegroundTask.Membership? = nil, with make: (System.Session) -> System.Task
  ) -> Made {
    // FoundationNetworking ends the process when an invalid session makes a task. The lock keeps
    // the session valid meanwhile.
    let task: Made = openness.withLock { openness in
      guard openness.isOpen else {
        return refused(.invalidatedSession, request, for: owner, receiver: receiver, in: &openness)
      }
      return insert(
        ForegroundTask(
          .system(make(session)), session: owner, bridge: bridge, receiver: receiver,
          delegate: delegate.map(SessionCore.Delegate.init), membership: membership))
    }
    announce(task, in: owner)
    return task
  }

  /// Tells the delegate of a new task, before the program has it.
  private func announce(_ task: URLSessionTask, in owner: URLSession) {
    (bridge.delegate as? any URLSessionTaskDelegate)?.urlSession(owner, didCreateTask: task)
  }

  /// Creates an upload whose body comes from the delegate.
  func makeStreamedUpload(_ request: URLRequest, for owner: URLSession) -> URLSessionUploadTask {
    let task: URLSessionUploadTask = openness.withLock { openness in
      guard openness.isOpen else {
        return refused(
          .invalidatedSession, request, for: owner, receiver: .delegate, in: &openness)
      }
      return insert(
        ForegroundTask(
          .streamed(session.uploadTask(withStreamedRequest: request)), session: owner,
          bridge: bridge, receiver: .delegate))
    }
    announce(task, in: owner)
    return task
  }

  /// Creates an upload of a file.
  func makeUpload(
    _ request: URLRequest, file: URL, for owner: URLSession,
    receiver: ForegroundTask.Receiver = .delegate, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionUploadTask {
    // FoundationNetworking ends the process when the URL is not one of a file.
    guard file.isFileURL else {
      return refuse(
        request, .fileUnreadable(file.absoluteString), for: owner, receiver: receiver)
    }
    return make(request, for: owner, receiver: receiver, delegate: delegate) {
      $0.uploadTask(with: request, fromFile: file)
    }
  }

  /// Creates a download that fails like FoundationNetworking's with resume data.
  func refuseResumeData(
    for owner: URLSession, receiver: ForegroundTask.Receiver = .delegate
  ) -> URLSessionDownloadTask {
    refuse(nil, .badResumeData, for: owner, receiver: receiver)
  }

  /// Creates a task that fails when it is resumed.
  ///
  /// - Parameter request: nil for resume data, which is not read.
  func refuse<Made: URLSessionTask>(
    _ request: URLRequest?, _ refusal: TaskRefusal, for owner: URLSession,
    receiver: ForegroundTask.Receiver = .delegate
  ) -> Made {
    let task: Made = openness.withLock {
      refused(refusal, request, for: owner, receiver: receiver, in: &$0)
    }
    announce(task, in: owner)
    return task
  }

  private func refused<Made: URLSessionTask>(
    _ refusal: TaskRefusal, _ request: URLRequest?, for owner: URLSession,
    receiver: ForegroundTask.Receiver, in openness: inout Openness
  ) -> Made {
    defer { openness.nextRefusedNumber -= 1 }
    return insert(
      ForegroundTask(
        .refused(refusal, request, number: openness.nextRefusedNumber), session: owner,
        bridge: bridge, receiver: receiver))
  }

  private func insert<Made: URLSessionTask>(_ backing: ForegroundTask) -> Made {
    let task = Made(backing: backing)
    backing.belong(to: task)
    // A task that cannot run is not retained until it is resumed.
    if backing.key > 0 { bridge.insert(task, under: backing.key) }
    return task
  }

  /// Rejects new tasks from now on, and notifies the delegate when the existing ones have ended.
  /// Does nothing for the shared session, which cannot be invalidated on Apple's systems either.
  func invalidate(_ owner: URLSession, cancellingTasks: Bool) {
    guard configuration.kind != .shared else { return }
    let isFirst = openness.withLock { openness in
      defer { openness.isOpen = false }
      return openness.isOpen
    }
    if isFirst { bridge.retain(owner) }
    // FoundationNetworking's invalidateAndCancel() loses the ends of the tasks that it cancels.
    if cancellingTasks { cancelTasks() }
    if isFirst { session.finishTasksAndInvalidate() }
  }

  func cancelTasks() { for task in bridge.tasks { task.cancel() } }

  /// Ends the session of a background session, which notifies the delegate itself.
  func close() {
    openness.withLock { $0.isOpen = false }
    cancelTasks()
    session.finishTasksAndInvalidate()
  }

  func flush(_ body: @escaping @Sendable () -> Void) { session.flush(completionHandler: body) }

  func reset(_ body: @escaping @Sendable () -> Void) { session.reset(completionHandler: body) }
}

extension URLSessionConfiguration {
  /// FoundationNetworking's configuration with the same values.
  var system: System.Configuration {
    let values = snapshot
    let system: System.Configuration =
      switch kind {
      // That of a background session performs its data tasks.
      case .default, .background: .default
      case .ephemeral: .ephemeral
      // Knows the classes that the program registered with URLProtocol.
      case .shared: System.Session.shared.configuration
      }
    system.requestCachePolicy = values.requestCachePolicy
    system.timeoutIntervalForRequest = values.timeoutIntervalForRequest
    system.timeoutIntervalForResource = values.timeoutIntervalForResource
    system.networkServiceType = values.networkServiceType
    system.allowsCellularAccess = values.allowsCellularAccess
    system.isDiscretionary = values.isDiscretionary
    system.httpCookieStorage = httpCookieStorage
    system.httpCookieAcceptPolicy = values.httpCookieAcceptPolicy
    system.httpShouldSetCookies = values.httpShouldSetCookies
    system.urlCredentialStorage = urlCredentialStorage
    system.urlCache = values.urlCache
    if let classes = values.protocolClasses.classes { system.protocolClasses = classes }
    system.httpAdditionalHeaders = values.httpAdditionalHeaders
    system.httpMaximumConnectionsPerHost = values.httpMaximumConnectionsPerHost
    return system
  }
}

/// The cancellation of a task of FoundationNetworking, which ends the process if a cancelled task
/// is asked about a redirect, or if it cancels a task that it has forgotten.
final class TaskCancellation: Sendable {
  private enum Phase {
    case notRequested, requested
    /// The task has ended.
    case tooLate
  }

  private let phase = Mutex(Phase.notRequested)

  /// Cancels the task, once and not after its end.
  func request(of task: System.Task?) {
    phase.withLock { phase in
      switch phase {
      case .notRequested:
        phase = .requested
        task?.cancel()
      case .requested, .tooLate: break
      }
    }
  }

  /// Calls `body` unless the task was cancelled.
  func unlessRequested(_ body: () -> Void) {
    phase.withLock { phase in
      switch phase {
      case .notRequested: body()
      case .requested, .tooLate: break
      }
    }
  }

  /// Rejects later cancellations and waits for one that is under way. Call it when
  /// FoundationNetworking reports the end of the task: it forgets the task when the report returns.
  ///
  /// A cancellation runs on a queue of the task, possibly after a reply of the cache. It sets the
  /// error of the task first.
  func end(of task: System.Task) {
    let wasRequested = phase.withLock { phase in
      defer { phase = .tooLate }
      return switch phase {
      case .requested: true
      case .notRequested, .tooLate: false
      }
    }
    guard wasRequested else { return }
    for _ in 0..<Self.turnCountMax {
      // Reading the priority waits for the work on the queue.
      _ = task.priority
      let isCancelled = (task.error as? URLError)?.code == .cancelled
      if isCancelled || task.state != .canceling { return }
      sched_yield()
    }
  }

  /// Bounds the wait for a queue that does not respond.
  private static let turnCountMax = 100_000
}
