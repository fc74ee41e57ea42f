import Dispatch

/// Runs an actor on a serial queue, which has its own thread while there is work.
///
/// Tasks that prefer `WorkerPool.tasks`, as all in the service do, stay on the actor from one of
/// its functions to the next: the runtime compares both executors and then continues without a
/// detour (SE-0417).
final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      job.runSynchronously(
        isolatedTo: self.asUnownedSerialExecutor(),
        taskExecutor: WorkerPool.tasks.asUnownedTaskExecutor())
    }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
