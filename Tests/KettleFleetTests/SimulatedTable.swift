import KettleModel

@testable import KettleFleet

/// The fleet's queue by its rules, without a database: what KettlePostgres promises.
final class SimulatedTable {
  struct Row {
    var order: FleetOrder
    var state = FleetState.queued
    var epoch: Int64 = 0
    var host: FleetHostID?
    var placing: EarlierPlacing?
    var published: (epoch: Int64, name: String)?
  }

  struct Share {
    var host: FleetHostID?
    var until: Int64 = 0
    var opensAt: Int64 = 0
    var connectionsMax: Int?
  }

  struct Host {
    var name: String
    var start: Int64
    var aliveUntil: Int64
    var bytesPerSecond: Int64 = 0
    var wantsMore = false
  }

  static let lease: Int64 = 60_000

  /// The only clock that decides.
  var now: Int64 = 0
  private(set) var rows: [FleetTransferID: Row] = [:]
  private(set) var shares: [String: Share] = [:]
  private(set) var hosts: [FleetHostID: Host] = [:]
  var limit: Int64?
  private(set) var claimCount = 0
  private(set) var refusedCount = 0

  func add(_ order: FleetOrder) {
    let id = FleetTransferID(rawValue: Int64(rows.count + 1))
    rows[id] = Row(order: order)
    shares[order.url.origin.text, default: Share()] = shares[order.url.origin.text] ?? Share()
  }

  /// What a user does.
  func control(_ verb: FleetControl.Verb, _ id: FleetTransferID) {
    guard var row = rows[id], row.state != .placing else { return }
    switch verb {
    case .start:
      guard row.state == .paused || row.state == .idle || row.state == .failed else { return }
      let isHeld = row.state == .paused && row.host != nil && shares[origin(row)]?.host == row.host
      row.state = isHeld ? .claimed : .queued
      if !isHeld { row.host = nil }
    case .pause:
      guard row.state == .queued || row.state == .claimed else { return }
      row.state = .paused
    case .stop:
      guard row.state != .completed else { return }
      row.state = .idle
      row.host = nil
      row.epoch += 1
    case .remove:
      rows[id] = nil
      return
    }
    rows[id] = row
  }

  func isHolder(_ host: FleetHostID, of origin: String) -> Bool {
    shares[origin].map { $0.host == host && now < $0.until } ?? false
  }

  // MARK: The calls

  func perform(_ call: FleetCall) -> FleetAnswer {
    switch call {
    case .join(let host): .join(.success(join(host)))
    case .beat(let beat):
      .beat(
        reported: beat.findings, Result { () throws(FleetError) in try self.beat(beat) })
    case .claim(let request):
      .claim(
        asked: request.count, Result { () throws(FleetError) in try claim(request) })
    case .place(let placement): .place(placement.claim, .success(place(placement)))
    case .finish(let ends): .finish(ends.ends, .success(finish(ends)))
    case .leave(let key):
      .leave(.success(leave(key)))
    }
  }

  private func join(_ host: FleetIntroduction) -> FleetMembership {
    let known = hosts.first { $0.value.name == host.name }
    let id = known?.key ?? FleetHostID(rawValue: Int64(hosts.count + 1))
    let start = (known?.value.start ?? 0) + 1
    hosts[id] = Host(name: host.name, start: start, aliveUntil: now + Self.lease)
    return FleetMembership(
      key: FleetHostKey(host: id, start: start), fleet: "f0", leaseMilliseconds: Self.lease)
  }

  private func check(_ key: FleetHostKey) throws(FleetError) {
    guard hosts[key.host]?.start == key.start else { throw .superseded }
  }

  private func origin(_ row: Row) -> String { row.order.url.origin.text }

  private func beat(_ beat: FleetBeat) throws(FleetError) -> FleetBeat.Reply {
    try check(beat.key)
    let me = beat.key.host
    hosts[me]?.aliveUntil = now + Self.lease
    hosts[me]?.bytesPerSecond = beat.bytesPerSecond
    hosts[me]?.wantsMore = beat.wantsMore
    for report in beat.shares where shares[report.share.origin]?.host == me {
      if let milliseconds = report.opensInMilliseconds {
        shares[report.share.origin]?.opensAt = now + milliseconds
      }
      if let most = report.connectionsMax { shares[report.share.origin]?.connectionsMax = most }
    }
    for share in beat.released where shares[share.origin]?.host == me {
      let isUsed = rows.values.contains { $0.host == me && origin($0) == share.origin }
      if !isUsed { shares[share.origin]?.host = nil }
    }
    for key in beat.claims {
      guard let row = rows[key.id], row.epoch == key.epoch, row.state == .queued, row.host == nil
      else { continue }
      let share = shares[origin(row)] ?? Share()
      guard share.host == nil || share.host == me || now >= share.until else { continue }
      shares[origin(row)]?.host = me
      rows[key.id]?.host = me
      rows[key.id]?.state = .claimed
    }
    for (text, share) in shares
    where rows.values.contains(where: { $0.host == me && origin($0) == text }) {
      guard share.host == nil || share.host == me || now >= share.until else { continue }
      shares[text]?.host = me
      shares[text]?.until = now + Self.lease
    }
    return reply(to: beat)
  }

