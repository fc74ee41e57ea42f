import KettleEngine

/// The threads that the tasks of the process run on.
package enum TaskThreads {
  /// Runs what the process is for, beginning from where it is called: one step on a thread of
  /// libdispatch would be enough to have it look after its threads for good (`WorkLanes`). A
  /// service with nothing to do sleeps until something happens.
  package static func run<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () async -> Value
  ) async -> Value {
    await withTaskExecutorPreference(WorkLanes.tasks) { await body() }
  }
}
