/// The legal transitions of a transfer. `TransferMachine` enters no state without consulting them,
/// and docs/states.md draws them.
extension TransferMachine.State {
  /// A state without its payload.
  package enum Kind: Sendable, Hashable, CaseIterable {
    case idle, scheduled, queued, running, ending, waiting, paused, verifying, discarding, placing
    case completed, failed, removed

    /// The states that may follow. Only the payload changes where a state follows itself.
    package var exits: Set<Kind> {
      switch self {
      // Undoing a stop or a reset restores any state at rest.
      case .idle:
        [
          .idle, .queued, .scheduled, .waiting, .paused, .completed, .discarding, .failed, .removed,
        ]
      case .scheduled:
        [.scheduled, .queued, .waiting, .paused, .idle, .discarding, .failed, .removed]
      case .queued:
        [.running, .verifying, .placing, .waiting, .paused, .idle, .discarding, .failed, .removed]
      case .running: [.running, .ending]
      case .ending:
        [
          .ending, .running, .queued, .waiting, .paused, .idle, .verifying, .placing, .discarding,
          .completed, .failed, .removed,
        ]
      case .waiting:
        [
          .waiting, .queued, .paused, .verifying, .placing, .idle, .discarding, .failed, .removed,
        ]
      case .paused: [.queued, .scheduled, .idle, .discarding, .failed, .removed]
      case .verifying: [.verifying, .placing, .waiting, .queued, .paused, .discarding, .failed]
      case .discarding: [.discarding, .idle, .queued, .failed, .removed]
      case .placing: [.placing, .queued, .discarding, .completed, .failed, .removed]
      case .completed: [.idle, .discarding, .removed]
      case .failed: [.queued, .paused, .idle, .discarding, .removed]
      case .removed: []
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .idle: .idle
    case .scheduled: .scheduled
    case .queued: .queued
    case .running: .running
    case .ending: .ending
    case .waiting: .waiting
    case .paused: .paused
    case .verifying: .verifying
    case .discarding: .discarding
    case .placing: .placing
    case .completed: .completed
    case .failed: .failed
    case .removed: .removed
    }
  }
}
