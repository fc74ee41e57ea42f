import KettleModel
import KettleScheduler
import Logging
import TestSupport

@testable import KettleEngine

/// A machine from the start of the service to its end: an engine and its ports.
///
/// After a kill it is a ghost: it keeps running on its own copies of the disk and the store until
/// all its tasks have ended, so that no task stays suspended.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class SimulatedMachine: @unchecked Sendable {
  static let documents = "/home/u/Downloads"

  let surroundings: SimulatedSurroundings
  let loop: SimulatedLoop
  let journal: InMemoryJournal
  private(set) var disk: SimulatedDisk?
  private(set) var network: SimulatedNetwork?
  private(set) var engine: TransferEngine?
  private(set) var work: WorkSource
  /// The end of the machine, as it is decided: after so many further steps.
  var stepsToKill: Int?
  var cutsPower = false
  /// What the kill left.
  private(set) var remains: (files: InMemoryFileStorage, journal: InMemoryJournal)?
  /// Changes of a failed commit that the next start may find all the same.
  var unsureChanges: [JournalChange] = []
  var isGhost = false
  var hasAskedForPart = false

  var chance: Chance { surroundings.chance }
  var trace: SimulationTrace { surroundings.trace }
  var now: Moment { loop.now() }

  init(
    _ surroundings: SimulatedSurroundings, files: InMemoryFileStorage, journal: InMemoryJournal,
    at now: Moment
  ) throws {
    self.surroundings = surroundings
    self.journal = journal
    loop = SimulatedLoop(surroundings.chance, surroundings.trace, at: now)
    loop.slownessMilliseconds = Int64((surroundings.options.weights[.slowMachine] ?? 0) * 3000)
    work = loop.workSource()
    let disk = SimulatedDisk(files, of: self)
    self.disk = disk
    engine = try TransferEngine(
      configuration: surroundings.configuration,
      ports: TransferEngine.Ports(
        journal: SimulatedStore(journal, of: self), archive: journal, files: disk, clock: loop,
        work: work,
        makeTransport: { [unowned self] events in
          let network = SimulatedNetwork(self, events: events)
          self.network = network
          return network
        }),
      logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() },
      observer: { [unowned self] in observe($0) })
  }

  /// Does something with the engine as a client of it would.
  ///
  /// - Parameter reopensHosts: whether hosts may be asked again at once, until it is done.
  func request(
    reopensHosts: Bool = false, _ body: @escaping @Sendable (TransferEngine) async -> Void
  ) {
    guard let engine else { return }
    if reopensHosts { network?.reopenHosts() }
    Task(executorPreference: work.tasks) {
      await body(engine)
      if reopensHosts { self.network?.reopenHosts() }
    }
  }

  /// Lets a killed machine end, with all that it has.
  func endAsGhost() {
    isGhost = true
    network?.reset()
    request { await $0.shutDown() }
    loop.isStopped = false
    loop.runToEnd()
    release()
  }

  /// Releases everything. Whatever is still there afterwards is a leak.
  func release() {
    weak let engine = engine
    self.engine = nil
    network = nil
    if engine != nil { violated("the engine is still in memory after its end") }
    if let count = disk?.openCount, count > 0 { violated("\(count) files are open after the end") }
    disk = nil
    work = loop.workSource()
  }

  // MARK: The end

  /// A step of a call after which the machine can end.
  func step() {
    guard !isGhost, let left = stepsToKill else { return }
    stepsToKill = left - 1
    if left <= 0 { kill() }
  }

  private func kill() {
    guard let files = disk?.files else { return }
    note(cutsPower ? "power cut" : "kill")
    let left = files.copy()
    if cutsPower {
      left.cutPower(keptNames: { chance.index(below: $0 + 1) }, fate: pageFate)
    }
    let stored = journal.copy()
    if !unsureChanges.isEmpty, chance.happens(0.5) {
      happened("a failed commit was there after a kill")
      surroundings.count(unsureChanges, in: stored)
      try? stored.commit(unsureChanges)
    }
    remains = (left, stored)
    isGhost = true
    loop.isStopped = true
  }

  func pageFate() -> InMemoryFileStorage.PageFate {
    switch chance.index(below: 4) {
    case 0: .written
    case 1: .torn(byteCount: 512 * chance.index(below: 8))
    default: .lost
    }
  }

  // MARK: Faults

  /// Whether a call meets this fault now.
  func meets(_ fault: SimulatedFault) -> Bool {
    guard !isGhost, surroundings.hasFaults, let weight = surroundings.options.weights[fault],
      chance.happens(weight)
    else { return false }
    happened(fault.rawValue)
    return true
  }

  var freeByteCount: Int64 { isGhost ? 1 << 40 : surroundings.freeByteCount }

  func host(of id: TransferID) -> String? { journal.records[id]?.spec.url.host }

  /// Whether a user has given the number of its connections.
  func hasOwnLimit(_ id: TransferID) -> Bool { journal.records[id]?.spec.connections != nil }

  /// A mirror may be asked while its host is closed to others.
  func hasNoMirror(_ id: TransferID) -> Bool {
    journal.records[id]?.spec.options.mirrors.isEmpty ?? false
  }

  func noteRequest(_ request: AttemptRequest, openCount: Int, atHost openCountAtHost: Int) {
    guard !isGhost else { return }
    surroundings.check(
      request, openCount: openCount, openCountAtHost: openCountAtHost, of: self)
  }

  func reply(to request: AttemptRequest, openCount: Int) -> SimulatedReply {
    surroundings.reply(to: request, openCount: openCount, of: self)
  }

  func reach(of host: String) -> SimulatedSurroundings.Reach {
    isGhost ? .networkDown : surroundings.reach(of: host)
  }

  // MARK: What is seen

  func note(_ line: @autoclosure () -> String) { if !isGhost { trace.note(line(), at: now) } }

  func happened(_ event: String) { if !isGhost { trace.happened(event) } }

  func violated(_ what: String) { trace.violated(what, at: now) }

  private func observe(_ event: EngineEvent) {
    if !isGhost { surroundings.observe(event, of: self) }
  }
}

