import KettleControl
import KettleModel

/// Turns snapshots of a task into the delegate calls that its program has not received yet.
extension BackgroundSessionMachine {
  mutating func apply(
    _ snapshot: TransferSnapshot, to number: Int64, reportsProgress: Bool
  ) {
    guard var record = tasks[number], case .live = record.phase else { return }
    record.snapshot =
      record.isBeingCancelled ? snapshot.keepingCounts(of: record.snapshot) : snapshot
    tasks[number] = record
    reportOffset(of: number)
    reportInformational(of: number)
    switch snapshot.state {
    case .completed: completed(number, snapshot)
    case .failed: failed(number, snapshot)
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying:
      if reportsProgress { reportProgress(of: number) }
      reportChallenge(of: number)
      reportWaiting(of: number)
      show(number)
    }
  }

  /// Ends a task with its completion call only.
  mutating func end(_ number: Int64, _ end: TaskEnd) {
    guard var record = tasks[number] else { return }
    if case .live(.keepingBytes) = record.phase { emit(.resumeData(number, nil)) }
    guard !record.isAwaited else {
      record.phase = .unclaimed(end)
      tasks[number] = record
      show(number)
      return emit(.settled(number, end, path: record.snapshot?.path))
    }
    record.phase = .ending(end, isAcknowledged: record.id == nil)
    tasks[number] = record
    show(number)
    if record.delivered != .metrics { calls.append(.measured(number)) }
    calls.append(.completed(number, end))
  }

  /// Reports a failure with what a later task needs to continue.
  mutating func reportEnd(
    of number: Int64, _ failure: TaskFailure, _ resumption: TaskResumption?
  ) {
    tasks[number]?.gaveToken = resumption?.needsTask ?? false
    emit(.resumeData(number, resumption))
    end(number, .failure(failure.with(resumption)))
  }

  private mutating func completed(_ number: Int64, _ snapshot: TransferSnapshot) {
    reportProgress(of: number)
    guard let record = tasks[number] else { return }
    if !record.isAwaited, record.delivered == nil {
      if record.isUpload {
        if let path = snapshot.path { calls.append(.received(number, path: path)) }
      } else if let path = snapshot.path {
        calls.append(.finished(number, path: path))
      }
    }
    end(number, .success)
  }

  private mutating func failed(_ number: Int64, _ snapshot: TransferSnapshot) {
    guard var record = tasks[number], let spec = record.spec else { return }
    let failure =
      snapshot.error
      ?? TransferFailure(.internalProblem, on: snapshot.url, detail: "no error is on record")
    let cancellation: TaskRecord.Cancellation
    switch record.phase {
    case .live(let known): cancellation = known
    case .new, .unsent, .unsendable, .requestingResumeData, .ending, .unclaimed, .reported: return
    }
    let reported = TaskFailure(failure, cancellation)
    if reported.mayHaveResumeData(cancellation),
      let resumption = snapshot.uploadResumption(of: spec)
    {
      record.phase = .requestingResumeData(reported)
      tasks[number] = record
      return reportEnd(of: number, reported, resumption)
    }
    guard reported.mayHaveResumeData(cancellation), ResumeRules.allow(snapshot, spec) else {
      return end(number, .failure(reported))
    }
    record.phase = .requestingResumeData(reported)
    tasks[number] = record
    request(.makeToken, task: number)
    show(number)
  }

  private mutating func reportOffset(of number: Int64) {
    guard var record = tasks[number], !record.hasReportedOffset,
      let snapshot = record.snapshot, let offset = snapshot.task?.resumedAtByteCount
    else { return }
    record.hasReportedOffset = true
    record.reportedByteCount = offset
    tasks[number] = record
    guard !record.isAwaited, !record.isUpload else { return }
    calls.append(
      .resumed(number, offset: offset, expected: snapshot.bytesAnnounced ?? -1))
  }

  private mutating func reportInformational(of number: Int64) {
    guard var record = tasks[number], let replies = record.snapshot?.task?.informationalReplies
    else { return }
    let news = replies.after(record.informedCount)
    record.informedCount = replies.count
    tasks[number] = record
    guard !record.isAwaited else { return }
    for reply in news { calls.append(.informed(number, reply)) }
  }

