import KettleControl
import KettleDashboard
import KettleModel

/// Converts between the dashboard's vocabulary and the protocol's. Neither depends on the other.

extension ControlVerb {
  var asControl: TransferControlVerb {
    switch self {
    case .start: .start
    case .pause: .pause
    case .stop: .stop
    case .accept: .accept
    case .remember: .remember
    }
  }
}

extension QueueMove {
  var asWay: MoveTransfers.Way {
    switch self {
    case .up: .up
    case .down: .down
    case .toTop: .toTop
    case .toBottom: .toBottom
    }
  }
}

extension ControlTransfers.Refusal {
  var forDashboard: ControlRefusal {
    switch why {
    case .unknown: ControlRefusal(id: id, why: .unknown)
    case .completed: ControlRefusal(id: id, why: .completed)
    case .notStarted: ControlRefusal(id: id, why: .notStarted)
    case .nothingToDecide: ControlRefusal(id: id, why: .nothingToDecide)
    }
  }
}

extension TransferDetailsView {
  init(_ details: TransferDetails) {
    self.init(snapshot: details.snapshot)
    currentURL = details.currentURL
    redirects = details.redirects ?? []
    directory = details.directory
    rule = details.rule
    partialPath = details.partialPath
    durable = details.held
    connections = details.liveConnections ?? []
    entityTag = details.entityTag
    lastModified = details.lastModified
    checksum = details.checksum
    status = details.status
    headers = details.headers
    retryCount = details.retryCount
    recentSpeeds = details.recentSpeeds ?? []
    history = details.history.map { HistoryLine(at: $0.at, text: $0.text) }
    hooks = details.hooks ?? []
  }
}
