import KettleModel

/// The text of each section of the details.
struct DetailsText {
  let details: TransferDetails
  let layout: ReaderLayout
  let context: ScreenContext

  func add(_ section: DetailsSection, to text: inout ReaderText) {
    switch section {
    case .overview: addOverview(to: &text)
    case .parts: addParts(to: &text)
    case .addresses: addAddresses(to: &text)
    case .headers: addHeaders(to: &text)
    case .events: addEvents(to: &text)
    case .speed: addSpeed(to: &text)
    }
  }

  // MARK: - Overview

  private func addOverview(to text: inout ReaderText) {
    let row = details.snapshot
    text.heading(row.shownTitle)
    if let subtitle = row.shownSubtitle { text.text(subtitle, .quiet) }
    text.add(.bar(LineBar(row, context)))
    text.pair(Strings.labelState, value: stateText(row), row.stateRole)
    text.pair(Strings.labelProblem, value: row.problemSentence, .problem)
    let advice = row.need.map { context.keymap.filled(Strings.remark(on: row, needing: $0)) }
    text.pair(Strings.labelAdvice, value: advice, .waiting)
    if row.state == .queued || row.state == .running {
      text.pair(Strings.labelHeldBack, value: row.obstacle(time: context.time), .waiting)
    }
    text.pair(
      Strings.labelReady,
      value: row.expectedReadyAt(now: context.now.wall).map {
        Strings.guessed(
          context.clock.long($0, now: context.now.wall), isGuess: row.readyAtIsGuess == true)
      })
    text.pair(Strings.labelFreshStart, value: row.freshStart.map(Strings.freshStart), .waiting)
    text.pair(Strings.labelFiles, value: row.collection?.words)
    text.pair(Strings.labelVersion, value: row.collection?.version?.sanitizedForDisplay(limit: 100))
    text.pair(
      Strings.labelSynced,
      value: row.collection?.lastSync.map {
        context.clock.long($0.at, now: context.now.wall) + ": " + Strings.brought($0)
      })
    text.pair(Strings.labelProgress, value: progressText(row))
    if row.state == .running {
      text.pair(Strings.labelSpeed, value: ByteText.speed(row.bytesPerSecond))
      text.pair(Strings.labelLeft, value: row.secondsLeft.map(DurationText.clock))
      text.pair(Strings.labelConnections, value: "\(row.connections)")
    }
    text.pair(
      Strings.labelLimit,
      value: Strings.limits(own: row.limitBytesPerSecond, all: context.totals.limitBytesPerSecond))
    text.pair(Strings.labelMachine, value: row.machine?.sanitizedForDisplay(limit: 100))
    text.pair(Strings.labelQueue, value: row.queue?.text)
    text.pair(Strings.labelPriority, value: PriorityText.text(row.priority))
    if let checksum = details.checksum {
      text.pair(Strings.labelChecksum, value: Strings.checksumVerdict(row), Self.checksumRole(row))
      text.pair("", value: checksum)
    }
    text.pair(Strings.labelEncoding, value: row.contentCoding.map(Strings.encoding))
    text.pair(Strings.labelFile, value: row.path)
    text.pair(Strings.labelID, value: "\(context.ownID(of: row))")
    text.pair(Strings.labelSession, value: row.session.rawValue)
    text.pair(Strings.labelAdded, value: context.clock.full(row.createdAt))
    text.pair(Strings.labelFinished, value: row.finishedAt.map { context.clock.full($0) })
    text.pair(Strings.labelRetries, value: details.retryCount > 0 ? "\(details.retryCount)" : nil)
    for run in details.hooks.suffix(20) {
      text.pair(
        run.title,
        value: run.happened + ", " + context.clock.long(run.since, now: context.now.wall),
        Self.hookRole(run))
    }
  }

  private static func hookRole(_ run: HookRun) -> Role {
    guard let end = run.end else { return .plain }
    return end.outcome.isSuccess ? .good : .problem
  }

  private static func checksumRole(_ row: TransferSnapshot) -> Role {
    if row.state == .completed { return .good }
    return row.error?.code == .checksumMismatch ? .problem : .plain
  }

  private func stateText(_ row: TransferSnapshot) -> String {
    switch RowStatus(row, clock: context.clock, now: context.now.wall) {
    case .moving: Strings.countWord(.running)
    case .still(let word): word
    case .words(let forms):
      row.state == .failed ? Strings.countWord(.failed) : forms.first ?? ""
    case .done(let time, let proof, let problem):
      [time, proof, problem].compactMap(\.self).joined(separator: ", ")
    }
  }

