import KettleModel

/// A task as its program sees it.
package struct TaskView: Hashable, Sendable {
  /// `URLSessionTask.State`
  package enum State: Hashable, Sendable {
    case suspended, running, canceling, completed
  }

  package var state: State
  /// The latest snapshot from the service; nil before the first one.
  package var snapshot: TransferSnapshot?
  /// The reason for its failure; nil while it lives and after success.
  package var failure: TaskFailure?
  /// The length of the request's body; nil when there is none.
  package var uploadByteCount: Int64?
  /// Whether the service can be reached now.
  package var isServiceThere: Bool

  package init(
    state: State, snapshot: TransferSnapshot? = nil, failure: TaskFailure? = nil,
    isServiceThere: Bool = false
  ) {
    self.state = state
    self.snapshot = snapshot
    self.failure = failure
    self.isServiceThere = isServiceThere
  }
}

extension TransferSnapshot {
  /// Whether the transfer waits for a connection before a server has responded.
  var waitsForConnectivity: Bool {
    guard state == .waiting, task?.reply == nil else { return false }
    return switch reason {
    case .network, .hostUnreachable, .proxy: true
    case .retry, .retryAfter, .diskSpace, .needsLink, .needsLogin, .needsDecision, .discretionary,
      nil:
      false
    }
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
  package var bytesAnnounced: Int64? {
    guard let reply = task?.reply else { return bytesExpected }
    let isSaid = reply.headers.contains { $0.name.lowercased() == "content-length" }
    return isSaid ? bytesExpected : nil
  }
}
