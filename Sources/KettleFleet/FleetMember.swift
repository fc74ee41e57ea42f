import KettleModel

/// Decides what one host of a fleet does. `handle` takes an event and returns the actions on this
/// machine (`FleetAction`); `nextCall` returns the next request to the fleet's queue.
///
/// A lease counts from before the request was sent that got it, on a clock that does not stop
/// (`MonotonicTime`), so this host thinks it over no later than the table does.
package struct FleetMember: Sendable {
  private enum Phase: Hashable, Sendable {
    case joining
    case member(FleetMembership)
    /// It claims nothing, until the users of the fleet let it.
    case resting(FleetMembership)
    /// It finishes what it has claimed, and then leaves.
    case draining(FleetMembership)
    /// It leaves at once.
    case leaving(FleetMembership)
    case left
    case superseded
  }

  private struct HeldShare: Hashable, Sendable {
    var deadline: MonotonicTime
    var opensAt: MonotonicTime?
    var connectionsMax: Int?
  }

  private let settings: FleetSettings
  private let version: String
  private var phase = Phase.joining
  private var shares: [ShareKey: HeldShare] = [:]
  package private(set) var claims: [FleetTransferID: HeldClaim] = [:]
  private var errands = ErrandList()
  private var policy = FleetPolicy()
  private var limit: Int64?
  private var reports: [String: FleetOriginReport] = [:]
  private var progress: [FleetTransferID: FleetProgress] = [:]
  private var freeBytes: Int64?
  private var timing: CallTiming

  package init(_ settings: FleetSettings, version: String, at now: MonotonicTime) {
    self.settings = settings
    self.version = version
    timing = CallTiming(at: now)
  }

  /// Why the table did not answer last; nil if it did.
  package var problem: FleetError? { timing.problem }
  package var hasLeft: Bool { phase == .left }
  /// What the hosts ask each other for files with; nil before the host has joined.
  package var shareSecret: String? { membership?.shareSecret }
  /// Whether it claims nothing more.
  package var isDraining: Bool {
    switch phase {
    case .resting, .draining: true
    case .joining, .member, .leaving, .left, .superseded: false
    }
  }

  /// nil before the host has joined, and after it has left.
  var membership: FleetMembership? {
    switch phase {
    case .member(let membership), .resting(let membership), .draining(let membership),
      .leaving(let membership):
      membership
    case .joining, .left, .superseded: nil
    }
  }

  private var room: Int {
    guard case .member = phase else { return 0 }
    return max(0, settings.take - claims.count)
  }

  // MARK: Calls

  /// Returns what to request of the table now; nil if nothing is due before `nextWakeUp`.
  package func nextCall(at now: MonotonicTime) -> FleetCall? {
    guard now >= timing.pausedUntil else { return nil }
    switch phase {
    case .superseded, .left: return nil
    case .joining:
      return .join(
        FleetIntroduction(
          name: settings.name, secret: settings.secret, labels: settings.labels,
          take: settings.take, version: version, shareAddress: settings.shareAddress))
    case .leaving(let membership): return .leave(membership.key)
    case .member(let membership), .resting(let membership), .draining(let membership):
      return nextCall(of: membership.key, at: now)
    }
  }

  private func nextCall(of key: FleetHostKey, at now: MonotonicTime) -> FleetCall? {
    // A share is the first thing to keep.
    if now >= timing.nextBeat { return .beat(beat(of: key, at: now)) }
    let ends = claims.values.compactMap(\.end).sorted { $0.claim.id < $1.claim.id }
    if !ends.isEmpty { return .finish(FleetEnds(key: key, ends: Self.batch(of: ends))) }
    if let placement = claims.values.compactMap({ $0.placement(by: key) })
      .min(by: { $0.claim.id < $1.claim.id })
    {
      return .place(placement)
    }
    if case .draining = phase, claims.isEmpty { return .leave(key) }
    guard room > 0, now >= timing.nextClaim else { return nil }
    return .claim(
      FleetClaimRequest(key: key, labels: settings.names, count: min(room, Self.claimCountMax)))
  }

  /// Returns the first ones, bounded by their number and by their proofs.
  private static func batch(of ends: [FleetEnd]) -> [FleetEnd] {
    var proofByteCount = 0
    return Array(
      ends.prefix(100).prefix { end in
        defer { proofByteCount += end.proof?.blocks?.bytes.count ?? 0 }
        return proofByteCount < proofByteCountMax
      })
  }

  private static let proofByteCountMax = 1 << 20

  /// More at once hold up the others that claim.
  static let claimCountMax = 100

  private func beat(of key: FleetHostKey, at now: MonotonicTime) -> FleetBeat {
    var beat = FleetBeat(key: key)
    let named = claims.values.filter { $0.isNamed(in: timing.beatCount) }
    beat.claims = named.map(\.key).sorted { $0.id < $1.id }
    let used = Set(claims.values.compactMap(\.share))
    for share in shares.keys.sorted(by: { ($0.origin, $0.slot) < ($1.origin, $1.slot) }) {
      if !used.contains(share) { beat.released.append(share) }
      let report = reports[share.origin]
      beat.shares.append(
        FleetShareReport(
          share: share, opensInMilliseconds: report?.opensAt.map { $0.milliseconds(since: now) },
          connectionsMax: report?.connectionsMax))
    }
    beat.progress = progress.values.sorted { $0.id < $1.id }
    beat.bytesPerSecond = progress.values.reduce(0) { $0 &+ max(0, $1.bytesPerSecond) }
    let hasJustBegun = progress.isEmpty && !claims.isEmpty
    beat.wantsMore =
      hasJustBegun || (limit.map { beat.bytesPerSecond >= $0 / 10 * 9 } ?? !progress.isEmpty)
    beat.freeBytes = freeBytes
    beat.findings = errands.report
    return beat
  }

  /// When `nextCall` may return something, or a lease ends, if nothing happens before.
  package func nextWakeUp(at now: MonotonicTime) -> MonotonicTime? {
    if phase == .superseded || phase == .left { return nil }
    var times = [timing.nextBeat]
    if room > 0 { times.append(timing.nextClaim) }
    let calls = max(times.min() ?? now, timing.pausedUntil)
    let borders = shares.values.flatMap { [$0.deadline, $0.opensAt ?? $0.deadline] }
    return ([calls] + borders.filter { $0 > now }).min()
  }

  // MARK: Events

  package mutating func handle(_ event: FleetEvent, at now: MonotonicTime) -> [FleetAction] {
    var actions: [FleetAction] = []
    switch event {
    case .recovered(let found): recover(found, &actions)
    case .answered(let answer, let sentAt): handle(answer, sentAt: sentAt, &actions, at: now)
    case .workQueued: timing.workQueued(at: now)
    case .local(let id, let local): handle(local, of: id, &actions)
    case .looked(let key, let found): looked(for: key, found, &actions)
    case .published(let key, let result): published(key, result)
    case .compared(let finding):
      errands.note(finding)
      timing.nextBeat = min(timing.nextBeat, now)
    case .observed(let observed):
      progress = observed.progress
      reports = observed.origins
      freeBytes = observed.freeBytes
    case .drain: drain()
    case .leave:
      phase = membership.map(Phase.leaving) ?? .left
      for id in claims.keys.sorted() { drop(id, &actions) }
    case .wakeUp: break
    }
    let hasRoomAgain = claims.count < settings.take
    if hasRoomAgain, timing.hasWork { timing.nextClaim = min(timing.nextClaim, now) }
    updatePolicy(&actions, at: now)
    return actions
  }

  /// Claims nothing while the users of the fleet want it to rest.
  private mutating func rest(_ isWanted: Bool) {
    switch phase {
    case .member(let membership) where isWanted: phase = .resting(membership)
    case .resting(let membership) where !isWanted: phase = .member(membership)
    case .joining, .member, .resting, .draining, .leaving, .left, .superseded: break
    }
  }

  private mutating func drain() {
    switch phase {
    case .member(let membership), .resting(let membership): phase = .draining(membership)
    case .joining, .draining, .leaving, .left, .superseded: break
    }
  }

  /// Of several claims of one transfer, only the last one can still be this host's.
  private mutating func recover(
    _ found: [RecoveredTransfer], _ actions: inout [FleetAction]
  ) {
    for one in found {
      if let known = claims[one.key.id], known.key.epoch >= one.key.epoch {
        actions.append(.discard(one.key, one.local))
      } else {
        drop(one.key.id, &actions)
        claims[one.key.id] = HeldClaim(recovered: one)
      }
    }
  }

  private mutating func handle(
    _ answer: FleetAnswer, sentAt: MonotonicTime, _ actions: inout [FleetAction],
    at now: MonotonicTime
  ) {
    if let problem = answer.problem {
      timing.failed(problem, at: now)
      // The leases end by themselves.
      if case .leave = answer { phase = .left }
      switch problem {
      case .superseded:
        phase = .superseded
        shares = [:]
        for id in claims.keys.sorted() { drop(id, &actions) }
      case .unreachable, .refused, .notInitialized, .otherVersion, .noLibrary: break
      }
      return
    }
    timing.succeeded()
    switch answer {
    case .join(.success(let membership)):
      phase = .member(membership)
      timing.nextBeat = now
      for id in claims.keys.sorted() where claims[id]?.belongs(to: membership) == false {
        drop(id, &actions)
      }
    case .beat(let reported, .success(let reply)):
      errands.reported(reported)
      handle(reply, sentAt: sentAt, &actions, at: now)
      // More than one beat could report.
      if !errands.isEmpty { timing.nextBeat = now }
    case .claim(let asked, .success(let reply)):
      let wasIdle = claims.isEmpty
      grant(reply.shares, sentAt: sentAt, at: now)
      for claim in reply.claims { adopt(claim, &actions) }
      // Its part of the speed limit is that of a host without work.
      if wasIdle, !claims.isEmpty { timing.nextBeat = now }
      errands.take(reply.errands, &actions)
      timing.claimed(reply, of: asked, at: now)
    case .place(let key, .success(let isMine)):
      guard claims[key.id]?.key == key else { return }
      if isMine { begin(key, &actions) } else { drop(key.id, &actions) }
    case .finish(let ends, .success(let reply)):
      // The file of a claim that was lost stays: the next one uses the same name, and counts the
      // file as its own.
      for key in reply.elsewhere where claims[key.id]?.key == key {
        if claims[key.id]?.isPublished == true { actions.append(.withdraw(key)) }
      }
      for end in ends where claims[end.claim.id]?.key == end.claim { drop(end.claim.id, &actions) }
    case .leave(.success): phase = .left
    case .join, .beat, .claim, .place, .finish, .leave: break
    }
  }

  private mutating func handle(
    _ reply: FleetBeat.Reply, sentAt: MonotonicTime, _ actions: inout [FleetAction],
    at now: MonotonicTime
  ) {
    let standings = Dictionary(reply.claims.map { ($0.key, $0.wish) }) { first, _ in first }
    for id in claims.keys.sorted() {
      guard let claim = claims[id], claim.isNamed(in: timing.beatCount) else { continue }
      guard let wish = standings[claim.key] else {
        // What is published already ends with a refusal, which takes it back.
        if !claim.isAtPlace { drop(id, &actions) }
        continue
      }
      claims[id]?.follow(wish, &actions)
    }
    shares = [:]
    grant(reply.shares, sentAt: sentAt, at: now)
    for claim in reply.others { adopt(claim, &actions) }
    // A recovered claim that the table did not name with its order is lost.
    for id in claims.keys.sorted()
    where claims[id].map({ $0.awaitsOrder && !$0.isNamed(in: timing.beatCount) }) ?? false {
      drop(id, &actions)
    }
    errands.take(reply.errands, &actions)
    adoptLimit(reply, &actions)
    rest(reply.isDraining)
    timing.beaten(
      reply, lease: membership?.leaseMilliseconds ?? 0, isBusy: !claims.isEmpty,
      awaitsOrders: claims.values.contains(where: \.awaitsOrder), at: now)
  }

  private mutating func grant(
    _ grants: [FleetShareGrant], sentAt: MonotonicTime, at now: MonotonicTime
  ) {
    guard let membership else { return }
    for grant in grants {
      shares[grant.share] = HeldShare(
        deadline: sentAt.advanced(byMilliseconds: membership.leaseMilliseconds),
        opensAt: grant.opensInMilliseconds.map { now.advanced(byMilliseconds: $0) },
        connectionsMax: grant.connectionsMax)
    }
  }

  // MARK: Claims

  private mutating func adopt(_ claim: FleetClaim, _ actions: inout [FleetAction]) {
    let id = claim.key.id
    if let known = claims[id] {
      if known.key == claim.key {
        if known.awaitsOrder { claims[id]?.complete(with: claim, by: settings, &actions) }
        return
      }
      drop(id, &actions)
    }
    claims[id] = HeldClaim(claim, by: settings, &actions)
  }

  private mutating func drop(_ id: FleetTransferID, _ actions: inout [FleetAction]) {
    guard let claim = claims.removeValue(forKey: id) else { return }
    progress[id] = nil
    actions.append(.discard(claim.key, claim.local))
  }

  private mutating func handle(
    _ event: FleetLocalEvent, of key: ClaimKey, _ actions: inout [FleetAction]
  ) {
    if case .added(let transfer) = event, claims[key.id]?.isAdding(key) != true {
      // The claim was lost while it was added, or it has a transfer already.
      return actions.append(.discard(key, transfer))
    }
    guard claims[key.id]?.key == key else { return }
    claims[key.id]?.handle(event, &actions)
  }

  private mutating func begin(_ key: ClaimKey, _ actions: inout [FleetAction]) {
    claims[key.id]?.beginPublishing(&actions)
  }

  private mutating func looked(
    for key: ClaimKey, _ found: PublishedFile?, _ actions: inout [FleetAction]
  ) {
    guard claims[key.id]?.key == key else { return }
    claims[key.id]?.looked(found, &actions)
  }

  private mutating func published(_ key: ClaimKey, _ result: PublicationResult) {
    guard claims[key.id]?.key == key else { return }
    claims[key.id]?.published(result)
  }

  // MARK: What follows for this machine

  private mutating func adoptLimit(_ reply: FleetBeat.Reply, _ actions: inout [FleetAction]) {
    guard let host = membership?.key.host else { return }
    let new = TeamLimit.part(of: host, limit: reply.limitBytesPerSecond, needs: reply.needs)
    guard new != limit else { return }
    limit = new
    actions.append(.limit(bytesPerSecond: new))
  }

  private mutating func updatePolicy(_ actions: inout [FleetAction], at now: MonotonicTime) {
    var new = FleetPolicy()
    for origin in Set(claims.values.compactMap(\.share?.origin)) {
      let held = shares.filter { $0.key.origin == origin }
      let open = held.values.filter { share in
        now < share.deadline && share.opensAt.map { now >= $0 } ?? true
      }
      guard let last = open.map(\.deadline).max() else { continue }
      new.openUntil[origin] = last
      let limits = open.map(\.connectionsMax)
      if !limits.contains(nil) {
        new.connectionsMax[origin] = limits.reduce(0) { $0 + max(1, $1 ?? 1) }
      }
    }
    guard new != policy else { return }
    policy = new
    // Before anything is added to an origin that is closed.
    actions.insert(.setPolicy(new), at: 0)
  }
}

