import KettleModel

/// One task of a session, and what was reported to its program.
struct TaskRecord: Sendable {
  enum Phase: Sendable {
    /// An object of the program, not sent to the service yet.
    case new
    /// The program resumed it or asked for its record, and the service gets it with the next
    /// message. Until then every change of the program is a change of the record only.
    case unsent
    /// It cannot be carried out and fails when it is resumed.
    case unsendable(TaskFailure)
    case live(Cancellation)
    /// It ended with this failure. Its resume data is requested before the end is reported, and it
    /// is acknowledged afterwards.
    case requestingResumeData(TaskFailure)
    /// Its last calls are under way.
    case ending(TaskEnd, isAcknowledged: Bool)
    /// An awaited task that ended; its result was not taken yet.
    case unclaimed(TaskEnd)
    /// Everything is reported; the acknowledgement of the service is outstanding.
    case reported
  }

  enum Cancellation: Sendable {
    case none, plain, keepingBytes
  }

  /// The identity of a challenge, to tell it from the previous one.
  struct ShownChallenge: Hashable, Sendable {
    var challenge: ServerChallenge
    var answeredCount: Int
  }

  let number: Int64
  let isAwaited: Bool
  var spec: TransferSpec?
  var id: TransferID?
  var phase: Phase
  /// Each `suspend` needs a `resume`; a task is created suspended.
  var suspensions = 1
  var snapshot: TransferSnapshot?
  var reportedByteCount: Int64 = 0
  var hasReportedOffset = false
  var hasReportedWaiting = false
  /// How many informational responses were reported.
  var informedCount = 0
  var shownChallenge: ShownChallenge?
  /// The calls about its end that have returned.
  var delivered: DeliveredPart?
  /// The program has resume data, for which the service must keep the bytes.
  var gaveToken = false

  init(number: Int64, spec: TransferSpec?, isAwaited: Bool, phase: Phase = .new) {
    self.number = number
    self.spec = spec
    self.isAwaited = isAwaited
    self.phase = phase
  }

  /// Restores a task of an earlier run of the program. Progress reported to that run is not
  /// reported again.
  init(restored snapshot: TransferSnapshot, spec: TransferSpec, isAwaited: Bool) {
    number = snapshot.taskIdentifier
    self.isAwaited = isAwaited
    self.spec = spec
    id = snapshot.id
    phase = .live(.none)
    suspensions = snapshot.state == .idle || snapshot.state == .paused ? 1 : 0
    self.snapshot = snapshot
    reportedByteCount =
      spec.task?.kind == .upload ? snapshot.task?.sentByteCount ?? 0 : snapshot.bytesReceived
    hasReportedOffset = snapshot.task?.resumedAtByteCount != nil
    delivered = spec.task?.delivered
    informedCount = snapshot.task?.informationalReplies?.count ?? 0
  }

  var isUpload: Bool { spec?.task?.kind == .upload }

  var uploadByteCount: Int64? { spec?.request?.bodyByteCount }

  /// What the service is to add; nil unless it waits to be sent.
  var specToAdd: TransferSpec? {
    guard case .unsent = phase, var spec else { return nil }
    spec.beginning = suspensions > 0 ? .idle : .queued
    return spec
  }

  /// Whether the program wants it to run and the service may not know it.
  var isUnrecorded: Bool {
    switch phase {
    case .unsent, .live: id == nil && suspensions == 0
    case .new, .unsendable, .requestingResumeData, .ending, .unclaimed, .reported: false
    }
  }

  /// Whether the program has cancelled it, and the service has not confirmed that.
  var isBeingCancelled: Bool {
    switch phase {
    case .live(.plain), .live(.keepingBytes): true
    case .live(.none), .new, .unsent, .unsendable, .requestingResumeData, .ending, .unclaimed,
      .reported:
      false
    }
  }

  /// Whether there is nothing left to report.
  var isOver: Bool {
    switch phase {
    case .new, .unsent, .unsendable, .live, .requestingResumeData, .ending: false
    case .unclaimed, .reported: true
    }
  }

  func view(isServiceThere: Bool) -> TaskView {
    var view = TaskView(state: viewState, snapshot: snapshot, isServiceThere: isServiceThere)
    view.uploadByteCount = uploadByteCount
    switch phase {
    case .ending(.failure(let failure), _), .unclaimed(.failure(let failure)):
      view.failure = failure
    case .new, .unsent, .unsendable, .live, .requestingResumeData, .ending, .unclaimed,
      .reported:
      break
    }
    return view
  }

  private var viewState: TaskView.State {
    switch phase {
    case .live(.plain), .live(.keepingBytes), .requestingResumeData: .canceling
    case .new, .unsent, .unsendable, .live(.none): suspensions > 0 ? .suspended : .running
    case .ending, .unclaimed, .reported: .completed
    }
  }
}
