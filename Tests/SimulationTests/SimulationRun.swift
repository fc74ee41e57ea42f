import KettleModel
import KettleScheduler
import TestSupport

@testable import KettleEngine

/// One run: a phase with faults, and a healed world in which everything must end or ask.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class SimulationRun: @unchecked Sendable {
  struct Outcome {
    var violations: [String]
    var hash: UInt64
    var lines: [String]
    var sometimes: [String: Int]
    var simulatedMilliseconds: Int64
    var workCount: Int
  }

  /// How long the healed world may take. A server may ask for a pause of a day.
  private static let healedHours: Int64 = 50
  private static let hour: Int64 = 3_600_000

  private let options: SimulationOptions
  private let trace: SimulationTrace
  private let surroundings: SimulatedSurroundings
  private var machine: SimulatedMachine
  private let begin = Moment(
    monotonic: MonotonicTime(milliseconds: 0),
    wall: WallTime(millisecondsSince1970: 1_700_000_000_000))

  private init(_ options: SimulationOptions, keepsLines: Bool) throws {
    self.options = options
    trace = SimulationTrace(keepsLines: keepsLines)
    surroundings = SimulatedSurroundings(options, trace, at: begin.monotonic)
    machine = try SimulatedMachine(
      surroundings, files: InMemoryFileStorage(documentsDirectory: SimulatedMachine.documents),
      journal: InMemoryJournal(), at: begin)
  }

  static func outcome(_ options: SimulationOptions, keepsLines: Bool = false) throws -> Outcome {
    let run = try SimulationRun(options, keepsLines: keepsLines)
    run.start()
    try run.haveFaults()
    try run.heal()
    run.end()
    let trace = run.trace
    return Outcome(
      violations: trace.violations, hash: trace.hash, lines: trace.lines,
      sometimes: trace.sometimes,
      simulatedMilliseconds: run.machine.now.monotonic.milliseconds, workCount: trace.workCount)
  }

  /// Starts the engine. Nobody can ask it for anything before.
  private func start() {
    let isStarted = Flag()
    machine.request { [machine] engine in
      do { try await engine.start() } catch { machine.violated("the engine does not start") }
      isStarted.isSet = true
    }
    while !isStarted.isSet, machine.remains == nil {
      machine.loop.run(until: machine.now.monotonic.advanced(byMilliseconds: 10))
    }
  }

  // MARK: The phase with faults

  private enum Event {
    case add
    case fault(SimulatedFault)
  }

  private func haveFaults() throws {
    let chance = surroundings.chance
    let length = options.hours * Self.hour
    let additions = (0..<options.transferCount).map { _ in chance.number(0...length) }
    var events: [(at: Int64, event: Event)] = additions.map { ($0, .add) }
    // Most of what happens happens while something is under way.
    func time() -> Int64 {
      chance.happens(0.7)
        ? (chance.one(of: additions) ?? 0) + chance.skewed(upTo: Self.hour / 4)
        : chance.number(0...length)
    }
    for fault in SimulatedFault.events {
      let count = (options.weights[fault] ?? 0) * Double(options.hours) / 24
      for _ in 0..<min(40, Int(count.rounded(.up))) {
        events.append((time(), .fault(fault)))
      }
    }
    events.sort { $0.at < $1.at }
    for (at, event) in events {
      try run(until: at)
      try perform(event)
    }
    try run(until: length)
  }

  /// Runs until a time. What ends the machine meanwhile is followed by another start.
  private func run(until end: Int64) throws {
    while !machine.loop.run(until: MonotonicTime(milliseconds: end)) { try startAgain() }
  }

  private func startAgain() throws {
    guard let remains = machine.remains else { return }
    let old = machine
    surroundings.checkRemains(remains.files, remains.journal, of: old)
    var now = old.now
    let pause = surroundings.chance.skewed(upTo: Self.hour)
    now.monotonic = now.monotonic.advanced(byMilliseconds: pause)
    now.wall = now.wall.advanced(byMilliseconds: pause)
    old.endAsGhost()
    machine = try SimulatedMachine(
      surroundings, files: remains.files, journal: remains.journal, at: now)
    surroundings.rot(remains.files, remains.journal, of: machine)
    machine.note("start")
    start()
  }

  private func perform(_ event: Event) throws {
    switch event {
    case .add: SimulatedUser(at: machine).add()
    case .fault(let fault): try perform(fault)
    }
  }

  private func perform(_ fault: SimulatedFault) throws {
    let chance = surroundings.chance
    let pause = chance.skewed(upTo: 6 * Self.hour)
    machine.happened(fault.rawValue)
    if fault != .userAction { machine.note("\(fault.rawValue) \(pause / 1000) s") }
    switch fault {
    case .userAction:
      if let action = chance.one(of: options.actions) { SimulatedUser(at: machine).act(action) }
    case .kill, .powerCut:
      machine.cutsPower = fault == .powerCut
      machine.stepsToKill = chance.happens(0.3) ? 0 : Int(chance.skewed(upTo: 60))
      if machine.stepsToKill == 0 { machine.step() }
    case .restart: try restart()
    case .networkDown: networkFails(for: pause)
    case .hostDown: hostFails(for: pause)
    case .addressChange: machine.network?.reset()
    case .newVersion: surroundings.changeResource(at: machine.now.monotonic)
    case .diskFull:
      surroundings.freeByteCount = chance.skewed(upTo: 300_000)
      machine.loop.after(milliseconds: pause) { [surroundings] in
        surroundings.freeByteCount = 1 << 40
      }
    case .clockJump: machine.loop.jump(milliseconds: chance.number(-pause...2 * pause))
    case .machineSleep:
      machine.network?.reset()
      machine.loop.skip(milliseconds: pause)
    case .refused, .retryAfter, .gone, .strangeStatus, .redirectLoop, .webPage, .noHead,
      .lostBeforeHead, .cut, .endedEarly, .silentBody, .slow, .otherTag, .spurious416,
      .contradiction, .shiftedPart, .otherTotal, .noContentRange, .severalParts, .encodedPart,
      .shortPart, .longPart, .ignoredRange, .ignoredIfRange, .createFails, .writeFails,
      .readFails, .syncFails, .renameFails, .commitFails, .answerLost, .storeReadFails,
      .slowMachine, .rot:
      break
    }
  }

  /// Ends the service as the user does, and starts it again.
  private func restart() throws {
    let old = machine
    let isEnded = Flag()
    old.request { engine in
      await engine.shutDown()
      isEnded.isSet = true
    }
    let deadline = old.now.monotonic.milliseconds + 60_000
    while !isEnded.isSet, old.remains == nil, old.now.monotonic.milliseconds < deadline {
      old.loop.run(until: old.now.monotonic.advanced(byMilliseconds: 100))
    }
    if old.remains != nil { return try startAgain() }
    if !isEnded.isSet { old.violated("the service does not end within a minute") }
    guard let files = old.disk?.files else { return }
    let (left, journal, now) = (files.copy(), old.journal.copy(), old.now)
    old.isGhost = true
    old.loop.runToEnd()
    old.release()
    machine = try SimulatedMachine(surroundings, files: left, journal: journal, at: now)
    machine.note("start")
    start()
  }

  private func networkFails(for pause: Int64) {
    surroundings.isNetworkDown = true
    machine.network?.reset()
    if surroundings.chance.happens(0.7) {
      machine.request { await $0.networkChanged(.absent) }
    }
    machine.loop.after(milliseconds: pause) { [weak machine, surroundings] in
      surroundings.isNetworkDown = false
      machine?.request { await $0.networkChanged(.present) }
    }
  }

  private func hostFails(for pause: Int64) {
    let chance = surroundings.chance
    guard let host = chance.one(of: surroundings.origins.servers)?.host,
      let reach = chance.one(
        of: [SimulatedSurroundings.Reach.nameUnknown, .nameServerSilent, .refused, .silent])
    else { return }
    surroundings.setReach(reach, of: host)
    machine.loop.after(milliseconds: pause) { [surroundings] in
      surroundings.setReach(nil, of: host)
    }
  }

  // MARK: The healed world

  private func heal() throws {
    machine.stepsToKill = nil
    if machine.remains != nil { try startAgain() }
    surroundings.hasFaults = false
    // What users asked for a moment ago comes before what they ask now.
    try run(until: machine.now.monotonic.milliseconds + 60_000)
    surroundings.endOutages()
    surroundings.freeByteCount = 1 << 40
    machine.loop.slownessMilliseconds = 0
    machine.note("healed")
    machine.network?.reopenHosts()
    machine.request { engine in
      await engine.networkChanged(.present)
      await engine.setQueues([:])
      await engine.limitAll(toBytesPerSecond: nil)
      _ = await engine.perform(.start, nil)
    }
    try settle("everything was started")
    machine.network?.reopenHosts()
    machine.request { engine in _ = await engine.perform(.start, nil) }
    try settle("everything was started again")
    // What a server refused or lied about is asked for afresh.
    for id in unfinished {
      machine.request { engine in _ = await engine.startFresh([id]) }
    }
    try settle("everything was started afresh")
    for id in unfinished {
      let record = machine.journal.records[id]
      // The user gave the checksum of the version of that time.
      if record?.failure?.code == .checksumMismatch { continue }
      machine.violated(
        "\(id) is \(record?.state.rawValue ?? "") \(record?.reason?.rawValue ?? "") "
          + "\(record?.failure?.sentence ?? "") in a healed world")
    }
  }

  private var unfinished: [TransferID] {
    machine.journal.records.values.filter { $0.state != .completed }.map(\.id).sorted()
  }

  /// Runs until everything has ended or asks.
  private func settle(_ why: String) throws {
    let deadline = machine.now.monotonic.milliseconds + Self.healedHours * Self.hour
    repeat {
      try run(until: machine.now.monotonic.milliseconds + Self.hour / 4)
      if !isMoving { return }
    } while machine.now.monotonic.milliseconds < deadline
    for record in machine.journal.records.values where Self.isMoving(record) {
      machine.violated(
        "\(record.id) is \(record.state) \(record.reason?.rawValue ?? "") "
          + "\(Self.healedHours) h after \(why)")
    }
  }

  private var isMoving: Bool {
    machine.journal.records.values.contains(where: Self.isMoving)
  }

  private static func isMoving(_ record: TransferRecord) -> Bool {
    switch record.state {
    case .queued, .running, .verifying, .scheduled: true
    case .waiting: record.reason?.needsUser == false
    case .idle, .paused, .completed, .failed: false
    }
  }

  // MARK: The end

  private func end() {
    let audited = Box<EngineAudit>()
    machine.request { engine in audited.value = await engine.audit() }
    machine.loop.run(until: machine.now.monotonic.advanced(byMilliseconds: 5000))
    if let audit = audited.value { surroundings.check(audit, of: machine) }
    surroundings.checkCompletions(of: machine)
    for record in machine.journal.records.values where record.state == .completed {
      surroundings.checkFile(of: record, machine)
    }
    machine.request { await $0.shutDown() }
    machine.loop.runToEnd()
    machine.release()
  }
}

/// A value that a task leaves for the loop.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
private final class Box<Value>: @unchecked Sendable { var value: Value? }

/// `@unchecked Sendable`: only the thread of the run uses it.
private final class Flag: @unchecked Sendable { var isSet = false }
