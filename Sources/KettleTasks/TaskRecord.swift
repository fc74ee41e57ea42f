import KettleModel

/// One task of a session, and what its program was told of it.
struct TaskRecord: Sendable {
  enum Phase: Sendable {
    /// An object of the program that the service was not told of.
    case new
    /// It cannot be carried out, and says so when it is resumed.
    case hopeless(TaskFailure)
    case live(Cancellation)
    /// It ended so; what it can go on from is asked for before anybody is told. It is acknowledged
    /// afterwards.
    case askingResumeData(TaskFailure)
    /// Its last calls are on the way.
    case ending(TaskEnd, isAcknowledged: Bool)
    /// It is awaited, it ended, and its result was not taken yet.
    case unclaimed(TaskEnd)
    /// All is told; the service has to acknowledge that.
    case told
  }

  enum Cancellation: Sendable {
    case none, plain, keepingBytes
  }

  /// What makes a challenge another one than that before.
  struct ShownChallenge: Hashable, Sendable {
    var challenge: ServerChallenge
    var answeredCount: Int
  }

  let number: Int64
  let isAwaited: Bool
  var spec: TransferSpec?
  var id: TransferID?
  var phase: Phase
  /// Each `suspend` needs a `resume`; a task is made suspended.
  var suspensions = 1
  var snapshot: TransferSnapshot?
  var toldByteCount: Int64 = 0
  var toldOffset = false
  var shownChallenge: ShownChallenge?
  /// Its program was given resume data, for which the service has to keep what there is.
  var gaveToken = false

  init(number: Int64, spec: TransferSpec?, isAwaited: Bool, phase: Phase = .new) {
    self.number = number
    self.spec = spec
    self.isAwaited = isAwaited
    self.phase = phase
  }

  /// A task of an earlier run of the program. What that one was told of its progress is not told
  /// again.
  init(restored snapshot: TransferSnapshot, spec: TransferSpec, isAwaited: Bool) {
    number = snapshot.taskIdentifier
    self.isAwaited = isAwaited
    self.spec = spec
    id = snapshot.id
    phase = .live(.none)
    suspensions = snapshot.state == .idle || snapshot.state == .paused ? 1 : 0
    self.snapshot = snapshot
    toldByteCount =
      spec.task?.kind == .upload ? snapshot.task?.sentByteCount ?? 0 : snapshot.bytesReceived
    toldOffset = snapshot.task?.resumedAtByteCount != nil
  }

  var isUpload: Bool { spec?.task?.kind == .upload }

  var uploadByteCount: Int64? { spec?.request?.bodyByteCount }

  /// Whether anything is still to be told.
  var isOver: Bool {
    switch phase {
    case .new, .hopeless, .live, .askingResumeData, .ending: false
    case .unclaimed, .told: true
    }
  }

  func view(isServiceThere: Bool) -> TaskView {
    var view = TaskView(state: viewState, snapshot: snapshot, isServiceThere: isServiceThere)
    view.uploadByteCount = uploadByteCount
    switch phase {
    case .ending(.failure(let failure), _), .unclaimed(.failure(let failure)):
      view.failure = failure
    case .new, .hopeless, .live, .askingResumeData, .ending, .unclaimed, .told: break
    }
    return view
  }

  private var viewState: TaskView.State {
    switch phase {
    case .live(.plain), .live(.keepingBytes), .askingResumeData: .canceling
    case .new, .hopeless, .live(.none): suspensions > 0 ? .suspended : .running
    case .ending, .unclaimed, .told: .completed
    }
  }
}
