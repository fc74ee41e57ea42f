import Foundation
import FoundationNetworking
import KettleControl
import KettleModel
import KettleSystem

/// The state behind a task object: what the program set, and what the service reported last.
final class TaskHandle: Sendable {
  struct Values: Sendable {
    var data: ProgramData { didSet { kept = data.kept } }
    /// `data` as the service stores it; nil when it is too large for that.
    private(set) var kept: String?
    /// nil for a task that was made from something without one.
    var request: URLRequest?
    /// What people see; nil when the program does not present the task to them.
    var title: (text: String, subtitle: String)?
    var view = TaskView(state: .suspended)
    var priority: Float = 0.5
    var earliestBeginDate: Date?
    var delegate: SessionCore.Delegate?
    /// The request with which the program let the task begin in place of its own.
    var replacement: URLRequest?
    /// Set by the default implementation of a delegate method that is being called.
    var hasNoDelayMethod = false
    /// The response whose cookies the program has received.
    var cookieReply: ServerReply?
    /// Its resume data, kept so that every reader gets the same bytes.
    var resumeData: (token: ResumeToken, data: Data)?

    init(data: ProgramData, request: URLRequest?) {
      self.data = data
      self.request = request
      kept = data.kept
    }
  }

  let number: Int64
  let kind: TaskOptions.Kind
  let core: SessionCore
  let destination: URL?
  /// The file that an upload sends.
  let file: URL?
  let onConflict: DestinationConflict
  /// Called when the task ends; only tasks that are refused for having a handler have one.
  let refusedHandler: (@Sendable (any Error) -> Void)?
  let values: Mutex<Values>
  let progress = Progress(totalUnitCount: -1)
  private let progressFeed = ProgressFeed()

  init(
    number: Int64, kind: TaskOptions.Kind, core: SessionCore, destination: URL?, file: URL?,
    values: sending Values, onConflict: DestinationConflict = .rename,
    refusedHandler: (@Sendable (any Error) -> Void)? = nil
  ) {
    self.number = number
    self.kind = kind
    self.core = core
    self.destination = destination
    self.file = file
    self.onConflict = onConflict
    self.refusedHandler = refusedHandler
    self.values = Mutex(values)
    progress.kind = .file
    progress.isPausable = true
    progress.cancellationHandler = { [core] in core.cancel(number) }
    progress.pausingHandler = { [core] in core.suspend(number) }
    progress.resumingHandler = { [core] in core.resume(number) }
  }

  var view: TaskView { values.withLock { $0.view } }
  var originalRequest: URLRequest? { values.withLock { $0.request } }

  var currentRequest: URLRequest? {
    let (original, view) = values.withLock { ($0.replacement ?? $0.request, $0.view) }
    guard let text = view.snapshot?.task?.reply?.url, let url = URL(string: text) else {
      return original
    }
    var request = original
    request?.url = url
    return request
  }

  var response: URLResponse? {
    view.snapshot?.task?.reply.flatMap(TaskResponse.init(reply:))
  }

  var state: URLSessionTask.State {
    switch view.state {
    case .suspended: .suspended
    case .running: .running
    case .canceling: .canceling
    case .completed: .completed
    }
  }

  var error: (any Error)? {
    view.failure.map { $0.error(for: self) }
  }

  var waitingReason: WaitingReason? { view.waitingReason }

  /// The task's own delegate.
  var delegate: (any URLSessionTaskDelegate)? {
    get { values.withLock { $0.delegate }?.object as? any URLSessionTaskDelegate }
    set {
      let delegate = newValue.map(SessionCore.Delegate.init)
      values.withLock { $0.delegate = delegate }
    }
  }

  /// Presents the task to people. Both texts are cut to what the service accepts.
  func setTitle(_ title: String, subtitle: String) {
    let title = title.prefix(byteCount: TaskOptions.subtitleByteCountMax)
    let subtitle = subtitle.prefix(byteCount: TaskOptions.subtitleByteCountMax)
    values.withLock { $0.title = (title, subtitle) }
    core.update(number) {
      $0.title = title
      $0.subtitle = subtitle
    }
  }

  /// Changes the data stored with the task, here and in the service.
  func change(_ body: (inout Values) -> Void) {
    let kept = values.withLock {
      body(&$0)
      return $0.kept
    }
    core.update(number) { $0.programData = kept }
  }

  func setPriority(_ priority: Float) {
    guard let value = TransferPriority(Double(priority)) else { return }
    values.withLock { $0.priority = priority }
    core.update(number) { $0.priority = value }
  }

  func setEarliestBeginDate(_ date: Date?) {
    values.withLock { $0.earliestBeginDate = date }
    let asksBeforeBeginning = date != nil && (core.delegate != nil || delegate != nil)
    core.update(number) {
      $0.notBefore = date.map(WallTime.init(date:)) ?? WallTime(millisecondsSince1970: 0)
      $0.asksBeforeBeginning = asksBeforeBeginning
    }
  }

  func setExpectations(send: Int64? = nil, receive: Int64? = nil) {
    let kept = values.withLock { values in
      var data = values.data
      data.clientExpectsToSend = send ?? data.clientExpectsToSend
      data.clientExpectsToReceive = receive ?? data.clientExpectsToReceive
      values.data = data
      return values.kept
    }
    core.update(number) {
      $0.programData = kept
      $0.expectedSendByteCount = send.flatMap { $0 < 0 ? nil : $0 }
      $0.expectedReceiveByteCount = receive.flatMap { $0 < 0 ? nil : $0 }
    }
  }
}

