/// Selects the transfers that match all set properties.
package struct RowFilter: Codable, Hashable, Sendable {
  package enum Scope: String, Codable, Sendable, CaseIterable {
    case all
    /// Excludes transfers that were cleared from view.
    case uncleared
  }

  /// How far a transfer is.
  package enum Stage: String, Codable, Sendable, CaseIterable {
    /// It runs or is verified.
    case active
    /// It continues by itself, or when it is started.
    case pending
    /// It is finished, or continues only when the user answers it.
    case ended
  }

  /// The accepted states; nil accepts all.
  package var states: [TransferState]?
  package var session: SessionID?
  /// The user's queue; tasks of programs are in none.
  package var queue: QueueName?
  /// The host of the URL or a parent domain: `example.org` also matches `cdn.example.org`.
  package var host: String?
  /// Words separated by spaces. Each must occur in the title, the URL or the path, ignoring case.
  package var text: String?
  /// Accepts only transfers that continue only when the user does something.
  package var needsUser: Bool
  package var scope: Scope
  /// The accepted stage; nil accepts all.
  package var stage: Stage?

  package init(
    states: [TransferState]? = nil, session: SessionID? = nil, queue: QueueName? = nil,
    host: String? = nil, text: String? = nil, needsUser: Bool = false, scope: Scope = .all,
    stage: Stage? = nil
  ) {
    self.states = states
    self.session = session
    self.queue = queue
    self.host = host
    self.text = text
    self.needsUser = needsUser
    self.scope = scope
    self.stage = stage
  }
}

extension RowFilter {
  private enum CodingKeys: String, CodingKey {
    case states, session, queue, host, text, needsUser, scope, stage
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      states: try container.decodeIfPresent([TransferState].self, forKey: .states),
      session: try container.decodeIfPresent(SessionID.self, forKey: .session),
      queue: try container.decodeIfPresent(QueueName.self, forKey: .queue),
      host: try container.decodeIfPresent(String.self, forKey: .host),
      text: try container.decodeIfPresent(String.self, forKey: .text),
      needsUser: try container.decodeIfPresent(Bool.self, forKey: .needsUser) ?? false,
      scope: try container.decodeIfPresent(Scope.self, forKey: .scope) ?? .all,
      stage: try container.decodeIfPresent(Stage.self, forKey: .stage))
  }
}

extension RowFilter.Stage {
  package init(_ state: TransferState, _ reason: WaitingReason?) {
    switch state {
    case .running, .verifying: self = .active
    case .idle, .scheduled, .queued, .paused: self = .pending
    case .waiting: self = reason?.needsUser == true ? .ended : .pending
    case .completed, .failed: self = .ended
    }
  }

  /// The states that a transfer of this stage may have.
  package var states: [TransferState] {
    switch self {
    case .active: [.running, .verifying]
    case .pending: [.idle, .scheduled, .queued, .waiting, .paused]
    case .ended: [.waiting, .completed, .failed]
    }
  }
}
