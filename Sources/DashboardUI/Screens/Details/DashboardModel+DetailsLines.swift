import TransferModel

/// Everything about one transfer.
extension DashboardModel {
  func detailsLines(_ open: DetailsScreen, width: Int, now: Moment) -> [ReaderLine] {
    var text = ReaderText(width: width)
    switch open.content {
    case .loading: text.text(Strings.loading, .quiet)
    case .unavailable(let sentence): text.text(sentence, .problem)
    case .shown(let details):
      addOverview(details, to: &text, now: now)
      addPlaces(details, to: &text)
      addHeld(details, to: &text)
      addServer(details, to: &text)
      addHistory(details, to: &text)
    }
    return text.lines
  }

  private func addOverview(
    _ details: TransferDetailsView, to text: inout ReaderText, now: Moment
  ) {
    let row = details.snapshot
    text.heading(row.shownTitle)
    text.add(.bar(ProgressBar(row, at: now, isLive: link.isConnected)))
    text.pair(Strings.labelState, stateText(row, now: now.wall), row.stateRole)
    text.pair(Strings.labelProblem, row.problemSentence, .problem)
    text.pair(Strings.labelFreshStart, row.freshStart.map(Strings.freshStart), .waiting)
    text.pair(Strings.labelProgress, progressText(row))
    if row.state == .running {
      text.pair(Strings.labelSpeed, ByteText.speed(row.bytesPerSecond))
      text.pair(Strings.labelLeft, row.secondsLeft.map(DurationText.clock))
      text.pair(Strings.labelConnections, "\(row.connections)")
    }
    text.pair(Strings.labelPriority, Strings.priority(row.priority))
    text.pair(Strings.labelAdded, clockText.full(row.createdAt))
    text.pair(Strings.labelFinished, row.finishedAt.map(clockText.full))
    text.pair(Strings.labelRetries, details.retryCount > 0 ? "\(details.retryCount)" : nil)
  }

  private func stateText(_ row: TransferSnapshot, now: WallTime) -> String {
    switch RowStatus(row, clock: clockText, now: now) {
    case .moving: Strings.countWord(.running)
    case .words(let forms, let clock):
      [row.state == .failed ? Strings.countWord(.failed) : forms.first ?? "", clock]
        .filter { !$0.isEmpty }.joined(separator: ", ")
    }
  }

  private func progressText(_ row: TransferSnapshot) -> String? {
    let parts = [row.sizeText, row.percentText ?? ""].filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  private func addPlaces(_ details: TransferDetailsView, to text: inout ReaderText) {
    text.heading(Strings.headingPlaces)
    text.pair(Strings.labelURL, details.snapshot.url)
    text.pair(Strings.labelCurrentURL, details.currentURL)
    text.pair(Strings.labelFile, details.snapshot.path)
    text.pair(Strings.labelPartialFile, details.partialPath)
    text.pair(Strings.labelChecksum, details.checksum)
    text.pair(Strings.labelSession, details.snapshot.session.rawValue)
  }

  private func addHeld(_ details: TransferDetailsView, to text: inout ReaderText) {
    guard !details.held.isEmpty else { return }
    text.heading(Strings.headingHeld)
    if let total = details.snapshot.bytesExpected, total > 0 {
      text.add(.held(details.held, total: total))
    }
    let shown = 12
    for range in details.held.ranges.prefix(shown) {
      text.text(Strings.heldRange(ByteText.size(range.lower), ByteText.size(range.upper)))
    }
    if details.held.ranges.count > shown {
      text.text(Strings.more(details.held.ranges.count - shown), .quiet)
    }
  }

  private func addServer(_ details: TransferDetailsView, to text: inout ReaderText) {
    guard
      details.status != nil || !details.headers.isEmpty || details.entityTag != nil
        || details.lastModified != nil
    else { return }
    text.heading(Strings.headingServer)
    text.pair(Strings.labelStatus, details.status.map(String.init))
    text.pair(Strings.labelETag, details.entityTag)
    text.pair(Strings.labelLastModified, details.lastModified)
    for header in details.headers.prefix(100) {
      text.text(header.name + ": " + header.value, .quiet)
    }
  }

  private func addHistory(_ details: TransferDetailsView, to text: inout ReaderText) {
    guard !details.history.isEmpty else { return }
    text.heading(Strings.headingHistory)
    for line in details.history.suffix(100) {
      text.text(clockText.full(line.at) + "  " + line.text)
    }
  }
}
