import KettleModel

/// A transfer as the RPC reports it.
package struct RPCDownload: Hashable, Sendable {
  package var gid: GID
  package var row: TransferSnapshot
  /// nil if only fields of the row were asked for.
  package var record: TransferRecord?
  /// The bytes of the file that are here.
  package var received = ByteRangeSet()
  /// Where the file goes, if its path is not known yet.
  package var directory: String?
  /// Whether a client removed it while it was unfinished.
  package var isRemoved = false

  package init(
    gid: GID, row: TransferSnapshot, record: TransferRecord? = nil,
    received: ByteRangeSet? = nil, directory: String? = nil
  ) {
    self.received = received ?? record?.resumeData?.durable ?? ByteRangeSet()
    self.gid = gid
    self.row = row
    self.record = record
    self.directory = directory
  }

  package var status: RPCStatus { isRemoved ? .removed : RPCStatus(row.state, row.reason) }
}

/// The states of aria2.
package enum RPCStatus: String, Hashable, Sendable {
  case active, waiting, paused, error, complete, removed

  package init(_ state: TransferState, _ reason: WaitingReason?) {
    switch RowFilter.Stage(state, reason) {
    case .active: self = .active
    case .pending: self = state == .paused || state == .idle ? .paused : .waiting
    case .ended: self = state == .completed ? .complete : .error
    }
  }

  /// Whether nothing more happens to it.
  package var isStopped: Bool {
    switch self {
    case .error, .complete, .removed: true
    case .active, .waiting, .paused: false
    }
  }
}
