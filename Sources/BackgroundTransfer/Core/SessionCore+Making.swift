import Foundation
import FoundationNetworking
import KettleControl
import KettleModel
import KettleSystem

/// Creates task objects: new ones for the program, and those of tasks from earlier runs.
extension SessionCore {
  func makeDownload(
    _ plan: DownloadPlan, duplicates: DuplicatePolicy
  ) -> URLSessionDownloadTask {
    make(plan, TaskSpec.download(plan, configuration.snapshot), duplicates: duplicates)
  }

  func makeDownload(resumeData: Data) -> URLSessionDownloadTask {
    guard let blob = ResumePropertyList.read(resumeData), let request = blob.request.request else {
      return makeRefused(nil, .badResumeData)
    }
    let plan = DownloadPlan(
      request: request, destination: blob.destination.map { URL(fileURLWithPath: $0) },
      onConflict: blob.onConflict.flatMap(DestinationConflict.init) ?? .rename)
    let spec = TaskSpec.download(plan, configuration.snapshot, resumes: blob.token)
    return make(plan, spec)
  }

  func makeUpload(
    _ request: URLRequest, file: URL, isAwaited: Bool = false
  ) -> URLSessionUploadTask {
    make(
      DownloadPlan(request: request, file: file, isAwaited: isAwaited),
      TaskSpec.upload(request, file: file, configuration.snapshot))
  }

  func makeUpload(resumeData: Data) -> URLSessionUploadTask {
    guard let known = UploadResumeData(data: resumeData), let request = known.request.request else {
      return makeRefused(nil, .badResumeData)
    }
    let spec = TaskSpec.upload(
      request, file: URL(fileURLWithPath: known.path), configuration.snapshot, continuing: known)
    return make(DownloadPlan(request: request), spec)
  }

  /// Creates a task that FoundationNetworking performs, while the program is running.
  func makeData(
    _ request: URLRequest, for owner: URLSession, receiver: ForegroundTask.Receiver,
    delegate: (any URLSessionTaskDelegate)?
  ) -> URLSessionDataTask {
    var reserved: Int64?
    feed { state in
      guard state.failure == nil, state.machine.isOpen else { return nil }
      let number = state.machine.reserveUnsendableNumber()
      reserved = number
      return .localTaskCreated(number)
    }
    guard let number = reserved else {
      return makeRefused(request, .invalidatedSession) { receiver.fail($0) }
    }
    let membership = ForegroundTask.Membership(number: Int(clamping: number)) { [weak self] in
      self?.feed(.localTaskEnded(number))
    }
    return localSession().make(
      request, for: state.withLock { $0.session } ?? owner, receiver: receiver,
      delegate: delegate, membership: membership
    ) { $0.dataTask(with: request) }
  }

  private func localSession() -> ForegroundSession {
    local.withLock { local in
      if let local { return local }
      let session = ForegroundSession(
        configuration: configuration, delegate: state.withLock { $0.delegate }, queue: queue)
      local = session
      return session
    }
  }

  /// Creates a task that fails when it is resumed.
  ///
  /// - Parameter request: nil for resume data in which there is none.
  func makeRefused<Made: URLSessionTask>(
    _ request: URLRequest?, _ refusal: TaskRefusal,
    handler: (@Sendable (any Error) -> Void)? = nil
  ) -> Made {
    make(request.map { DownloadPlan(request: $0) }, .failure(refusal), handler: handler)
  }

