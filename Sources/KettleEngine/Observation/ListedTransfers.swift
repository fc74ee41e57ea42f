import KettleModel

/// New transfers that the store alone has from the start. Nothing was received of any of them, and
/// no size is known.
///
/// Of a long list nearly all are of this kind, and while it is added nearly always nobody looks: so
/// it has what they come to, and makes their rows for who does.
package struct ListedTransfers: Sendable, Hashable {
  /// So many are in each state.
  package let counts: [TransferState: Int]
  private let changes: ArraySlice<JournalChange>
  private let maker: RowMaker

  /// - Parameter changes: what put them into the store.
  package init(_ changes: ArraySlice<JournalChange>, _ maker: RowMaker) {
    var counts: [TransferState: Int] = [:]
    for case .put(let record) in changes { counts[record.state, default: 0] += 1 }
    self.counts = counts
    self.changes = changes
    self.maker = maker
  }

  package var isEmpty: Bool { counts.isEmpty }

  /// Whether one of them is of this session.
  package func includes(_ session: SessionID) -> Bool {
    changes.contains { change in
      if case .put(let record) = change { record.spec.session == session } else { false }
    }
  }

  /// In the order in which they were added. Made anew each time.
  package var rows: [TransferSnapshot] {
    changes.compactMap { change in
      if case .put(let record) = change { maker.row(of: record) } else { nil }
    }
  }
}
