import KettleEngine

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
