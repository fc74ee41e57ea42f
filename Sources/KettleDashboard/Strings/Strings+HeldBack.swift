import KettleModel

/// What keeps transfers from moving, or hosts from being used.
extension Strings {
  /// For the message line: why a transfer waits, or a running one is not faster.
  static func heldBack(_ row: TransferSnapshot, time: (WallTime) -> String?) -> String? {
    slowed(row)
      ?? row.obstacle(time: time).map { (row.state == .queued ? "Queued: " : "Held back: ") + $0 }
  }

  /// For a running transfer that reaches a limit of the user.
  private static func slowed(_ row: TransferSnapshot) -> String? {
    guard let heldBack = row.heldBack, let limit = heldBack.bytesPerSecond.map(ByteText.limit)
    else { return nil }
    if heldBack.cause == .totalLimit { return "Slowed by your limit of \(limit) for everything" }
    return heldBack.cause == .ownLimit ? "Slowed by its limit of \(limit)" : nil
  }

  /// The words in the row of a queued transfer, the longest form first: its place in the queue and
  /// what it waits for.
  ///
  /// - Parameter opening: When its queue opens.
  static func queued(_ row: TransferSnapshot, opening: String? = nil) -> [String] {
    guard let heldBack = row.heldBack else { return ["queued"] }
    var reasons = HeldBackWords(heldBack, of: row).forms
    if heldBack.cause == .queueHours, let queue = row.queueOfUser?.text {
      let opens = opening.map { [queue + " queue, opens " + $0] } ?? []
      return opens + [queue + " queue is closed"] + reasons
    }
    // Its turn may be minutes away while its host does not answer.
    if heldBack.cause == .turn {
      reasons = ["waiting for " + String(row.host).sanitizedForDisplay(limit: 40), "waiting"]
    }
    guard let rank = heldBack.rank else { return reasons.map { "queued, " + $0 } + ["queued"] }
    let place = "#\(CountText.text(rank))"
    return reasons.map { "\(place) in queue, " + $0 } + reasons.map { place + " " + $0 }
      + [place + " in queue", place]
  }

  static let hostsTitle = "hosts"

  static func openConnections(_ count: Int) -> String {
    count == 1 ? "1 connection" : "\(count) connections"
  }

  /// What keeps transfers from a host, in a few words.
  static func held(_ host: HostSnapshot, _ clock: ClockText, now: WallTime) -> String {
    if let outage = host.outage {
      return outage.nextProbeAt.map { "down, next try " + clock.short($0, now: now) }
        ?? "down"
    }
    if let until = host.closedUntil { return "not before " + clock.short(until, now: now) }
    if let limit = host.limit {
      let cause = limit.status.map { "answered \($0) at " } ?? "refused a connection at "
      return cause + clock.short(limit.since, now: now)
    }
    return host.queuedCount > 0 ? "\(CountText.text(host.queuedCount)) queued" : ""
  }
}