/// The store of a simulated machine: a journal in memory that fails, or whose answer is lost.
final class SimulatedStore: TransferJournal {
  private let journal: InMemoryJournal
  private let machine: SimulatedMachine

  struct NotWritten: Error {}

  init(_ journal: InMemoryJournal, of machine: SimulatedMachine) {
    self.journal = journal
    self.machine = machine
  }

  func load() throws -> JournalContents { try journal.load() }

  func commit(_ changes: [JournalChange]) throws {
    machine.loop.block()
    machine.step()
    if machine.meets(.commitFails) { throw NotWritten() }
    if !machine.isGhost { machine.surroundings.check(changes, of: machine) }
    // The log has all of it, but its sync failed: it counts only if the machine ends before the
    // next commit, which overwrites it.
    if machine.meets(.answerLost) {
      machine.unsureChanges = changes
      throw NotWritten()
    }
    if !machine.isGhost { machine.surroundings.count(changes, in: journal) }
    try journal.commit(changes)
    machine.unsureChanges = []
    machine.step()
    machine.loop.block()
  }
}

/// The engine's state, for checks at rest.
struct EngineAudit: Sendable {
  var attemptCount: Int
  var bodyCount: Int
  var connectionCount: Int
  var runningCount: Int
  var readingCount: Int
  var records: [TransferID: TransferRecord]
  var atRest: Set<TransferID>
}

extension TransferEngine {
  func audit() -> EngineAudit {
    EngineAudit(
      attemptCount: attempts.count, bodyCount: live.withBody.count,
      connectionCount: scheduler.hosts.connectionCount,
      runningCount: scheduler.queue.runningCount, readingCount: reading.count,
      records: scheduler.machines.mapValues(\.durableRecord),
      atRest: Set(scheduler.machines.values.filter(\.isAtRest).map(\.id)))
  }
}
