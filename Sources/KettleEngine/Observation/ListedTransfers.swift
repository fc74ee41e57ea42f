import KettleModel

/// New transfers that only the store has from the start. None has received bytes or has a known
/// size.
///
/// Nearly all transfers of a long list are of this kind, and usually no client watches while they
/// are added. So this value stores their counts and makes rows only on request.
package struct ListedTransfers: Sendable, Hashable {
  /// The number of transfers in each state.
  package let counts: [TransferState: Int]
  private let changes: ArraySlice<JournalChange>
  private let maker: RowMaker

  /// - Parameter changes: the changes that put them into the store.
  package init(_ changes: ArraySlice<JournalChange>, _ maker: RowMaker) {
    var counts: [TransferState: Int] = [:]
    for case .put(let record) in changes { counts[record.state, default: 0] += 1 }
    self.counts = counts
    self.changes = changes
    self.maker = maker
  }

  package var isEmpty: Bool { counts.isEmpty }

  /// Returns whether one of them belongs to this session.
  package func includes(_ session: SessionID) -> Bool {
    changes.contains { change in
      if case .put(let record) = change { record.spec.session == session } else { false }
    }
  }

  /// The rows in the order of addition. Computed on each access.
  package var rows: [TransferSnapshot] {
    changes.compactMap { change in
      if case .put(let record) = change { maker.row(of: record) } else { nil }
    }
  }
}
