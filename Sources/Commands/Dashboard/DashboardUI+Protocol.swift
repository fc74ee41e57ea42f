import ControlProtocol
import DashboardUI
import TransferModel

/// The words of the dashboard in those of the protocol, and back: neither knows the other.

extension ControlVerb {
  var asControl: TransferControlVerb {
    switch self {
    case .start: .start
    case .pause: .pause
    case .stop: .stop
    }
  }
}

extension ControlTarget {
  var asSelection: TransferSelection {
    switch self {
    case .ids(let ids): .ids(ids)
    case .all: .all
    }
  }
}

extension ControlTransfers.Refusal {
  var forDashboard: ControlRefusal {
    switch why {
    case .unknown: ControlRefusal(id: id, why: .unknown)
    case .completed: ControlRefusal(id: id, why: .completed)
    case .notStarted: ControlRefusal(id: id, why: .notStarted)
    }
  }
}

extension TransferDetailsView {
  init(_ details: TransferDetails) {
    self.init(snapshot: details.snapshot)
    currentURL = details.currentURL
    partialPath = details.partialPath
    held = details.held
    entityTag = details.entityTag
    lastModified = details.lastModified
    checksum = details.checksum
    status = details.status
    headers = details.headers
    retryCount = details.retryCount
    history = details.history.map { HistoryLine(at: $0.at, text: $0.text) }
  }
}
