import KettleModel

/// A fresh link, another speed limit or priority.
extension TransferMachine {
  /// Replaces the link and queues the transfer. Durable bytes stay: the bytes themselves must prove
  /// that the new link leads to the same file.
  ///
  /// The headers and login were given for the old link's origin; another origin does not get them.
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
      // The program's login for this origin must not override the user's.
      if record.spec.task?.credential(for: url.origin) != nil {
        record.spec.task?.changeCredential(for: url.origin.text) { $0.login = nil }
      }
    }
    record.spec.url = url
    if old != url, record.resumeData?.validatorURL == nil {
      record.resumeData?.validatorURL = old.text
    }
  }

  /// Sets the limit of all its attempts together in bytes per second; nil means no limit.
  package mutating func limit(_ bytesPerSecond: Int64?) -> ControlAction {
    record.spec.limitBytesPerSecond = bytesPerSecond
    return .limit(bytesPerSecond)
  }

  /// Takes effect when the next slot becomes free.
  package mutating func prioritize(_ priority: TransferPriority) -> ControlAction {
    record.spec.priority = priority
    return .nothing
  }
}
