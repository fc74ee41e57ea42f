/// The state of a transfer as users, commands and programs see it.
public enum TransferState: String, Sendable, Codable, CaseIterable {
  /// Never started, or stopped.
  case idle
  /// Starts at a given time.
  case scheduled
  /// Waiting for a free slot.
  case queued
  case running
  /// Continues automatically or needs the user, depending on the reason.
  case waiting
  /// Paused by the user; resume data is kept.
  case paused
  /// All bytes have arrived and the checksum is being computed.
  case verifying
  case completed
  case failed

  /// Whether nothing more happens without a request of the user.
  public var isFinished: Bool {
    switch self {
    case .completed, .failed: true
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying: false
    }
  }
}

extension TransferState {
  /// Whether a transfer in this state completed and was then cleared from view. A transfer that is
  /// reset or started again is visible again.
  ///
  /// - Parameters:
  ///   - finishNumber: `TransferRecord.finishNumber`; nil counts as less than every number.
  ///   - clearedUpTo: The greatest finish number that was cleared; nil if none was.
  package func isCleared(finishNumber: Int64?, upTo clearedUpTo: Int64?) -> Bool {
    guard self == .completed, let clearedUpTo else { return false }
    return finishNumber ?? 0 <= clearedUpTo
  }
}

/// Why a transfer is in `TransferState.waiting`. Its words are in `HeldBackWords`.
public enum WaitingReason: String, Sendable, Codable, CaseIterable {
  case retry, retryAfter, network
  /// Its host refuses connections, does not respond or cannot be resolved.
  case hostUnreachable
  /// The proxy requires another login or cannot be reached.
  case proxy
  case diskSpace, discretionary, needsLink, needsLogin
  /// The response may not be the file: the user accepts or rejects it.
  case needsDecision
  /// A collection whose list is complete, and whose files are not.
  case members

  /// Whether only the user can make it continue.
  public var needsUser: Bool {
    switch self {
    case .needsLink, .needsLogin, .needsDecision: true
    case .retry, .retryAfter, .network, .hostUnreachable, .proxy, .diskSpace, .discretionary,
      .members:
      false
    }
  }

  /// Whether the transfer is retried after a failure until it succeeds.
  public var isRetry: Bool {
    switch self {
    case .retry, .retryAfter, .hostUnreachable, .proxy: true
    case .network, .diskSpace, .needsLink, .needsLogin, .needsDecision, .discretionary, .members:
      false
    }
  }

  /// Whether the user can end the wait: with an answer, or by freeing space on a full disk.
  public var concernsUser: Bool { needsUser || self == .diskSpace }
}

/// Why received bytes were discarded and fetched again. Bytes are never discarded without a reason.
public enum FreshStartReason: String, Sendable, Codable, CaseIterable {
  /// The server has another version than the partial file.
  case resourceChanged
  /// The server sent the whole file in reply to a range request.
  case rangeIgnored
  /// The server sent no validator to distinguish two versions.
  case noValidator
  /// Another program deleted, truncated or replaced the partial file.
  case partialFileChanged
  /// A mirror opened a file of another size than the user's URL or most other sources have.
  case otherSources
  /// The server's responses contradicted each other until nothing else was left to try.
  case contradictoryReplies
  /// The file of another program under the name is not the beginning of this one.
  case otherBeginning
  /// The user requested it.
  case asked
}

/// Where a transfer stands for the person who waits for it.
package enum WorkStage: Hashable, Sendable {
  /// It continues by itself.
  case underWay
  case completed
  case failed
  case needsUser
  /// Not started, not before a date, or stopped or paused by the user.
  case inactive

  package init(_ state: TransferState, _ reason: WaitingReason?) {
    switch state {
    case .queued, .running, .verifying: self = .underWay
    case .waiting: self = reason?.needsUser == true ? .needsUser : .underWay
    case .completed: self = .completed
    case .failed: self = .failed
    case .idle, .scheduled, .paused: self = .inactive
    }
  }
}

/// Whether this machine can reach other machines.
package enum NetworkState: Sendable, Hashable {
  /// An interface that is up has a route beyond this machine.
  case present
  case absent
}
