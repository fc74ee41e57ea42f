import Dispatch
import KettleEngine
import KettleSystem

/// Tells the supervisor that the service is alive, as often as it asks for. A service whose engine
/// no longer answers falls silent, and is started again.
final class Watchdog: Sendable {
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  /// Returns nil if nobody watches.
  ///
  /// - Parameter check: returns when the engine has answered.
  init?(
    _ supervisor: Supervisor?, _ channel: SupervisorChannel,
    check: @escaping @Sendable () async -> Void
  ) {
    guard let microseconds = supervisor?.watchdogMicroseconds else { return nil }
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "kettle.watchdog"))
    let interval = DispatchTimeInterval.microseconds(Int(clamping: microseconds / 2))
    timer.schedule(deadline: .now(), repeating: interval, leeway: .seconds(1))
    timer.setEventHandler {
      Task(executorPreference: WorkerPool.tasks) {
        await check()
        channel.report(.alive)
      }
    }
    timer.activate()
  }

  func end() { timer.cancel() }
}
