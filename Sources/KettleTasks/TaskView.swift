import KettleModel

/// A task as its program sees it.
package struct TaskView: Hashable, Sendable {
  /// `URLSessionTask.State`
  package enum State: Hashable, Sendable {
    case suspended, running, canceling, completed
  }

  package var state: State
  /// What the service said last; nil before it said anything.
  package var snapshot: TransferSnapshot?
  /// Why it ended; nil while it lives and when it succeeded.
  package var failure: TaskFailure?
  /// The length of the request's body; nil when there is none.
  package var uploadByteCount: Int64?
  /// Whether the service can be asked about it at the moment.
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
