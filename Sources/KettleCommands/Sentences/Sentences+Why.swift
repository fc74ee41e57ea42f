import KettleDashboard
import KettleModel

/// The answer of `kettle why`.
extension Sentences {
  /// One sentence per line: what, since when, until when, when it is complete, which rule applies,
  /// what its hooks did, what to do.
  static func why(
    _ row: TransferSnapshot, rule: RuleUse? = nil, hooks runs: [HookRun] = [],
    clock: any CommandClock
  ) -> [String] {
    let subtitle = row.shownSubtitle.map { " (\($0.sanitizedForDisplay(limit: 200)))" } ?? ""
    var lines = ["Transfer \(row.id), \(quoted(row.shownTitle))\(subtitle): \(row.stateWords)"]
    if let machine = row.machine { lines.append("Its machine is \(quoted(machine))") }
    lines += reasons(of: row, clock)
    switch row.freshStart {
    case .resourceChanged?, .rangeIgnored?, .noValidator?, .partialFileChanged?, .otherSources?,
      .contradictoryReplies?, .otherBeginning?:
      lines += row.freshStart.map { [Strings.freshStart($0)] } ?? []
    case .asked?, nil: break
    }
    if let rank = row.heldBack?.rank {
      lines.append(
        rank == 1
          ? "It is the next in the queue" : "It is number \(CountText.text(rank)) in the queue")
    }
    if let since = row.heldBack?.since { lines.append("Since \(timeText(since, clock))") }
    lines += row.heldBack.flatMap { until(of: row, $0, clock) }.map { [$0] } ?? []
    lines += end(of: row, clock)
    if let rule, !rule.properties.isEmpty {
      lines.append("By \(rule.words): \(rule.propertyWords)")
    }
    lines += hooks(runs, clock)
    let remedy = row.heldBack.flatMap { HeldBackWords($0, of: row).remedy }
    lines += remedy.map { ["To do: \($0)"] } ?? []
    // The same file, downloaded from there again, continues it.
    lines += row.page.map { ["The page that it came from: \(quoted($0, limit: 4096))"] } ?? []
    return lines
  }

  private static func reasons(
    of row: TransferSnapshot, _ clock: any CommandClock
  ) -> [String] {
    guard let heldBack = row.heldBack else {
      switch row.state {
      case .running: return ["Nothing holds it back" + speed(of: row)]
      case .queued, .waiting: return ["The service does not report why"]
      case .verifying:
        guard let path = row.path, row.storedByteCount != nil else {
          return ["Its checksum is being computed"]
        }
        return ["It is being uploaded to \(quoted(path, limit: 4096)), \(row.sizeText)"]
      case .completed: return row.path.map { ["Its file is \(quoted($0, limit: 4096))"] } ?? []
      case .failed: return ["Because: \(failed(row))"]
      case .idle, .scheduled, .paused: return []
      }
    }
    let obstacle = HeldBackWords(heldBack, of: row, time: { timeText($0, clock) }).clause
    var lines = ["Because \(obstacle)" + silence(heldBack, clock) + speed(of: row, heldBack)]
    if row.state == .waiting, let complaint = row.complaint {
      lines.append("Last response: \(complaint)")
    }
    lines += row.error?.certificate.map { describe($0, clock) } ?? []
    return lines
  }

  private static func describe(
    _ certificate: ServerCertificate, _ clock: any CommandClock
  ) -> [String] {
    if certificate.isHostKey {
      return [
        "The host key of \(certificate.origin.sanitizedForDisplay(limit: 300)) is "
          + "\(certificate.subject.sanitizedForDisplay(limit: 64)), "
          + certificate.hostKeyFingerprint
      ]
    }
    func name(_ text: String) -> String {
      text.isEmpty ? "an unnamed holder" : quoted(text, limit: 100)
    }
    let until = certificate.validUntil.map { ", valid until \(timeText($0, clock))" } ?? ""
    return [
      "The certificate of \(certificate.origin.sanitizedForDisplay(limit: 300)) was issued to "
        + "\(name(certificate.subject)) by \(name(certificate.issuer))\(until)",
      "Its SHA-256 is \(certificate.fingerprint.sanitizedForDisplay(limit: 64))",
    ]
  }