  private func progressText(_ row: TransferSnapshot) -> String? {
    let parts = [row.sizeText, row.percentText ?? ""].filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  // MARK: - Parts

  private func addParts(to text: inout ReaderText) {
    if let total = details.snapshot.bytesExpected, total > 0 {
      let height = layout.size.rows >= 36 ? 6 : layout.size.rows >= 20 ? 4 : 1
      // The record of a finished file no longer has its parts.
      let durable =
        details.snapshot.state == .completed ? ByteRangeSet(prefix: total) : details.held
      let map = PartsMap(
        durable: durable, total: total, connections: details.liveConnections, height: height,
        ridge: details.snapshot.ridge)
      for row in 0..<height { text.add(.parts(map, row: row)) }
      text.add(.partsLegend(hasConnections: !details.liveConnections.isEmpty))
    } else {
      text.text(Strings.sizeUnknown, .quiet)
    }
    addConnections(to: &text)
    guard !details.held.isEmpty else { return }
    text.heading(Strings.headingReceived)
    let shown = 200
    for range in details.held.ranges.prefix(shown) {
      text.text(Strings.receivedRange(ByteText.size(range.lower), ByteText.size(range.upper)))
    }
    if details.held.ranges.count > shown {
      text.text(Strings.more(details.held.ranges.count - shown), .quiet)
    }
  }

  private func addConnections(to text: inout ReaderText) {
    guard !details.liveConnections.isEmpty else { return }
    text.heading(Strings.headingConnections)
    let table = ConnectionTable(width: text.width)
    text.add(.text(table.header, .columnHeader))
    for (index, connection) in details.liveConnections.prefix(100).enumerated() {
      text.add(.text(table.line(connection, index), .plain))
    }
  }

  // MARK: - Addresses and headers

  private func addAddresses(to text: inout ReaderText) {
    text.pair(Strings.labelURL, value: details.snapshot.url)
    for (index, url) in details.redirects.prefix(50).enumerated() {
      text.pair(Strings.labelRedirect(index + 1), value: url)
    }
    if details.redirects.isEmpty { text.pair(Strings.labelCurrentURL, value: details.currentURL) }
    text.pair(Strings.labelPage, value: details.page?.sanitizedForDisplay(limit: 4096))
    text.pair(Strings.labelDirectory, value: details.directory)
    if let rule = details.rule {
      text.pair(Strings.labelRule, value: Strings.described(rule))
    }
    text.pair(Strings.labelFile, value: details.snapshot.path)
    text.pair(Strings.labelPartialFile, value: details.partialPath)
  }

  private func addHeaders(to text: inout ReaderText) {
    guard
      details.status != nil || !details.headers.isEmpty || details.entityTag != nil
        || details.lastModified != nil
    else {
      text.text(Strings.noResponse, .quiet)
      return
    }
    text.pair(Strings.labelStatus, value: details.status.map(String.init))
    text.pair(Strings.labelETag, value: details.entityTag)
    text.pair(Strings.labelLastModified, value: details.lastModified)
    if !details.headers.isEmpty { text.heading(Strings.headingHeaders) }
    for header in details.headers.prefix(200) { text.text(header.name + ": " + header.value) }
  }

  // MARK: - Events and speed

  private func addEvents(to text: inout ReaderText) {
    if details.history.isEmpty { text.text(Strings.nothingHappened, .quiet) }
    for line in details.history.suffix(1000) {
      text.text(context.clock.full(line.at) + "  " + line.text)
    }
  }

  private func addSpeed(to text: inout ReaderText) {
    let samples = details.recentSpeeds.map { max(0, $0) }
    guard samples.contains(where: { $0 > 0 }) else {
      text.text(Strings.noSpeedYet, .quiet)
      return
    }
    let height = min(max(layout.bodyHeight - 4, 2), 24)
    let graph = SpeedGraph(
      samples: samples, height: height, limit: details.snapshot.limitBytesPerSecond)
    for row in 0...height { text.add(.graph(graph, row: row)) }
    let sum = samples.reduce(0.0) { $0 + Double($1) }
    text.text(
      Strings.speeds(
        now: ByteText.speed(samples.last ?? 0), most: ByteText.speed(samples.max() ?? 0),
        mean: ByteText.speed(Int64(min(sum / Double(samples.count), 9e18))),
        seconds: samples.count), .quiet)
  }
}
