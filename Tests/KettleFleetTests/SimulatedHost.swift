import KettleModel

@testable import KettleFleet

/// One host: its decisions, and a service whose downloads take a time drawn from the seed.
final class SimulatedHost {
  private struct Local {
    var key: ClaimKey
    var host: FleetHostID
    var origin: String
    var isPaused = false
    var isComplete = false
    /// Whether a request is under way.
    var isRunning = false
  }

  private unowned let world: FleetSimulation
  private let settings: FleetSettings
  /// What its boot clock is ahead.
  private let offset: Int64
  private var member: FleetMember
  /// Survives a kill.
  private var locals: [TransferID: Local] = [:]
  private var lastLocal: Int64 = 0
  private var openUntil: [String: MonotonicTime] = [:]
  /// Counts the starts of the service; what an earlier one had under way does not happen.
  private var life = 0
  private var isDead = false
  private var stoppedUntil: Int64 = 0
  private var cutUntil: Int64 = 0
  private var isAsking = false
  private var wakeUpCount = 0

  init(_ number: Int, _ world: FleetSimulation) {
    self.world = world
    offset = Int64.random(in: 0...(1 << 40), using: &world.random)
    settings = FleetSettings(
      database: "", name: "h\(number)", secret: "", labels: [], take: 6, roots: ["/share"])
    member = FleetMember(settings, version: "", at: MonotonicTime(milliseconds: offset))
  }

  private var clock: MonotonicTime { MonotonicTime(milliseconds: world.now + offset) }

  // MARK: Faults

  func kill(for milliseconds: Int64) throws {
    guard !isDead else { return }
    life += 1
    isDead = true
    isAsking = false
    let life = life
    for id in locals.keys { locals[id]?.isRunning = false }
    world.later(milliseconds) { [self] in
      if self.life == life { try start() }
    }
  }

  func stop(for milliseconds: Int64) { stoppedUntil = max(stoppedUntil, world.now + milliseconds) }

  func cut(for milliseconds: Int64) { cutUntil = max(cutUntil, world.now + milliseconds) }

  func recover() throws {
    cutUntil = 0
    if isDead { try start() }
  }

  private func start() throws {
    life += 1
    isDead = false
    isAsking = false
    openUntil = [:]
    member = FleetMember(settings, version: "", at: clock)
    let found = locals.sorted { $0.key < $1.key }.map { id, local in
      RecoveredTransfer(
        owner: ClaimDirectory(fleet: "f0", host: local.host, key: local.key), local: id,
        state: local.isComplete ? .completed(file(of: local.key, id)) : .goesOn)
    }
    try handle(.recovered(found))
  }

  /// Runs something in this start of the service; later, if the process is stopped.
  private func inLife(_ life: Int, _ run: @escaping () throws -> Void) throws {
    guard self.life == life, !isDead else { return }
    if world.now < stoppedUntil {
      world.later(stoppedUntil - world.now + 1) { [self] in try inLife(life, run) }
    } else {
      try run()
    }
  }

  private func later(_ milliseconds: Int64, _ run: @escaping () throws -> Void) {
    let life = life
    world.later(milliseconds) { [self] in try inLife(life, run) }
  }

  // MARK: Decisions

  func turn() throws {
    guard !isAsking, !isDead else { return }
    if let call = member.nextCall(at: clock) {
      isAsking = true
      let (sentAt, life) = (clock, life)
      world.exchange(call, isCut: { [self] in world.now < cutUntil }) { [self] answer in
        try inLife(life) { [self] in
          isAsking = false
          try handle(.answered(answer, sentAt: sentAt))
        }
      }
    } else if let wakeUp = member.nextWakeUp(at: clock) {
      wakeUpCount += 1
      let count = wakeUpCount
      later(max(1, wakeUp.milliseconds(since: clock))) { [self] in
        if wakeUpCount == count { try handle(.wakeUp) }
      }
    }
  }

  private func handle(_ event: FleetEvent) throws {
    for action in member.handle(event, at: clock) { try perform(action) }
    try turn()
  }

  private func perform(_ action: FleetAction) throws {
    switch action {
    case .add(let key, let order, _):
      later(world.between(1...50)) { [self] in
        lastLocal += 1
        let id = TransferID(rawValue: lastLocal)
        guard let host = member.membership?.key.host else { return }
        locals[id] = Local(key: key, host: host, origin: order.url.origin.text)
        try handle(.local(key, .added(id)))
        try download()
      }
    // The table of this world asks for none.
    case .compare: break
    case .pause(let id): locals[id]?.isPaused = true
    case .start(let id):
      locals[id]?.isPaused = false
      try download()
    case .look(let key, let earlier):
      later(world.between(1...200)) { [self] in
        let isThere = world.directory[earlier.name]?.id == key.id
        try handle(
          .looked(
            key,
            isThere
              ? PublishedFile(
                name: earlier.name, directory: "/share", byteCount: earlier.byteCount) : nil))
      }
    case .inspect(let key, let id):
      if locals[id]?.isComplete == true {
        later(1) { [self] in try handle(.local(key, .completed(file(of: key, id)))) }
      }
    case .publish(let key, let file, _, let replacing):
      later(world.between(1...2000)) { [self] in try publish(key, file, replacing: replacing) }
    case .withdraw(let key):
      for (name, owner) in world.directory where owner == key { world.directory[name] = nil }
    case .discard(let key, let id):
      if let id {
        locals[id] = nil
      } else {
        for (id, local) in locals where local.key == key { locals[id] = nil }
      }
    case .setPolicy(let policy):
      openUntil = policy.openUntil
      try download()
    case .limit: break
    }
  }

  private func file(of key: ClaimKey, _ id: TransferID) -> CompleteFile {
    CompleteFile(
      path: "/share/.kettle-fleet/\(key.id.rawValue)", name: "f\(key.id.rawValue % 30)",
      byteCount: 1, modifiedNanoseconds: 1)
  }

  /// Creates only. The name may be another transfer's.
  private func publish(_ key: ClaimKey, _ file: CompleteFile, replacing: Bool) throws {
    let there = world.directory[file.name]
    if there == nil { world.directory[file.name] = key }
    if there == nil || there?.id == key.id {
      // The process may be stopped between the two.
      later(world.between(1...500)) { [self] in
        try handle(
          .published(
            key,
            .published(PublishedFile(name: file.name, directory: "/share", byteCount: 1))))
      }
    } else {
      try handle(.published(key, .taken(next: file.name + "'")))
    }
  }

  // MARK: The service

  private func download() throws {
    for (id, local) in locals.sorted(by: { $0.key < $1.key })
    where !local.isPaused && !local.isComplete && !local.isRunning && isOpen(local.origin) {
      try request(id, local)
    }
  }

  private func isOpen(_ origin: String) -> Bool {
    openUntil[origin].map { clock < $0 } ?? false
  }

  /// One request, whose answer is complete or breaks off.
  private func request(_ id: TransferID, _ local: Local) throws {
    // A process that stands still sends nothing, and goes on only after this check.
    guard let host = member.membership?.key.host, world.table.isHolder(host, of: local.origin)
    else {
      throw FleetSimulation.Violation.twoRequesters(origin: local.origin, at: world.now)
    }
    locals[id]?.isRunning = true
    let isWhole = world.chance(0.7)
    later(world.between(10...40_000)) { [self] in
      guard locals[id]?.isRunning == true else { return }
      locals[id]?.isRunning = false
      if isWhole {
        locals[id]?.isComplete = true
        try handle(.local(local.key, .completed(file(of: local.key, id))))
      } else {
        try handle(.wakeUp)
        try download()
      }
    }
  }
}
