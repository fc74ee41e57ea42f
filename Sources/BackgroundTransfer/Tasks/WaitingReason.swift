import Foundation

/// Why a task that was resumed does not run.
///
/// ```swift
/// switch task.waitingReason {
/// case .mainsPower, .unmeteredNetwork: print("Plug it in, or find another network")
/// case .freshLink: print("The link is no longer valid")
/// case let reason?: print("It \(reason)")
/// case nil: print("It runs, or is over")
/// }
/// ```
public enum WaitingReason: Hashable, Sendable {
  /// It is not time yet (`earliestBeginDate`).
  case date(Date)
  /// Others are before it.
  case turn
  /// There is no network.
  case network
  /// The disk is full.
  case diskSpace
  /// Something went wrong and is tried again, at this time if it is known.
  case retry(Date?)
  /// The server asked to come back later.
  case serverAskedToWait(Date?)
  /// The session is discretionary, or was told not to use metered networks.
  case mainsPower
  /// The session is discretionary, or was told not to use metered networks.
  case unmeteredNetwork
  /// A challenge waits for the delegate, or for the user.
  case challenge
  /// The link is no longer valid; the user may give a fresh one.
  case freshLink
  /// The user paused or stopped it, in the dashboard for example.
  case user
  /// The service does not answer at the moment.
  case service
}

extension WaitingReason: CustomStringConvertible {
  /// In words, to stand after "it".
  public var description: String {
    switch self {
    case .date(let date): "waits until \(date.formatted(.iso8601))"
    case .turn: "waits for its turn"
    case .network: "waits for the network"
    case .diskSpace: "waits for space on the disk"
    case .retry: "waits before it tries again"
    case .serverAskedToWait: "waits as the server asked"
    case .mainsPower: "waits for mains power"
    case .unmeteredNetwork: "waits for a network that is not metered"
    case .challenge: "waits for the answer to a challenge"
    case .freshLink: "waits for a fresh link"
    case .user: "was paused by the user"
    case .service: "waits for the service"
    }
  }
}
