import KettleTasks
import KettleControl
import Dispatch
import Foundation
import KettleSystem
import KettleModel

/// What the objects of the program ask of their session.
extension SessionCore {
  func resume(_ number: Int64) {
    feed { state in
      if let handle = state.tasks[number]?.handle,
        handle.values.withLock({ $0.data.kept == nil })
      {
        // Nothing of it reaches the service; it is told when it is resumed.
        return .refuse(number, .tooMuchUserInfo)
      }
      return nil
    }
    feed(.resume(number))
  }

  func suspend(_ number: Int64) { feed(.suspend(number)) }

  func cancel(_ number: Int64) { feed(.cancel(number, keepsBytes: false)) }

  func cancel(_ number: Int64, producingResumeData handler: @escaping @Sendable (Data?) -> Void) {
    feed { state in
      state.resumeDataHandlers[number, default: []].append(handler)
      return .cancel(number, keepsBytes: true)
    }
  }

  func update(_ number: Int64, _ change: (inout UpdateTask.Params) -> Void) {
    // The machine puts the service's number in the place of this one.
    var params = UpdateTask.Params(id: TransferID(rawValue: 0))
    change(&params)
    feed(.update(number, params))
  }

  func invalidate(cancellingTasks: Bool) {
    feed(.invalidate(cancellingTasks: cancellingTasks))
  }

  /// Tasks that are not over, by number.
  var liveTasks: [URLSessionTask] {
    state.withLock { $0.tasks.all.filter { $0.state != .completed } }
      .sorted { $0.taskIdentifier < $1.taskIdentifier }
  }

  /// Runs `body` when the tasks of earlier runs are known; at once when they are, or when the
  /// service cannot be reached. A service that was given up some time ago is tried again.
  func whenAttached(_ body: @escaping @Sendable () -> Void) {
    var isNow = false
    feed { state in
      isNow = state.machine.canNumber || state.failure != nil
      if let unreachable = state.unreachable, unreachable.retryAt > .now { isNow = true }
      guard !isNow else { return nil }
      state.attachWaiters.append(body)
      return .wanted
    }
    if isNow { body() }
  }

  /// Waits on the calling thread until the numbers of tasks can be given: for the answer of the
  /// service, which the thread of the connection takes with the help of no other thread or queue.
  /// A service that lets nobody in for ten seconds is not waited for longer.
  func waitUntilAttached() {
    let semaphore = DispatchSemaphore(value: 0)
    whenAttached { semaphore.signal() }
    _ = semaphore.wait(timeout: .now() + 10)
  }

  /// Runs `body` when the service has acknowledged everything; at once when it has.
  func whenFlushed(_ body: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      guard !state.machine.isAllAcknowledged else { return true }
      state.flushWaiters.append(body)
      return false
    }
    if isNow { body() }
  }

  /// Waits on the calling thread until then, or until it is time.
  func flush(until deadline: DispatchTime) {
    let semaphore = DispatchSemaphore(value: 0)
    whenFlushed { semaphore.signal() }
    _ = semaphore.wait(timeout: deadline)
  }
}
