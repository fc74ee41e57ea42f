#if Fleet
import KettleEngine
import KettleFleet
import KettleModel
import KettleScheduler
import KettleSystem

/// Performs on this machine what `FleetMember` decides: the fleet's transfers in the engine, in
/// order, and the publishing of their files, beside each other.
final class LocalFleetWork: Sendable {
  private struct State {
    /// nil before the host has joined.
    var host: (membership: FleetMembership, reach: NetworkReach)?
    /// The claim of each transfer.
    var claims: [TransferID: ClaimKey] = [:]
    var transfers: [ClaimKey: TransferID] = [:]
    /// Where the file of each claim waits, and where it goes.
    var places: [ClaimKey: (owner: ClaimDirectory, directory: String)] = [:]
    /// The latest rows of the session.
    var rows: [TransferID: TransferSnapshot] = [:]
    /// What was given to the publisher.
    var files: [ClaimKey: CompleteFile] = [:]
    var limit: Int64?
    var origins: [String: FleetOriginReport] = [:]
    var phase = Phase.working
  }

  private enum Phase {
    case working
    case ended
  }

  private let engine: TransferEngine
  private let publisher: FleetPublisher
  private let settings: FleetSettings
  private let sharing: FleetSharing?
  private let report: @Sendable (FleetEvent) -> Void
  private let state = Mutex(State())
  private let pool = WorkerPool("kettle.fleet.publishing", width: 4)
  /// One file at a time is compared, so that the disk has time for downloads.
  private let comparing = WorkerPool("kettle.fleet.comparing", width: 1)
  private let batches: AsyncStream<[FleetAction]>
  private let batchList: AsyncStream<[FleetAction]>.Continuation

  /// - Parameter report: passes what happened to the decisions.
  init(
    engine: TransferEngine, publisher: FleetPublisher, settings: FleetSettings,
    sharing: FleetSharing? = nil,
    report: @escaping @Sendable (FleetEvent) -> Void
  ) {
    self.engine = engine
    self.publisher = publisher
    self.settings = settings
    self.sharing = sharing
    self.report = report
    (batches, batchList) = AsyncStream.makeStream()
  }

  /// Must be called before actions of the membership are performed.
  ///
  /// - Parameter reach: the least reach of addresses that orders may lead to.
  func begin(_ membership: FleetMembership, reach: NetworkReach) {
    state.withLock { $0.host = (membership, reach) }
  }

  func perform(_ actions: [FleetAction]) { if !actions.isEmpty { batchList.yield(actions) } }

  /// Performs actions until `end`.
  func run() async {
    for await actions in batches { await performAll(actions) }
  }

  func end() {
    state.withLock { $0.phase = .ended }
    batchList.finish()
  }

  private var hasEnded: Bool { state.withLock { $0.phase == .ended } }

  // MARK: Actions

  private func performAll(_ actions: [FleetAction]) async {
    var added: [(ClaimKey, FleetOrder, String)] = []
    for action in actions {
      if case .add(let key, let order, let directory) = action {
        added.append((key, order, directory))
        continue
      }
      await perform(action)
    }
    await add(added)
  }

  private func perform(_ action: FleetAction) async {
    switch action {
    case .add: break
    case .pause(let id): _ = await engine.control(.pause, [id])
    case .start(let id): _ = await engine.control(.start, [id])
    case .look(let key, let earlier):
      pool.async { [self] in
        let found = owner(of: key).flatMap { publisher.look(for: $0, earlier, in: settings) }
        report(.looked(key, found))
      }
    case .inspect(let key, let id): inspect(key, id)
    case .publish(let key, let file, let directory, let replacing):
      await publish(key, file, in: directory, replacing: replacing)
    case .compare(let errand):
      guard let owner = owner(of: errand.key) else { return }
      comparing.async { [self] in
        let check = publisher.compare(
          errand, of: owner, in: settings, at: engine.now, shouldStop: { [self] in hasEnded })
        if !hasEnded { report(.compared(FileFinding(key: errand.key, check: check))) }
      }
    case .withdraw(let key):
      let known = state.withLock { ($0.files[key], $0.places[key]?.directory) }
      if let file = known.0, let directory = known.1 { publisher.withdraw(file, from: directory) }
    case .discard(let key, let id): await discard(key, id)
    case .setPolicy(let policy): await engine.setPolicy(of: .fleet, SessionPolicy(policy))
    case .limit(let bytesPerSecond):
      state.withLock { $0.limit = bytesPerSecond }
      await divideLimit()
    }
  }

