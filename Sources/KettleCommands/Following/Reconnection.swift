import KettleSocket
import KettleStarter

/// Reconnects to a service whose connection ended.
///
/// A service that ended cleanly removed its socket: it was stopped on purpose and is not restarted.
/// One that was killed left the socket behind, and is started again.
struct Reconnection {
  let context: CommandContext
  let address: ServiceAddress
  let client: ClientIdentity

  enum Attempt {
    case connected(any ServiceCalling)
    case notYet
    case stopped
  }

  /// About two seconds without a socket: there is briefly none while another client starts the
  /// service.
  static let failureCountBeforeStopped = 4

  /// 200 ms, 400 ms, 800 ms, … at most 5 s.
  static func pauseMilliseconds(afterFailures count: Int) -> Int64 {
    min(5000, 100 << Int64(min(max(count, 1), 10)))
  }

  /// The pause for this service. It is longer over ssh, which costs a process each time, and a
  /// machine that is off stays off for longer.
  func pauseMilliseconds(afterFailures count: Int) -> Int64 {
    guard address.host != nil else { return Self.pauseMilliseconds(afterFailures: count) }
    return min(60_000, 1000 << Int64(min(max(count - 1, 0), 10)))
  }

  /// Tries once. `failureCount` is the number of failures in a row, including the loss itself.
  func attempt(failureCount: Int) async throws -> Attempt {
    do {
      return .connected(try await connect(startIfNeeded: false, mayAsk: false))
    } catch let error as RemoteError {
      switch error.why {
      case .unreachable, .noService, .ended: return .notYet
      case .notRunning: return failureCount >= Self.failureCountBeforeStopped ? .stopped : .notYet
      case .cannotRunSSH, .noProgram, .otherVersion, .notAnswering: throw error
      }
    } catch ClientError.notRunning {
      if context.services.socketExists(of: address) {
        return .connected(try await connect(startIfNeeded: true))
      }
      return failureCount >= Self.failureCountBeforeStopped ? .stopped : .notYet
    } catch ClientError.connectionLost {
      return .notYet
    }
  }

  /// - Parameter mayAsk: Whether ssh may ask questions on the terminal.
  func connect(startIfNeeded: Bool, mayAsk: Bool = true) async throws -> any ServiceCalling {
    var address = address
    address.mayAsk = mayAsk
    guard address.machines.isEmpty else {
      return try await SeveralMachines.open(
        address.machines.map { machine in
          Reconnection(context: context, address: address.of(machine), client: client)
        }, names: MachineName.shown(address.machines), startIfNeeded: startIfNeeded,
        mayAsk: mayAsk)
    }
    return try await context.services.connect(
      to: address, client: client, startIfNeeded: startIfNeeded)
  }
}