  /// For how long a server has sent nothing.
  private static func silence(_ heldBack: HeldBack, _ clock: any CommandClock) -> String {
    guard heldBack.cause == .unknown, let since = heldBack.since else { return "" }
    return
      " for "
      + DurationText.countdown(
        max(0, clock.now().wall.millisecondsSince1970 &- since.millisecondsSince1970) / 1000)
  }

  /// The speed, unless the limit says the same.
  private static func speed(of row: TransferSnapshot, _ heldBack: HeldBack? = nil) -> String {
    let limit = heldBack?.bytesPerSecond
    let isSaid =
      limit.map { ByteText.limit($0) == ByteText.limit(row.bytesPerSecond) } ?? false
    return row.speedWords.isEmpty || isSaid ? "" : " (\(row.speedWords))"
  }

  private static func until(
    of row: TransferSnapshot, _ heldBack: HeldBack, _ clock: any CommandClock
  ) -> String? {
    guard let until = heldBack.until else {
      return row.state == .waiting && row.reason?.needsUser == true
        ? "Until you act; it does not continue by itself" : nil
    }
    let time = timeText(until, clock)
    switch row.state {
    case .queued where heldBack.cause == .retryAfter || heldBack.cause == .queueHours:
      return "Until \(time)"
    case .queued: return "It is expected to start at \(time)"
    case .waiting: return "The next attempt is at \(time)"
    case .scheduled: return "It starts at \(time)"
    case .running where heldBack.cause == .unknown:
      return
        "If nothing comes until \(time), it is requested again, at another address of the host "
        + "if there is one"
    case .idle, .running, .paused, .verifying, .completed, .failed: return "Until \(time)"
    }
  }

  private static func end(of row: TransferSnapshot, _ clock: any CommandClock) -> [String] {
    guard let readyAt = row.readyAt else {
      switch row.state {
      case .queued, .running: return ["There is no estimate yet of when it will be done"]
      case .idle, .scheduled, .waiting, .paused, .verifying, .completed, .failed: return []
      }
    }
    let time = timeText(readyAt, clock)
    return [
      row.readyAtIsGuess == true
        ? "It may be done at about \(time)" : "It should be done at \(time)"
    ]
  }

  // MARK: Times

  /// `22:41` today, with seconds within two minutes, `24 Dec 22:41` on another day.
  static func timeText(_ time: WallTime, _ clock: any CommandClock) -> String {
    let now = clock.now().wall
    guard let local = clock.localTime(of: time)?.inUTC, let today = clock.localTime(of: now)?.inUTC
    else { return time.iso8601 }
    // The local calendar read as UTC prints the local time.
    let text = ClockText(utcOffsetSeconds: 0)
    let isNear =
      time > now.advanced(byMilliseconds: -120_000) && time < now.advanced(byMilliseconds: 120_000)
    return isNear ? text.withSeconds(local) : text.long(local, now: today)
  }

  /// The last line of `list`; nil if nothing is estimated.
  static func readiness(of totals: Totals, _ clock: any CommandClock) -> String? {
    guard let batch = totals.batch, let readyAt = batch.readyAt else { return nil }
    let time = (batch.readyAtIsGuess == true ? "~" : "") + timeText(readyAt, clock)
    let unknown = batch.unpredictableCount ?? 0
    return "All done at \(time)"
      + (unknown > 0 ? ", except \(CountText.text(unknown)) without an estimate" : "")
  }

  /// Nothing is sent while the service cannot use its configuration file.
  static func heldBackByConfiguration(_ heldBack: HeldBack) -> String {
    let file = quoted(heldBack.subject ?? "the configuration file", limit: 4096)
    return "Nothing is sent, because the service cannot use \(file), which may forbid it; "
      + HeldBackWords.useOfConfiguration
  }
}
