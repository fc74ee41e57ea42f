import CKettleLinux
import Dispatch
import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// The signals, descriptors and memory of the service's process.
enum ProcessResources {
  /// Prepares the process before anything else runs.
  static func prepare() {
    // The starting terminal may close, a client may disconnect during a reply, a file may reach the
    // size limit: each is an error of one call and must not end the service.
    for number in [SIGHUP, SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    // Every connection, file and client needs a descriptor; the user sets the hard limit.
    DescriptorLimit.raise()
    AddressSpace.boundUnusedHeap()
  }

  /// Returns freed memory to the system, and what was read of the program itself.
  static func releaseUnusedMemory() {
    AddressSpace.returnCode()
    malloc_trim(0)
  }
}

/// The threads that run the tasks of the process.
package enum TaskThreads {
  /// Runs the process's main work, starting with the caller: a single step on a libdispatch thread
  /// would make libdispatch manage its threads from then on (`WorkerPool`). An idle service sleeps
  /// until something happens.
  package static func run<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () async -> Value
  ) async -> Value {
    await withTaskExecutorPreference(WorkerPool.tasks) { await body() }
  }
}

/// The clocks of the machine, and one timer.
package final class ServiceClock: EngineClock {
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let timer: any DispatchSourceTimer
  private let plan = Mutex(Plan())

  private struct Plan {
    var wakeUp: (due: MonotonicTime, call: @Sendable () -> Void)?
    /// When the timer fires; nil while it is not set. It may fire without need: setting it wakes a
    /// libdispatch thread, and a deadline that moves away many times a second would do so each
    /// time.
    var ringsAt: MonotonicTime?
  }

  package init() {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "kettle.clock"))
    timer.setEventHandler { [weak self] in self?.ring() }
    timer.schedule(deadline: .distantFuture)
    timer.activate()
  }

  package func now() -> Moment { .now() }

  package func wake(at deadline: MonotonicTime?, _ wake: @escaping @Sendable () -> Void) {
    plan.withLock { plan in
      plan.wakeUp = deadline.map { ($0, wake) }
      guard let deadline else { return }
      if let ringsAt = plan.ringsAt, ringsAt <= deadline { return }
      schedule(deadline, &plan)
    }
  }

  /// Called while the lock is held, so that timer and plan agree.
  private func schedule(_ deadline: MonotonicTime, _ plan: inout Plan) {
    let now = now().monotonic
    let milliseconds = min(max(0, deadline.milliseconds(since: now)), 3_600_000)
    plan.ringsAt = now.advanced(byMilliseconds: milliseconds)
    timer.schedule(
      deadline: .now() + .milliseconds(Int(milliseconds)),
      leeway: .milliseconds(Int(milliseconds / 20)))
  }

  private func ring() {
    let wake = plan.withLock { plan -> (@Sendable () -> Void)? in
      plan.ringsAt = nil
      guard let (due, call) = plan.wakeUp else { return nil }
      guard due <= now().monotonic else {
        schedule(due, &plan)
        return nil
      }
      plan.wakeUp = nil
      return call
    }
    wake?()
  }
}
