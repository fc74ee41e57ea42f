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
    lines += reasons(of: row, clock)
    switch row.freshStart {
    case .resourceChanged?, .rangeIgnored?, .noValidator?, .partialFileChanged?, .otherSources?,
      .contradictoryReplies?, .otherBeginning?:
      lines += row.freshStart.map { [Strings.freshStart($0)] } ?? []
    case .asked?, nil: break
    }
    if let rank = row.heldBack?.rank {
      lines.append(rank == 1 ? "It is the next in the queue" : "It is number \(rank) in the queue")
    }
    if let since = row.heldBack?.since { lines.append("Since \(timeText(since, clock))") }
    lines += row.heldBack.flatMap { until(of: row, $0, clock) }.map { [$0] } ?? []
    lines += ready(row, clock)
    if let rule, !rule.properties.isEmpty {
      lines.append("By \(rule.words): \(rule.propertyWords)")
    }
    lines += hooks(runs, clock)
    if let heldBack = row.heldBack, let remedy = remedy(of: row, heldBack) {
      lines.append("To do: \(remedy)")
    }
    return lines
  }

  private static func reasons(
    of row: TransferSnapshot, _ clock: any CommandClock
  ) -> [String] {
    guard let heldBack = row.heldBack else {
      switch row.state {
      case .running: return ["Nothing holds it back" + speed(of: row)]
      case .queued, .waiting: return ["The service does not report why"]
      case .verifying: return ["Its checksum is being computed"]
      case .completed: return row.path.map { ["Its file is \(quoted($0, limit: 4096))"] } ?? []
      case .failed: return ["Because: \(failed(row))"]
      case .idle, .scheduled, .paused: return []
      }
    }
    let obstacle = Strings.obstacle(of: row, heldBack, time: { timeText($0, clock) })
    var lines = ["Because \(obstacle)" + silence(heldBack, clock) + speed(of: row)]
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
      " for \(max(0, clock.now().wall.millisecondsSince1970 &- since.millisecondsSince1970) / 1000) s"
  }

  private static func speed(of row: TransferSnapshot) -> String {
    row.speedWords.isEmpty ? "" : " (\(row.speedWords))"
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

  private static func ready(_ row: TransferSnapshot, _ clock: any CommandClock) -> [String] {
    guard let readyAt = row.readyAt else {
      switch row.state {
      case .queued, .running: return ["When it will be complete cannot be estimated yet"]
      case .idle, .scheduled, .waiting, .paused, .verifying, .completed, .failed: return []
      }
    }
    return ["It is expected to be complete at \(timeText(readyAt, clock))"]
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
    return isNear ? String(text.full(local).suffix(8)) : text.long(local, now: today)
  }

  /// The time for a column: `22:41` today, `24 Dec` on another day.
  static func shortTime(_ time: WallTime, _ clock: any CommandClock) -> String {
    guard let local = clock.localTime(of: time)?.inUTC,
      let today = clock.localTime(of: clock.now().wall)?.inUTC
    else { return "" }
    return ClockText(utcOffsetSeconds: 0).short(local, now: today)
  }

  /// The last line of `list`; nil if nothing is estimated.
  static func readiness(of totals: Totals, _ clock: any CommandClock) -> String? {
    guard let batch = totals.batch, let readyAt = batch.readyAt else { return nil }
    let time = timeText(readyAt, clock)
    let unknown = batch.unpredictableCount ?? 0
    return unknown > 0
      ? "All by \(time), except \(unknown) for which there is no estimate" : "All by \(time)"
  }
}

/// What the user can do about a transfer that does not move, or not as fast as it could.
extension Sentences {
  /// Nothing is sent while the service cannot use its configuration file.
  static func heldBackByConfiguration(_ heldBack: HeldBack) -> String {
    let file = quoted(heldBack.subject ?? "the configuration file", limit: 4096)
    return "Nothing is sent, because the service cannot use \(file), which may forbid it; "
      + useOfConfiguration
  }

  /// What the user can do about it; nil if there is nothing.
  static func remedy(of row: TransferSnapshot, _ heldBack: HeldBack) -> String? {
    let id = row.id
    switch heldBack.cause {
    case .slot: return "the setting limits.transfers permits more at once"
    case .hostLimit where heldBack.status != nil:
      let host = heldBack.subject?.sanitizedForDisplay(limit: 200) ?? "HOST"
      return "\"kettle hosts reset \(host)\" removes the limit, which otherwise ends by itself"
    case .hostLimit:
      let host = heldBack.subject?.sanitizedForDisplay(limit: 200) ?? "HOST"
      return "limits.connections-per-host, or connections in [hosts.\"\(host)\"], permits more"
    case .connectionLimit: return "the setting limits.connections permits more"
    case .sessionLimit: return "only its program can change that"
    case .queueLimit:
      let name = row.queueOfUser?.text ?? QueueName.standard.text
      return "the setting queues.\(name).transfers permits more"
    case .queueHours:
      return row.queueOfUser == .standard
        ? "change queues.default.hours to let it run earlier"
        : "\"kettle queues move default \(id)\" lets it run now"
    case .configuration: return useOfConfiguration
    case .battery: return "set conditions.pause-on-battery to false to let it run"
    case .metered: return "set conditions.pause-on-metered to false to let it run"
    case .priority: return "pause the others, or add it with --priority high"
    case .network where row.error?.asksForNetworkLogin == true:
      return "open any page in a browser and log in"
    case .turn, .network, .hostUnreachable, .server, .line, .unknown: return nil
    case .retry, .retryAfter: return "\"kettle start \(id)\" tries it now"
    case .proxy: return "correct the proxy settings, then restart the service"
    case .diskSpace: return "free space on the disk"
    case .discretionary: return "\"kettle start \(id)\" starts it without"
    case .needsLink: return "give a new one with \"kettle start \(id) --url URL\""
    case .needsLogin:
      return "give one with \"kettle start \(id) --user NAME\", which keeps everything"
    case .needsDecision where row.error?.certificate != nil:
      return "\"kettle accept \(id)\" trusts it, with --remember for its whole host"
    case .needsDecision:
      return "\"kettle accept \(id)\" keeps what arrived, \"kettle start \(id)\" requests it again"
    case .scheduled: return "\"kettle start \(id)\" starts it now"
    case .paused, .idle: return "start it with \"kettle start \(id)\""
    case .ownLimit: return "\"kettle limit none \(id)\" removes the limit"
    case .totalLimit: return "\"kettle limit none\" removes the limit"
    case .disk: return "use another disk with -d"
    }
  }
}
