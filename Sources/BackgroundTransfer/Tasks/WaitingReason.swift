import Foundation

/// The reason why a resumed task is not running.
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
  /// Its `earliestBeginDate` has not arrived.
  case date(Date)
  /// Other tasks are ahead of it in the queue.
  case turn
  /// There is no network.
  case network
  /// The disk is full.
  case diskSpace
  /// The last attempt failed; the task retries at this time, if it is known.
  case retry(Date?)
  /// The server asked for a delay, until this time if it is known.
  case serverAskedToWait(Date?)
  /// The session is discretionary, or does not allow metered networks.
  case mainsPower
  /// The session is discretionary, or does not allow metered networks.
  case unmeteredNetwork
  /// A challenge is waiting for the delegate or the user.
  case challenge
  /// The link has expired; the user may provide a fresh one.
  case freshLink
  /// The user paused or stopped it, for example in the dashboard.
  case user
  /// The service is not responding at the moment.
  case service
}

extension WaitingReason: CustomStringConvertible {
  /// A phrase that follows "it".
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