extension WallTime {
  /// Creates a time from a date; a date out of range becomes the nearest end of the range.
  init(date: Date) {
    self.init(
      millisecondsSince1970: Int64(
        clamping: Int(
          exactly: (date.timeIntervalSince1970 * 1000)
            .rounded()) ?? (date.timeIntervalSince1970 < 0 ? .min : .max)))
  }

  var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }
}

extension TaskHandle {
  /// Stores the newest view of the task. The session calls this under its lock, so that views
  /// arrive in order. Nothing here calls the program.
  func show(_ view: TaskView) {
    let isPresented = values.withLock {
      $0.view = view
      return $0.title != nil
    }
    let progress = view.progress(of: kind)
    progressFeed.send(progress, isLast: view.state == .completed)
    guard isPresented, let gauge = core.gauge else { return }
    gauge.record(view, of: .init(session: core.identifier, number: number), progress: progress)
  }

  /// Returns the cookies of a response that the program did not have, if it is to store them. The
  /// session calls this under its lock.
  func takeNewCookies() -> ResponseCookies? {
    values.withLock { values in
      guard let request = values.request, let reply = values.view.snapshot?.task?.reply,
        reply != values.cookieReply
      else { return nil }
      let isOfEarlierRun = values.cookieReply == nil && values.data.hasStoredCookies == true
      values.cookieReply = reply
      guard !isOfEarlierRun else { return nil }
      return ResponseCookies(reply: reply, request: request)
    }
  }

  /// Adds the cookies to the storage of the session, outside of every lock.
  func store(_ cookies: ResponseCookies) {
    cookies.store(in: core.configuration.snapshot)
    change { $0.data.hasStoredCookies = true }
  }

  /// Updates the `Progress` object and the terminal outside of every lock, because this may call
  /// the program.
  func moveProgress() {
    core.gauge?.draw()
    guard let now = view.progress(of: kind) else { return }
    if let total = now.totalByteCount {
      // Foundation ends the process when a known total becomes zero, as that of a file that was
      // emptied on its server does.
      if total == 0 { progress.totalUnitCount = -1 }
      progress.totalUnitCount = total
    }
    progress.completedUnitCount = now.completedByteCount
  }

  func makeProgressUpdates() -> AsyncStream<TransferProgress> { progressFeed.makeStream() }
}

extension TaskView {
  /// Returns the received bytes. For an upload, `bytesReceived` of the snapshot counts sent bytes.
  func bytesReceived(of kind: TaskOptions.Kind) -> Int64 {
    switch kind {
    case .download: snapshot?.bytesReceived ?? 0
    case .upload: snapshot?.task?.replyByteCount ?? 0
    }
  }

  var bytesSent: Int64 { snapshot?.task?.sentByteCount ?? 0 }

  func bytesExpectedToReceive(of kind: TaskOptions.Kind) -> Int64 {
    guard let snapshot else { return 0 }
    let expected =
      switch kind {
      case .download: snapshot.bytesAnnounced
      case .upload: snapshot.task?.reply?.contentLength
      }
    return expected ?? NSURLSessionTransferSizeUnknown
  }

  var bytesExpectedToSend: Int64 { uploadByteCount ?? 0 }

  func progress(of kind: TaskOptions.Kind) -> TransferProgress? {
    guard let snapshot else { return nil }
    return switch kind {
    case .download:
      TransferProgress(
        completedByteCount: snapshot.bytesReceived, totalByteCount: snapshot.bytesExpected,
        bytesPerSecond: snapshot.bytesPerSecond)
    case .upload:
      TransferProgress(
        completedByteCount: bytesSent, totalByteCount: uploadByteCount,
        bytesPerSecond: snapshot.bytesPerSecond)
    }
  }

  var waitingReason: WaitingReason? {
    guard state == .running else { return nil }
    guard isServiceThere else { return .service }
    guard let snapshot else { return .turn }
    switch snapshot.state {
    case .running, .verifying, .completed, .failed: return nil
    case .queued: return .turn
    case .idle, .paused: return .user
    case .scheduled: return snapshot.goesOnAt.map { .date($0.date) } ?? .turn
    case .waiting: return waitingReason(snapshot)
    }
  }

  private func waitingReason(_ snapshot: TransferSnapshot) -> WaitingReason {
    switch snapshot.reason {
    case .retry?, .hostUnreachable?, .proxy?, nil: .retry(snapshot.goesOnAt?.date)
    case .retryAfter?: .serverAskedToWait(snapshot.goesOnAt?.date)
    case .network?: .network
    case .diskSpace?: .diskSpace
    case .needsLink?: .freshLink
    case .needsLogin?: .challenge
    // No task is a collection.
    case .needsDecision?, .members?: .user
    case .discretionary? where snapshot.task?.challenge != nil: .challenge
    case .discretionary?:
      switch snapshot.error.flatMap({ TransferCondition(rawValue: $0.subject) }) {
      case .unmeteredNetwork?: .unmeteredNetwork
      case .mainsPower?, nil: .mainsPower
      }
    }
  }
}

extension ServerReply {
  /// nil when the header is missing or makes no sense.
  fileprivate var contentLength: Int64? {
    headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int64($0.value) }
      .flatMap { $0 < 0 ? nil : $0 }
  }
}

extension String {
  /// Returns the longest beginning of at most this many bytes of UTF-8, in whole characters.
  fileprivate func prefix(byteCount byteCountMax: Int) -> String {
    var byteCount = 0
    return String(
      prefix { character in
        byteCount += character.utf8.count
        return byteCount <= byteCountMax
      })
  }
}
