import KettleControl
import KettleModel

/// Turns snapshots of a task into the delegate calls that its program has not received yet.
extension BackgroundSessionMachine {
  mutating func apply(
    _ snapshot: TransferSnapshot, to number: Int64, reportsProgress: Bool
  ) {
    guard var record = tasks[number], case .live = record.phase else { return }
    record.snapshot = snapshot
    tasks[number] = record
    reportOffset(of: number)
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
    let isMeasured = record.snapshot?.task?.measurements?.isEmpty == false
    if isMeasured, record.delivered != .metrics { calls.append(.measured(number)) }
    calls.append(.completed(number, end))
  }

  /// Reports a failure for which a token was requested.
  mutating func reportEnd(of number: Int64, _ failure: TaskFailure, token: ResumeToken?) {
    tasks[number]?.gaveToken = token != nil
    emit(.resumeData(number, token))
    end(number, .failure(failure.with(token)))
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

  private mutating func reportProgress(of number: Int64) {
    guard var record = tasks[number], let snapshot = record.snapshot else { return }
    let total =
      record.isUpload ? snapshot.task?.sentByteCount ?? 0 : snapshot.bytesReceived
    // It started again from zero.
    if total < record.reportedByteCount { record.reportedByteCount = 0 }
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

  fileprivate func with(_ token: ResumeToken?) -> TaskFailure {
    switch self {
    case .transfer(let failure, _): .transfer(failure, resume: token)
    case .cancelled: .cancelled(resume: token)
    case .removedByUser, .refused, .session, .notKept: self
    }
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