  private func make<Made: URLSessionTask>(
    _ plan: DownloadPlan?, _ spec: Result<TransferSpec, TaskRefusal>,
    duplicates: DuplicatePolicy = .separate, handler: (@Sendable (any Error) -> Void)? = nil
  ) -> Made {
    waitUntilAttached()
    let isAwaited = plan?.isAwaited ?? false
    var made: Made?
    var isNew = false
    feed { state in
      let known = plan.flatMap { state.duplicate(of: $0, duplicates) }
      if let known, duplicates == .coalesce || isAwaited, let task = known as? Made {
        made = task
        return nil
      }
      let failure = state.obstacle(to: spec, known)
      let number =
        failure == nil ? state.machine.reserveNumber() : state.machine.reserveUnsendableNumber()
      let options = plan?.options ?? DownloadOptions()
      var data = ProgramData(request: plan?.request)
      data.isAwaited = isAwaited
      var values = TaskHandle.Values(data: data, request: plan?.request)
      values.priority = options.priority
      let kept = values.kept
      let task = Made(
        backing: TaskHandle(
          number: number, kind: Made.self is URLSessionDataTask.Type ? .upload : .download,
          core: self, destination: plan?.destination, file: plan?.file,
          values: values, onConflict: options.onConflict,
          refusedHandler: handler))
      state.tasks.insert(task)
      made = task
      isNew = true
      switch (spec, failure) {
      case (.success(var spec), nil):
        spec.session = SessionID(rawValue: identifier)
        spec.task?.taskIdentifier = number
        spec.task?.programData = kept
        return .create(number, spec, isAwaited: isAwaited)
      case (_, let failure):
        return .createUnsendable(
          number, failure ?? .refused(.dataTask), isAwaited: isAwaited)
      }
    }
    // `feed` always runs the closure above, and the closure always sets `made`.
    guard let made else { preconditionFailure("no task was made") }
    if isNew { announce(made) }
    return made
  }

  /// Creates the object of a task from an earlier run.
  func makeRestored(_ task: SessionTask) -> URLSessionTask {
    let data = ProgramData(kept: task.spec.task?.programData)
    let plain = URL(string: task.spec.url.text) ?? URL(fileURLWithPath: "/")
    var request = data?.request ?? URLRequest(url: plain)
    if case .bytes(let body)? = task.spec.request?.body { request.httpBody = Data(body.bytes) }
    var values = TaskHandle.Values(data: data ?? ProgramData(request: request), request: request)
    values.priority = Float(task.spec.priority.value)
    values.title = task.spec.task?.subtitle.map { (task.spec.title ?? "", $0) }
    values.earliestBeginDate = task.spec.notBefore?.date
    let kind = task.spec.task?.kind ?? .download
    let handle = TaskHandle(
      number: task.snapshot.taskIdentifier, kind: kind, core: self,
      destination: task.spec.destination, file: task.spec.request?.bodyFile, values: values,
      onConflict: DestinationConflict(task.spec.onConflict))
    return switch kind {
    case .download: URLSessionDownloadTask(backing: handle)
    case .upload: URLSessionUploadTask(backing: handle)
    }
  }
}

extension SessionCore.State {
  /// Returns why a new task cannot run, or nil if it can.
  fileprivate func obstacle(
    to spec: Result<TransferSpec, TaskRefusal>, _ known: URLSessionTask?
  ) -> TaskFailure? {
    if case .failure(let refusal) = spec { return .refused(refusal) }
    if let failure { return .session(failure) }
    guard machine.isOpen else { return .refused(.invalidatedSession) }
    guard machine.canNumber else {
      return .session(
        unreachable?.failure
          ?? .noService("The service did not respond in time; see \"kettle daemon status\""))
    }
    return known.map { .refused(.duplicate($0.handle.number)) }
  }

  /// Returns an existing task for the same download, if duplicates matter.
  fileprivate func duplicate(
    of plan: DownloadPlan, _ policy: DuplicatePolicy
  ) -> URLSessionTask? {
    guard policy != .separate || plan.isAwaited else { return nil }
    return tasks.same(as: plan).first { task in
      let handle = task.handle
      let (isAwaited, isOver) = handle.values.withLock {
        ($0.data.isAwaited, $0.view.state == .completed)
      }
      // A result that is not claimed yet is as good as a running task.
      guard !isOver || plan.isAwaited && outcomes.hasResult(of: handle.number) else {
        return false
      }
      return isAwaited == plan.isAwaited
    }
  }
}
