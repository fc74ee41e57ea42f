import Foundation

extension URLSession {
  /// Passes all unfinished tasks to the handler, including those of earlier runs of the program.
  ///
  /// The handler is called on the delegate queue. Source: Apple's documentation of
  /// `getAllTasks(completionHandler:)`.
  ///
  /// ```swift
  /// session.getAllTasks { tasks in
  ///   for task in tasks { print(task.taskIdentifier, task.state) }
  /// }
  /// ```
  @preconcurrency
  public func getAllTasks(
    completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void
  ) {
    let queue = delegateQueue
    whenTasksAreKnown { tasks in queue.addOperation { completionHandler(tasks) } }
  }

  private func whenTasksAreKnown(_ body: @escaping @Sendable ([URLSessionTask]) -> Void) {
    switch kind {
    case .background(let core): core.whenAttached { [core] in body(core.liveTasks) }
    case .foreground(let session): body(session.bridge.tasks)
    }
  }

  /// Passes all unfinished tasks to the handler, by kind.
  ///
  /// The handler is called on the delegate queue. Source: Apple's documentation of
  /// `getTasksWithCompletionHandler(_:)`.
  ///
  /// ```swift
  /// session.getTasksWithCompletionHandler { _, uploads, downloads in
  ///   print("\(uploads.count) uploads and \(downloads.count) downloads")
  /// }
  /// ```
  @preconcurrency
  public func getTasksWithCompletionHandler(
    _ completionHandler:
      @escaping @Sendable ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask])
      -> Void
  ) {
    getAllTasks { all in
      let (data, uploads, downloads) = Self.byKind(all)
      completionHandler(data, uploads, downloads)
    }
  }

  /// All unfinished tasks, including those of earlier runs of the program.
  ///
  /// ```swift
  /// for task in await session.allTasks { print(task.taskIdentifier, task.state) }
  /// ```
  public var allTasks: [URLSessionTask] {
    get async {
      await withCheckedContinuation { continuation in
        whenTasksAreKnown { continuation.resume(returning: $0) }
      }
    }
  }

  /// All unfinished tasks, by kind.
  ///
  /// ```swift
  /// let (_, uploads, downloads) = await session.tasks
  /// print("\(uploads.count) uploads and \(downloads.count) downloads")
  /// ```
  public var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    get async { Self.byKind(await allTasks) }
  }

  private static func byKind(
    _ tasks: [URLSessionTask]
  ) -> ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
    let uploads = tasks.compactMap { $0 as? URLSessionUploadTask }
    let data = tasks.compactMap { $0 as? URLSessionDataTask }
    return (
      data.filter { !($0 is URLSessionUploadTask) }, uploads,
      tasks.compactMap { $0 as? URLSessionDownloadTask }
    )
  }
}