  private mutating func reportProgress(of number: Int64) {
    guard var record = tasks[number], let snapshot = record.snapshot else { return }
    let total =
      record.isUpload ? snapshot.task?.sentByteCount ?? 0 : snapshot.bytesReceived
    // It started again, an upload where its server has asked it to.
    if total < record.reportedByteCount {
      record.reportedByteCount = min(total, snapshot.confirmedUploadByteCount)
    }
    let bytes = total - record.reportedByteCount
    record.reportedByteCount = total
    tasks[number] = record
    guard bytes > 0, !record.isAwaited else { return }
    let expected = record.isUpload ? record.uploadByteCount : snapshot.bytesAnnounced
    calls.append(
      record.isUpload
        ? .sent(number, bytes: bytes, total: total, expected: expected ?? -1)
        : .wrote(number, bytes: bytes, total: total, expected: expected ?? -1))
  }

  private mutating func reportChallenge(of number: Int64) {
    guard var record = tasks[number], let snapshot = record.snapshot,
      snapshot.state == .waiting, let status = snapshot.task, let challenge = status.challenge
    else { return }
    let shown = TaskRecord.ShownChallenge(
      challenge: challenge, answeredCount: status.answeredChallengeCount)
    guard record.shownChallenge != shown else { return }
    record.shownChallenge = shown
    tasks[number] = record
    calls.append(.challenge(number, challenge))
  }

  /// Reports once that the task waits for a connection to its server.
  private mutating func reportWaiting(of number: Int64) {
    guard let record = tasks[number], !record.hasReportedWaiting, !record.isAwaited,
      let snapshot = record.snapshot, snapshot.waitsForConnectivity
    else { return }
    tasks[number]?.hasReportedWaiting = true
    calls.append(.waits(number))
  }
}

extension TaskFailure {
  /// The detail with which the service reports that the user removed the task.
  static let byTheUser = "by the user"

  fileprivate init(_ failure: TransferFailure, _ cancellation: TaskRecord.Cancellation) {
    guard failure.code == .cancelled else {
      self = .transfer(failure, resume: nil)
      return
    }
    self = failure.detail == Self.byTheUser ? .removedByUser : .cancelled(resume: nil)
  }

  fileprivate func mayHaveResumeData(_ cancellation: TaskRecord.Cancellation) -> Bool {
    switch (self, cancellation) {
    case (.transfer, .none), (.transfer, .keepingBytes), (.cancelled, .keepingBytes): true
    case (.transfer, .plain), (.cancelled, .none), (.cancelled, .plain), (.removedByUser, _),
      (.refused, _), (.session, _), (.notKept, _):
      false
    }
  }

  fileprivate func with(_ resumption: TaskResumption?) -> TaskFailure {
    switch self {
    case .transfer(let failure, _): .transfer(failure, resume: resumption)
    case .cancelled: .cancelled(resume: resumption)
    case .removedByUser, .refused, .session, .notKept: self
    }
  }
}

extension TransferSnapshot {
  /// How an upload that has ended continues; nil if its server has not offered it.
  fileprivate func uploadResumption(of spec: TransferSpec) -> TaskResumption? {
    guard spec.task?.kind == .upload, let content = spec.request,
      let resumption = task?.uploadResumption
    else { return nil }
    return .upload(resumption, of: content)
  }

  /// How much of an upload its server is known to have.
  fileprivate var confirmedUploadByteCount: Int64 {
    task?.uploadResumption?.confirmedByteCount ?? 0
  }
}

/// Decides whether an ended download has resume data: the request was a plain GET, the server sent
/// a validator, it did not refuse ranges, and bytes were received (Apple's documentation of
/// `cancel(byProducingResumeData:)`).
enum ResumeRules {
  static func allow(_ snapshot: TransferSnapshot, _ spec: TransferSpec) -> Bool {
    guard spec.task?.kind == .download, spec.request?.isPlainGET ?? true,
      snapshot.bytesReceived > 0, let reply = snapshot.task?.reply,
      (200..<300).contains(reply.status)
    else { return false }
    return (value("etag", reply) != nil || value("last-modified", reply) != nil)
      && value("accept-ranges", reply)?.lowercased() != "none"
  }

  private static func value(_ name: String, _ reply: ServerReply) -> String? {
    reply.headers.first { $0.name.lowercased() == name }?.value
  }
}