  private func publish(
    _ key: ClaimKey, _ file: CompleteFile, in directory: String, replacing: Bool
  ) async {
    let local = state.withLock { state in
      state.files[key] = file
      return state.transfers[key]
    }
    guard let owner = owner(of: key) else { return }
    var digests = BlockDigests()
    if let local { digests = await engine.digests(of: local) }
    let proof = FileProof(
      modifiedNanoseconds: file.modifiedNanoseconds, byteCount: file.byteCount, digests)
    pool.async { [self] in
      let result = publisher.publish(
        owner, file, directory: directory, replacing: replacing,
        shouldStop: { [self] in hasEnded })
      guard !hasEnded else { return }
      guard case .published(var done) = result else { return report(.published(key, result)) }
      if file.copy != nil, let sharing { done = sharing.share(key, done, known: file.sha256) }
      done.proof = proof
      report(.published(key, .published(done)))
    }
  }

  private func add(_ orders: [(key: ClaimKey, order: FleetOrder, directory: String)]) async {
    guard !orders.isEmpty, let host = state.withLock({ $0.host }) else { return }
    let owners = orders.map { one in
      ClaimDirectory(fleet: host.membership.fleet, host: host.membership.key.host, key: one.key)
    }
    let specs = zip(orders, owners).map { one, owner in
      one.order.spec(
        in: publisher.stagingDirectory(of: owner, for: one.directory), reach: host.reach)
    }
    do throws(EngineError) {
      let ids = try await engine.add(specs)
      for ((one, owner), id) in zip(zip(orders, owners), ids) {
        note(id, of: owner, for: one.directory)
        report(.local(one.key, .added(id)))
        inspect(one.key, id)
      }
      if state.withLock({ $0.limit != nil }) { await divideLimit() }
    } catch {
      let failure = TransferFailure(.fileProblem, on: "", detail: "\(error)")
      for one in orders { report(.local(one.key, .refused(failure))) }
    }
  }

  /// Remembers which claim a transfer is for.
  func note(_ id: TransferID, of owner: ClaimDirectory, for directory: String) {
    state.withLock { state in
      // A second one is discarded, and what happens to it does not concern the claim.
      guard state.transfers[owner.key] == nil else { return }
      state.claims[id] = owner.key
      state.transfers[owner.key] = id
      state.places[owner.key] = (owner, directory)
    }
  }

  /// Returns nil before the host has joined.
  private func owner(of key: ClaimKey) -> ClaimDirectory? {
    state.withLock { $0.host }.map { host in
      ClaimDirectory(fleet: host.membership.fleet, host: host.membership.key.host, key: key)
    }
  }

  private func discard(_ key: ClaimKey, _ id: TransferID?) async {
    if let id, let known = state.withLock({ $0.transfers[key] }), known != id {
      return await engine.discard([id])
    }
    let (known, place) = state.withLock { state in
      state.files[key] = nil
      let id = state.transfers.removeValue(forKey: key)
      if let id {
        state.claims[id] = nil
        state.rows[id] = nil
      }
      return (id, state.places.removeValue(forKey: key))
    }
    if let id = id ?? known { await engine.discard([id]) }
    if let place { publisher.discard(place.owner, for: place.directory) }
  }