  private func reply(to beat: FleetBeat) -> FleetBeat.Reply {
    let me = beat.key.host
    let named = Set(beat.claims)
    var reply = FleetBeat.Reply()
    for (id, row) in rows.sorted(by: { $0.key < $1.key }) {
      let key = ClaimKey(id: id, epoch: row.epoch)
      switch row.state {
      case .queued where row.host == nil && named.contains(key):
        // Nobody else has it, and another host has the share.
        reply.claims.append(FleetBeat.Standing(key: key, wish: .pause))
      case .claimed, .placing, .paused:
        guard row.host == me else { continue }
        if named.contains(key) {
          reply.claims.append(
            FleetBeat.Standing(key: key, wish: row.state == .paused ? .pause : .run))
        } else {
          reply.others.append(claim(id, row))
        }
      case .queued, .completed, .failed, .idle: continue
      }
    }
    reply.shares = grants(of: me)
    reply.hasWork = rows.values.contains { $0.state == .queued }
    reply.limitBytesPerSecond = limit
    reply.needs = hosts.filter { now < $0.value.aliveUntil }.map {
      FleetNeed(
        host: $0.key, bytesPerSecond: $0.value.bytesPerSecond, wantsMore: $0.value.wantsMore)
    }
    return reply
  }

  private func claim(_ id: FleetTransferID, _ row: Row) -> FleetClaim {
    FleetClaim(
      key: ClaimKey(id: id, epoch: row.epoch), share: ShareKey(origin: origin(row), slot: 0),
      order: row.order, earlier: row.placing)
  }

  private func grants(of host: FleetHostID) -> [FleetShareGrant] {
    shares.filter { $0.value.host == host && now < $0.value.until }
      .sorted { $0.key < $1.key }
      .map { origin, share in
        FleetShareGrant(
          share: ShareKey(origin: origin, slot: 0),
          opensInMilliseconds: share.opensAt > now ? share.opensAt - now : nil,
          connectionsMax: share.connectionsMax)
      }
  }

  private func claim(
    _ request: FleetClaimRequest
  ) throws(FleetError) -> FleetClaimRequest.Reply {
    try check(request.key)
    let me = request.key.host
    for (text, share) in shares where share.host != nil && now >= share.until {
      for (id, row) in rows where origin(row) == text && row.host == share.host {
        guard row.state == .claimed || row.state == .placing || row.state == .paused else {
          continue
        }
        rows[id]?.host = nil
        if row.state != .paused { rows[id]?.state = .queued }
      }
      shares[text]?.host = nil
    }
    var reply = FleetClaimRequest.Reply()
    for (id, row) in rows.sorted(by: { $0.key < $1.key })
    where row.state == .queued && reply.claims.count < request.count {
      let share = shares[origin(row)] ?? Share()
      guard share.host == nil || share.host == me, now >= share.opensAt else { continue }
      shares[origin(row)]?.host = me
      shares[origin(row)]?.until = now + Self.lease
      rows[id]?.state = .claimed
      rows[id]?.host = me
      rows[id]?.epoch += 1
      claimCount += 1
      if let row = rows[id] { reply.claims.append(claim(id, row)) }
    }
    // A claim renews all shares, as a beat does.
    for (text, share) in shares where share.host == me { shares[text]?.until = now + Self.lease }
    reply.shares = grants(of: me)
    if rows.values.contains(where: { $0.state == .queued }) {
      let next = shares.values.filter { $0.host != nil }.map { $0.until - now }.min()
      reply.nextMilliseconds = max(1, next ?? 1000)
    }
    return reply
  }

  private func isLast(_ claim: ClaimKey) -> Bool {
    guard let row = rows[claim.id], row.epoch == claim.epoch else { return false }
    return row.state == .queued || row.state == .claimed || row.state == .placing
  }

  private func place(_ placement: FleetPlacement) -> Bool {
    guard isLast(placement.claim) else {
      refusedCount += 1
      return false
    }
    rows[placement.claim.id]?.state = .placing
    rows[placement.claim.id]?.host = placement.key.host
    rows[placement.claim.id]?.placing = EarlierPlacing(
      host: placement.key.host, epoch: placement.claim.epoch, name: placement.name,
      byteCount: placement.byteCount, modifiedNanoseconds: placement.modifiedNanoseconds,
      directory: placement.directory)
    return true
  }

  private func finish(_ ends: FleetEnds) -> FleetEnds.Reply {
    var accepted: [ClaimKey] = []
    var elsewhere: [ClaimKey] = []
    for end in ends.ends {
      let row = rows[end.claim.id]
      if case .published(let name, _, _) = end.outcome, let published = row?.published,
        published.epoch != end.claim.epoch, published.name != name
      {
        elsewhere.append(end.claim)
      }
      if row?.published?.epoch == end.claim.epoch { accepted.append(end.claim) }
      guard isLast(end.claim) else {
        refusedCount += 1
        continue
      }
      accepted.append(end.claim)
      rows[end.claim.id]?.host = nil
      switch end.outcome {
      case .published(let name, _, _):
        rows[end.claim.id]?.state = .completed
        rows[end.claim.id]?.published = (end.claim.epoch, name)
      case .failed: rows[end.claim.id]?.state = .failed
      case .givenBack: rows[end.claim.id]?.state = .queued
      }
    }
    return FleetEnds.Reply(accepted: accepted, elsewhere: elsewhere)
  }

  private func leave(_ key: FleetHostKey) {
    for (id, row) in rows where row.host == key.host {
      rows[id]?.host = nil
      if row.state != .paused { rows[id]?.state = .queued }
    }
    for (text, share) in shares where share.host == key.host { shares[text]?.host = nil }
  }
}
