import KettleModel

/// A fresh link, another speed limit or priority.
extension TransferMachine {
  /// Takes a fresh link for the same file and queues it. What is held stays: the bytes themselves
  /// have to prove that the new link leads to the same file.
  ///
  /// The headers and the login were given for the old link's origin; another one does not get them.
  package mutating func relink(
    _ url: TransferURL, _ login: Login?, at now: Moment
  ) -> ControlAction {
    switch state {
    case .completed: return .refuseCompleted
    case .verifying, .placing, .removed, .discarding(_, next: .removed),
      .ending(_, next: .removed), .ending(_, next: .whole), .ending(_, next: .alreadyThere):
      return .nothing
    case .idle, .scheduled, .queued, .running, .ending, .waiting, .paused, .discarding, .failed:
      replaceLink(url, login)
    }
    if case .running(let fetch) = state {
      record.retryCount = 0
      return cancel(fetch, next: .queued)
    }
    if case .ending(let phase, next: .askAgain) = state { enter(.ending(phase, next: .queued)) }
    return start(at: now)
  }

  private mutating func replaceLink(_ url: TransferURL, _ login: Login?) {
    let old = record.spec.url
    if old.origin != url.origin {
      record.spec.headers = []
      record.spec.login = nil
    }
    if let login {
      record.spec.login = login
      // What its program answered for this origin does not hide what the user says.
      if record.spec.task?.credential(for: url.origin) != nil {
        record.spec.task?.changeCredential(for: url.origin.text) { $0.login = nil }
      }
    }
    record.spec.url = url
    if old != url, record.resumeData?.validatorURL == nil {
      record.resumeData?.validatorURL = old.text
    }
  }

  /// Sets the most bytes a second of all its attempts together; nil is no limit.
  package mutating func limit(_ bytesPerSecond: Int64?) -> ControlAction {
    record.spec.limitBytesPerSecond = bytesPerSecond
    return .limit(bytesPerSecond)
  }

  /// It holds when the next free slot is given.
  package mutating func prioritize(_ priority: TransferPriority) -> ControlAction {
    record.spec.priority = priority
    return .nothing
  }
}
