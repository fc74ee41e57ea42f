import KettleModel

/// Which programs are started for which events.
package struct HookRules: Sendable, Hashable {
  package var commands: [HookEvent: HookCommand] = [:]
  /// Whether they are also started for transfers that a client of aria2's RPC added.
  package var appliesToRPC = false

  package init() {}
}

/// A hook that an event has made due.
package struct HookDue: Sendable, Hashable {
  package enum Subject: Sendable, Hashable {
    case transfer(TransferID)
    case allDone(HookTally)
  }

  package var event: HookEvent
  package var source = HookSource.settings
  package var subject: Subject
  package var command: HookCommand
}
