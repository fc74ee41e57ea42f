import KettleFleet

/// Why an exchange with the database failed.
struct PostgresProblem: Error {
  /// Raised by our functions.
  private static let superseded = "KF001"
  /// The same; the message is the version.
  private static let otherVersion = "KF002"

  var text: String
  /// The SQLSTATE (https://www.postgresql.org/docs/15/errcodes-appendix.html); nil if the exchange
  /// broke off or took too long.
  var state: String?
  private var known: FleetError?

  init(_ text: String, state: String? = nil) {
    self.text = text
    self.state = state
  }

  /// A problem that no exchange had.
  init(_ error: FleetError) {
    text = ""
    known = error
  }

  /// Whether the session can be used again: the database answered, and is not about to end.
  var leavesSession: Bool { state.map { !["08", "57P"].contains(where: $0.hasPrefix) } ?? false }

  /// Whether the transaction was given up for the sake of another one (class 40: deadlocks).
  var isRepeatable: Bool { state?.hasPrefix("40") ?? false }

  /// The same in the words of a fleet.
  var fleetError: FleetError {
    if let known { return known }
    return switch state {
    case nil: .unreachable(text)
    case Self.superseded: .superseded
    case Self.otherVersion: .otherVersion(Int(text) ?? 0)
    // No such schema, function or table.
    case "3F000", "42883", "42P01": .notInitialized
    // A lock that took too long: it may be free later.
    case "55P03": .unreachable(text)
    default:
      // Connections, deadlocks, resources, the operator, the system.
      switch state?.prefix(2) {
      case "08", "40", "53", "57", "58": .unreachable(text)
      default: .refused(text)
      }
    }
  }
}