  /// Divides the speed limit of this host among its transfers of the fleet.
  private func divideLimit() async {
    let (limit, ids) = state.withLock { ($0.limit, Array($0.claims.keys)) }
    guard !ids.isEmpty else { return }
    let part = limit.map { max(1, $0 / Int64(ids.count)) }
    _ = await engine.limit(ids, toBytesPerSecond: part)
  }

  // MARK: What happens

  /// Receives every event of the engine, on the engine.
  func observe(_ event: EngineEvent) {
    switch event {
    case .added(let row), .changed(let row), .progress(let row, _), .loaded(let row):
      guard row.session == .fleet else { return }
      let key = state.withLock { state -> ClaimKey? in
        state.rows[row.id] = row
        return state.claims[row.id]
      }
      if let key { tell(key, row) }
    case .removed(let row):
      guard row.session == .fleet else { return }
      let key = state.withLock { state -> ClaimKey? in
        state.rows[row.id] = nil
        return state.claims[row.id]
      }
      if let key { report(.local(key, .removed)) }
    case .recovered, .listed, .evicted, .cleared, .uncovered, .limited, .queues, .hooksDue: break
    }
  }

  private func inspect(_ key: ClaimKey, _ id: TransferID) {
    if let row = state.withLock({ $0.rows[id] }) { tell(key, row) }
  }

  /// Reports what became of a transfer, if it has ended.
  private func tell(_ key: ClaimKey, _ row: TransferSnapshot) {
    switch row.state {
    case .completed:
      // Looking at the file must not hold up the engine.
      pool.async { [self] in report(.local(key, end(of: row))) }
    case .failed: report(.local(key, end(of: row)))
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying: break
    }
  }

  /// How a row ended, or that it goes on. Blocks for a completed one.
  func end(of row: TransferSnapshot) -> FleetLocalEvent {
    switch row.state {
    case .completed:
      do throws(TransferFailure) {
        return .completed(try publisher.inspect(row.path ?? ""))
      } catch {
        return .failed(error)
      }
    case .failed: return .failed(row.error ?? TransferFailure(.fileProblem, on: row.url))
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying: return .goesOn
    }
  }

  /// What those who look at the fleet see of this host.
  func observation(freeBytes: Int64?) -> FleetObservation {
    state.withLock { state in
      var progress: [FleetTransferID: FleetProgress] = [:]
      for (id, claim) in state.claims {
        if let row = state.rows[id] {
          progress[claim.id] = FleetProgress(id: claim.id, row)
        }
      }
      return FleetObservation(
        progress: progress, origins: state.origins, freeBytes: freeBytes)
    }
  }

  /// Reads what the engine has learned of the origins.
  func readOrigins(at now: Moment) async {
    let hosts = await engine.knownHosts()
    let reports = hosts.reduce(into: [String: FleetOriginReport]()) { reports, host in
      let opensAt = host.closedUntil.map {
        now.monotonic.advanced(byMilliseconds: $0.milliseconds(after: now.wall))
      }
      if opensAt != nil || host.limit != nil {
        reports[host.origin] = FleetOriginReport(
          opensAt: opensAt, connectionsMax: host.limit?.connectionsMax)
      }
    }
    state.withLock { $0.origins = reports }
  }
}

extension SessionPolicy {
  init(_ policy: FleetPolicy) {
    self.init()
    openUntil = policy.openUntil.reduce(into: [:]) { open, entry in
      if let origin = TransferURL.origin(of: entry.key) { open[origin] = entry.value }
    }
    for (text, count) in policy.connectionsMax {
      if let origin = TransferURL.origin(of: text) { connectionsMaxOfOrigin[origin] = count }
    }
  }
}

extension TransferURL {
  /// Reads an `Origin.text`.
  fileprivate static func origin(of text: String) -> Origin? {
    (try? parse(text + "/").get())?.url.origin
  }
}
#endif
