import KettleModel

/// The details screen: it loads, refreshes once a second, and follows the rows in between.
extension DashboardModel {
  static var detailsIntervalMilliseconds: Int64 { 1000 }

  mutating func openDetails(of row: TransferSnapshot, at now: Moment) -> [DashboardEffect] {
    screens.append(
      .details(
        DetailsScreen(id: row.id, content: .loading, scroll: 0, requestedAt: now.monotonic)))
    return [.loadDetails(row.id)]
  }

  mutating func receive(_ details: TransferDetailsView) {
    changeDetails(of: details.snapshot.id) { $0.content = .shown(details) }
  }

  /// Each section opens at its start; the events open at their end.
  mutating func show(_ command: DetailsCommand, at now: Moment) {
    guard case .details(var open) = screens.last else { return }
    switch command {
    case .section(let section): open.section = section
    case .nextSection: open.section = open.section.next(1)
    case .previousSection: open.section = open.section.next(-1)
    }
    open.scroll = 0
    open.followsEnd = true
    replaceTop(with: .details(open))
    clampScroll(at: now)
  }

  mutating func refreshDetails(from window: ListWindow) {
    guard let open = openDetails, let index = window.index(of: open.id),
      let row = window.row(at: index)
    else { return }
    changeDetails(of: open.id) { screen in
      if case .shown(var details) = screen.content {
        details.snapshot = row
        screen.content = .shown(details)
      }
    }
  }

  mutating func reloadDetailsIfOld(at now: Moment) -> [DashboardEffect] {
    guard let open = openDetails,
      now.monotonic.milliseconds(since: open.requestedAt) >= Self.detailsIntervalMilliseconds
    else { return [] }
    return reloadDetails(at: now)
  }

  mutating func reloadDetails(at now: Moment) -> [DashboardEffect] {
    guard link.isConnected, let open = openDetails else { return [] }
    changeDetails(of: open.id) { $0.requestedAt = now.monotonic }
    return [.loadDetails(open.id)]
  }

  var openDetails: DetailsScreen? {
    for case .details(let open) in screens { return open }
    return nil
  }

  mutating func changeDetails(of id: TransferID, _ change: (inout DetailsScreen) -> Void) {
    for index in screens.indices {
      guard case .details(var open) = screens[index], open.id == id else { continue }
      change(&open)
      screens[index] = .details(open)
    }
  }
}