/// When a host asks the table, and how it stands with it.
private struct CallTiming: Sendable {
  var nextBeat: MonotonicTime
  var nextClaim: MonotonicTime
  /// After a failure.
  var pausedUntil: MonotonicTime
  private var failureCount = 0
  private(set) var problem: FleetError?
  private(set) var hasWork = false
  /// When work that was queued shortly after a notification is looked for: there is at most one
  /// notification in a second.
  private var secondLook: MonotonicTime?
  private(set) var beatCount = 0

  /// While something runs, for those who look.
  static let busyBeatMilliseconds: Int64 = 5000
  static let pauseMaxMilliseconds: Int64 = 8000
  static let secondLookMilliseconds: Int64 = 1100
  /// An idle host hears of new work; this is for a notification that was lost.
  static let idleClaimMilliseconds: Int64 = 60_000

  init(at now: MonotonicTime) {
    nextBeat = now
    nextClaim = now
    pausedUntil = now
  }

  mutating func failed(_ problem: FleetError, at now: MonotonicTime) {
    self.problem = problem
    failureCount = min(failureCount + 1, 10)
    let pause = min(Self.pauseMaxMilliseconds, 250 << Int64(failureCount))
    pausedUntil = now.advanced(byMilliseconds: pause)
    // The first answer shows what was lost meanwhile.
    nextBeat = now
  }

