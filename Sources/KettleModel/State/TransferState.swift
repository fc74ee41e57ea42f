/// Where a transfer stands, as people, commands and programs are told.
public enum TransferState: String, Sendable, Codable, CaseIterable {
  /// Never started, or stopped.
  case idle
  /// Not before a date.
  case scheduled
  /// Waiting for a free slot.
  case queued
  case running
  /// It goes on by itself, or needs the user; the reason tells.
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

  /// Nothing but the user can make it go on.
  public var needsUser: Bool {
    switch self {
    case .needsLink, .needsLogin: true
    case .retry, .retryAfter, .network, .diskSpace, .discretionary: false
    }
  }
}

/// Why bytes that were already there were fetched again: they are never thrown away in silence.
public enum FreshStartReason: String, Sendable, Codable, CaseIterable {
  /// The server has another version than the one that was begun.
  case resourceChanged
  /// The server sent the whole file where a range was asked.
  case rangeIgnored
  /// The server gave nothing by which two versions can be told apart.
  case noValidator
  /// The partial file was deleted, shortened or replaced by others.
  case partialFileChanged
  /// The user asked for it.
  case asked
}
