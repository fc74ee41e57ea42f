import KettleControl
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

/// A task as its program sees it.
struct TaskView: Hashable, Sendable {
  /// `URLSessionTask.State`
  enum State: Hashable, Sendable {
    case suspended, running, canceling, completed
  }

  var state: State
  /// The latest snapshot from the service; nil before the first one.
  var snapshot: TransferSnapshot?
  /// The reason for its failure; nil while it lives and after success.
  var failure: TaskFailure?
  /// The length of the request's body; nil when there is none.
  var uploadByteCount: Int64?
  /// Whether the service can be reached now.
  var isServiceThere = false
}

extension TransferSnapshot {
  /// Whether the transfer waits for a connection before a server has responded.
  var waitsForConnectivity: Bool {
    guard state == .waiting, task?.reply == nil else { return false }
    return reason == .network || reason == .hostUnreachable || reason == .proxy
  }

  /// Returns this state of a cancelled task with what had been transferred: the service discards
  /// the bytes, and the program still reads how far the task came.
  func keepingCounts(of last: TransferSnapshot?) -> TransferSnapshot {
    guard let last else { return self }
    var kept = self
    kept.bytesReceived = max(bytesReceived, last.bytesReceived)
    kept.bytesExpected = bytesExpected ?? last.bytesExpected
    if var status = task {
      status.reply = status.reply ?? last.task?.reply
      status.sentByteCount = max(status.sentByteCount, last.task?.sentByteCount ?? 0)
      status.replyByteCount = [status.replyByteCount, last.task?.replyByteCount]
        .compactMap(\.self).max()
      kept.task = status
    }
    return kept
  }

  /// The total length as the server announced it, or nil. The service knows the length once the
  /// last byte has arrived anyway, and a program may have supplied a guess.
  var bytesAnnounced: Int64? {
    guard let reply = task?.reply else { return bytesExpected }
    let isSaid = reply.headers.contains { $0.name.lowercased() == "content-length" }
    return isSaid ? bytesExpected : nil
  }
}

/// Why a task ended without success.
enum TaskFailure: Hashable, Sendable {
  /// The service reported the failure.
  case transfer(TransferFailure, resume: TaskResumption?)
  /// The program cancelled it.
  case cancelled(resume: TaskResumption?)
  /// The user removed it from the list.
  case removedByUser
  /// It cannot be carried out and was never sent.
  case refused(TaskRefusal)
  /// The session has ended.
  case session(SessionFailure)
  /// The service refused to store it.
  case notKept(ControlError)
}

/// A reason why a task cannot be carried out at all.
enum TaskRefusal: Error, Hashable, Sendable {
  case unsupportedURL(String)
  case badResumeData
  /// A kind of task that background sessions do not have.
  case dataTask, uploadOfData, uploadOfStream, completionHandler, webSocket
  /// A download to a destination in a session that the service does not know.
  case destination
  /// The path of the file.
  case fileUnreadable(String)
  /// The data that the program stores with it is too large.
  case tooMuchUserInfo
  /// Another task of the session is the same download.
  case duplicate(Int64)
  /// The session was already invalidated.
  case invalidatedSession
  /// A header or another part of the request that cannot be sent.
  case badRequest(String)
}

/// A reason why a session cannot continue.
enum SessionFailure: Hashable, Sendable {
  case emptyIdentifier
  /// Another program is connected to the session; its process identifier.
  case inUse(String)
  /// The service cannot be reached or started; a sentence.
  case noService(String)
}

/// What a later task needs to continue one that has ended.
enum TaskResumption: Hashable, Sendable {
  /// The service keeps the bytes of the file for the holder of the token.
  case download(ResumeToken)
  /// The server keeps what it has of the content.
  case upload(UploadResumption, of: RequestContent)

  /// Whether the service must keep the ended task for it.
  var needsTask: Bool {
    switch self {
    case .download: true
    case .upload: false
    }
  }
}
