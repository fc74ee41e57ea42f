import KettleModel

/// Copying a transfer's URL or path, and opening its file.
extension DashboardModel {
  /// The marked transfers, the one under the cursor, or the one whose details are shown.
  private var copyableRows: [TransferSnapshot] {
    switch screens.last {
    case nil: return selectedRows
    case .details(let open):
      guard case .shown(let details) = open.content else { return [] }
      return [details.snapshot]
    case .help, .add, .entry, .question, .resetReport, .query, .sortMenu: return []
    }
  }

  mutating func perform(_ command: CopyOrOpenCommand, at now: Moment) -> [DashboardEffect] {
    let rows = copyableRows
    switch command {
    case .copyURL: return copy(rows.map(\.url), what: Strings.urlsCopied, at: now)
    case .copyPath: return copy(rows.compactMap(\.path), what: Strings.pathsCopied, at: now)
    case .openFile: return rows.first?.path.map { [.openFile(path: $0)] } ?? []
    }
  }

  private mutating func copy(
    _ texts: [String], what: (Int) -> String, at now: Moment
  ) -> [DashboardEffect] {
    let wanted = screens.isEmpty ? selectedCount : 1
    showNotice(what(texts.count) + Strings.notLoaded(wanted - texts.count), at: now)
    return [.copy(texts.joined(separator: "\n"))]
  }

  func availability(of command: CopyOrOpenCommand) -> Availability {
    let rows = copyableRows
    guard let first = rows.first else {
      guard screens.isEmpty else { return .impossible(Strings.nothingToCopy) }
      return .impossible(rowCount == 0 ? Strings.listIsEmpty : Strings.rowNotThereYet)
    }
    switch command {
    case .copyURL: return .possible
    case .copyPath:
      return Availability(unless: rows.contains { $0.path != nil } ? nil : Strings.noFileYet)
    case .openFile:
      if screens.isEmpty, selectedCount > 1 { return .impossible(Strings.opensOne) }
      let isThere = first.state == .completed && first.path != nil
      return Availability(unless: isThere ? nil : Strings.notFinished)
    }
  }
}
