import KettleModel

/// Sentences about transfers that a command waits for.
extension Sentences {
  static func of(_ error: FollowError) -> String {
    switch error {
    case .serviceStopped:
      "The service was stopped while it was watched; \"kettle daemon start\" starts it, "
        + "and the transfers go on"
    }
  }

  static let eventsMissed =
    "The connection to the service was lost for a moment; "
    + "what happened meanwhile is not shown, \"kettle list\" shows how it is"

  static let eventsDropped =
    "Events came faster than they were read, so some were dropped; "
    + "\"kettle list\" shows how it is"

  static func failed(_ row: TransferSnapshot) -> String {
    guard let error = row.error else {
      return "Transfer \(row.id) failed; start it again with \"kettle start \(row.id)\""
    }
    return error.sentence.sanitizedForDisplay(limit: 600)
  }

  static func needsUser(_ row: TransferSnapshot) -> String {
    let what =
      switch row.reason {
      case .needsLogin: "a login; remove it and add its URL again with --user"
      case .needsLink:
        "a fresh link, because its own has expired; "
          + "give it with \"kettle start \(row.id) --url URL\""
      case .retry, .retryAfter, .network, .diskSpace, .discretionary, nil: "the user"
      }
    return "Transfer \(row.id) waits for \(what)"
  }

  static func removedMeanwhile(_ id: TransferID) -> String {
    "Transfer \(id) was removed from the list before it was finished"
  }

  static func stoppedMeanwhile(_ id: TransferID) -> String {
    "Transfer \(id) was stopped before it was finished; "
      + "start it again with \"kettle start \(id)\""
  }

  static func leftRunning(_ id: TransferID) -> String {
    "Transfer \(id) goes on in the background; watch it with \"kettle\", "
      + "wait for it with \"kettle wait \(id)\", stop it with \"kettle stop \(id)\""
  }

  static func leftDashboard(continuingCount count: Int) -> String {
    switch count {
    case 0: "Nothing is under way; \"kettle\" shows the list again"
    case 1: "1 transfer goes on in the background; \"kettle\" shows it again"
    default: "\(count) transfers go on in the background; \"kettle\" shows them again"
    }
  }

  static func waitsForStart(_ row: TransferSnapshot) -> String {
    "Transfer \(row.id) is \(row.state.rawValue) and does not go on by itself; "
      + "waiting until it is started with \"kettle start \(row.id)\""
  }

  static func timedOut(unfinished count: Int) -> String {
    count == 1
      ? "The time is over and 1 transfer is not finished; it goes on in the background"
      : "The time is over and \(count) transfers are not finished; they go on in the background"
  }
}