  mutating func succeeded() {
    problem = nil
    failureCount = 0
  }

  mutating func claimed(
    _ reply: FleetClaimRequest.Reply, of asked: Int, at now: MonotonicTime
  ) {
    hasWork = reply.claims.count >= asked
    let pause = hasWork ? 0 : reply.nextMilliseconds.map { max(50, $0) }
    nextClaim = now.advanced(byMilliseconds: pause ?? Self.idleClaimMilliseconds)
    if let second = secondLook, second > now { nextClaim = min(nextClaim, second) }
    secondLook = nil
  }

  mutating func workQueued(at now: MonotonicTime) {
    nextClaim = min(nextClaim, now)
    secondLook = now.advanced(byMilliseconds: Self.secondLookMilliseconds)
  }

  mutating func beaten(
    _ reply: FleetBeat.Reply, lease: Int64, isBusy: Bool, awaitsOrders: Bool,
    at now: MonotonicTime
  ) {
    beatCount += 1
    let third = max(1, lease / 3)
    let pause = awaitsOrders ? 0 : isBusy ? min(third, Self.busyBeatMilliseconds) : third
    nextBeat = now.advanced(byMilliseconds: pause)
    if reply.hasWork { nextClaim = min(nextClaim, now) }
    if let expiry = reply.nextExpiryMilliseconds {
      nextClaim = min(nextClaim, now.advanced(byMilliseconds: max(50, expiry)))
    }
  }
}
