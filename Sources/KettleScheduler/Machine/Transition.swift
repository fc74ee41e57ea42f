import KettleModel

/// The consequence of one input for a transfer.
package struct Transition: Sendable {
  /// The state to enter; nil keeps the present one.
  var state: TransferMachine.State?
  package var actions: [TransferAction] = []
  /// What a refusal showed about the host.
  package var hostHint: HostLimitHint?
  /// Why the control was refused.
  package var refusal: Refusal?

  package enum Refusal: Sendable, Hashable {
    /// A completed transfer is final until reset.
    case completed
    /// There is nothing to pause.
    case notStarted
    /// There is nothing to accept.
    case nothingToDecide
  }

  static let none = Transition()

  static func entering(
    _ state: TransferMachine.State, _ actions: [TransferAction] = []
  ) -> Transition {
    Transition(state: state, actions: actions)
  }

  static func refused(_ refusal: Refusal) -> Transition { Transition(refusal: refusal) }

  /// Cancels the attempts of a download; `next` follows when the last of them has ended.
  static func ending(
    _ download: ActiveDownload, next: TransferMachine.AfterEnding, hostHint: HostLimitHint? = nil
  ) -> Transition {
    Transition(
      state: .ending(.attempts(Set(download.attempts)), next: next),
      actions: download.activeAttempts.map(TransferAction.cancelAttempt), hostHint: hostHint)
  }
}
