/// The state of a transfer, as people, commands and programs see it.
public enum TransferState: String, Sendable, Codable, CaseIterable {
  /// Never started, or stopped.
  case idle
  /// Not before a date.
  case scheduled
  /// Waiting for a free slot.
  case queued
  case running
  /// It continues by itself, or needs the user, depending on the reason.
  case waiting
  /// By the user; resume data is kept.
  case paused
  /// All bytes are there, the checksum is being computed.
  case verifying
  case completed
  case failed

  /// Nothing more happens to it by itself, and nothing is left to fetch.
  public var isFinished: Bool {
    switch self {
    case .completed, .failed: true
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying: false
    }
  }
}

/// Why a transfer in `TransferState.waiting` waits.
public enum WaitingReason: String, Sendable, Codable, CaseIterable {
  case retry, retryAfter, network, diskSpace, discretionary, needsLink, needsLogin

  /// Only the user can make it continue.
  public var needsUser: Bool {
    switch self {
    case .needsLink, .needsLogin: true
    case .retry, .retryAfter, .network, .diskSpace, .discretionary: false
    }
  }
}

/// The reason why present bytes were fetched again: they are never discarded silently.
public enum FreshStartReason: String, Sendable, Codable, CaseIterable {
  /// The server has another version than the one that was begun.
  case resourceChanged
  /// The server sent the whole file in reply to a range request.
  case rangeIgnored
  /// The server gave nothing by which two versions can be told apart.
  case noValidator
  /// The partial file was deleted, shortened or replaced by others.
  case partialFileChanged
  /// The user requested it.
  case asked
}
