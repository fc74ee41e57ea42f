import KettleModel

/// Why a transfer does not move, or not as fast as it could.
extension Strings {
  /// What keeps a transfer, as one clause. `time` writes the time since which a host has a lower
  /// limit; without it the clause has none.
  package static func obstacle(
    of row: TransferSnapshot, _ heldBack: HeldBack, time: (WallTime) -> String? = { _ in nil }
  ) -> String {
    let subject = heldBack.subject.map { "\"" + $0.sanitizedForDisplay(limit: 200) + "\"" }
    switch heldBack.cause {
    case .slot: return "\(usage(heldBack)) transfers are running"
    case .hostLimit:
      let since = heldBack.limitedSince.flatMap(time).map { " at " + $0 } ?? ""
      let learned =
        heldBack.status.map { ", a limit since the server answered \($0)\(since)" } ?? ""
      return "\(usage(heldBack)) connections to \(subject ?? "its host") are in use\(learned)"
    case .sessionLimit:
      return "its session uses \(usage(heldBack)) connections to \(subject ?? "its host")"
    case .connectionLimit: return "\(usage(heldBack)) connections are in use"
    case .queueLimit:
      return "\(usage(heldBack)) transfers of the queue \(subject ?? "it is in") are running"
    case .queueHours: return "the queue \(subject ?? "it is in") is outside its hours"
    case .configuration:
      return "the configuration file \(subject ?? "of the service") cannot be used"
    case .battery: return "the machine is running on battery"
    case .metered: return "the network is metered"
    case .priority: return "transfers of higher priority come first"
    case .turn: return "it is about to start"
    case .retry: return "it is tried again after an error"
    case .retryAfter: return "\(subject ?? "the server") asked to be contacted later"
    case .network where row.error?.asksForNetworkLogin == true:
      return "the network asks for a login"
    case .network: return "the network is down"
    case .hostUnreachable: return "\(subject ?? "its host") cannot be reached"
    case .proxy: return "the proxy refuses the connection or its login"
    case .diskSpace: return "the disk is full"
    case .discretionary:
      let condition = heldBack.subject.flatMap(TransferCondition.init(rawValue:))
      return "it waits for \(condition?.words ?? "the conditions of its program")"
    case .needsLink: return "its link has expired"
    case .needsLogin: return "the server requires a login"
    case .needsDecision:
      guard let certificate = row.error?.certificate else {
        return "what arrived may not be the file"
      }
      return "the server's \(certificate.isHostKey ? "host key" : "certificate") is not trusted"
    case .scheduled: return "its start time has not come"
    case .paused: return "it was paused"
    case .idle: return row.bytesReceived > 0 ? "it was stopped" : "it was not started"
    case .ownLimit: return "its speed is limited to \(limit(heldBack))"
    case .totalLimit: return "all transfers together are limited to \(limit(heldBack))"
    case .disk: return "the disk is slower than the network"
    case .line: return "the network is saturated, and transfers share it"
    case .server: return "\(subject ?? "its server") sends more slowly than other servers"
    case .unknown where heldBack.since != nil: return "\(subject ?? "its server") has sent nothing"
    case .unknown:
      return "\(subject ?? "its server") sends little or nothing, and it is not known why"
    }
  }

  /// For the message line: why a queued transfer waits, or a running one is not faster.
  static func heldBack(
    _ row: TransferSnapshot, _ heldBack: HeldBack, time: (WallTime) -> String?
  ) -> String {
    let clause = obstacle(of: row, heldBack, time: time)
    return row.state == .queued ? "Queued: " + clause : "Held back: " + clause
  }

  /// The words in the row of a queued transfer, the longest form first: its place in the queue and
  /// what it waits for.
  static func queued(_ heldBack: HeldBack?) -> [String] {
    guard let heldBack else { return ["queued"] }
    let reasons = queueReasons(heldBack)
    guard let rank = heldBack.rank else { return reasons.map { "queued, " + $0 } + ["queued"] }
    let place = "#\(rank)"
    return reasons.map { "\(place) in queue, " + $0 } + reasons.map { place + " " + $0 }
      + [place + " in queue", place]
  }

  private static func queueReasons(_ heldBack: HeldBack) -> [String] {
    let used = heldBack.used.flatMap { used in heldBack.allowed.map { "\(used)/\($0)" } }
    func counted(_ words: String) -> [String] {
      [used.map { words + " " + $0 }, words].compactMap(\.self)
    }
    switch heldBack.cause {
    case .slot: return counted("slots full")
    case .hostLimit: return counted("host full")
    case .sessionLimit: return counted("session full")
    case .connectionLimit: return counted("connections full") + counted("full")
    case .queueLimit: return counted("queue full")
    case .queueHours: return ["outside its hours", "closed"]
    case .configuration: return ["configuration unreadable", "configuration"]
    case .battery: return ["on battery", "battery"]
    case .metered: return ["metered network", "metered"]
    case .priority: return ["after higher priority", "by priority"]
    case .turn: return ["about to start", "starting"]
    case .retry: return ["retry"]
    case .retryAfter: return ["server said later", "later"]
    case .network, .hostUnreachable, .proxy, .diskSpace, .discretionary, .needsLink, .needsLogin,
      .needsDecision:
      // Such a cause has the name of the reason for which transfers wait.
      return WaitingReason(rawValue: heldBack.cause.rawValue).map(waitingForms) ?? []
    case .scheduled, .paused, .idle, .ownLimit, .totalLimit, .disk, .line, .server, .unknown:
      return []
    }
  }

  // MARK: Hosts

  static let hostsTitle = "Host"

  /// What keeps transfers from a host, in a few words.
  static func held(_ host: HostSnapshot, _ clock: ClockText, now: WallTime) -> String {
    if let outage = host.outage {
      return outage.nextProbeAt.map { "down, next try " + clock.short($0, now: now) }
        ?? "down, trying now"
    }
    if let until = host.closedUntil { return "not before " + clock.short(until, now: now) }
    if let limit = host.limit {
      let cause = limit.status.map { "a \($0)" } ?? "a refusal"
      return "\(cause) at " + clock.short(limit.since, now: now)
    }
    return host.queuedCount > 0 ? "\(host.queuedCount) queued" : ""
  }

  // MARK: Numbers

  private static func usage(_ heldBack: HeldBack) -> String {
    "\(heldBack.used ?? 0) of \(heldBack.allowed ?? 0)"
  }

  private static func limit(_ heldBack: HeldBack) -> String {
    ByteText.limit(heldBack.bytesPerSecond ?? 0)
  }
}
