import KettleModel
import SeededNumbers

@testable import KettleFleet

/// Hosts, a table and a shared directory, with everything that can happen between them: lost
/// requests and answers, partitions, kills, stopped processes, clocks that are wrong. One thread,
/// and all chance comes from the seed.
final class FleetSimulation {
  struct Plan {
    var hostCount = 3
    var originCount = 4
    var transferCount = 40
    var faultMilliseconds: Int64 = 600_000
    /// After the faults everything must end within this time.
    var calmMilliseconds: Int64 = 900_000
    /// Whether all hosts see one directory.
    var isShared = true
  }

  /// What breaks the promises of a fleet.
  enum Violation: Error, CustomStringConvertible {
    case twoRequesters(origin: String, at: Int64)
    case publishedTwice(FleetTransferID, [String])
    case completedWithoutFile(FleetTransferID)
    case unfinished([FleetTransferID: FleetState])

    var description: String {
      switch self {
      case .twoRequesters(let origin, let time):
        "a request to \(origin) without its share at \(time)"
      case .publishedTwice(let id, let names): "\(id.rawValue) is there as \(names)"
      case .completedWithoutFile(let id): "\(id.rawValue) is complete and not there"
      case .unfinished(let states):
        "unfinished: \(states.map { "\($0.key.rawValue) \($0.value.rawValue)" }.sorted())"
      }
    }
  }

  let plan: Plan
  let table = SimulatedTable()
  private(set) var hosts: [SimulatedHost] = []
  /// The shared directory: the transfer whose file has a name, and the claim that placed it.
  var directory: [String: ClaimKey] = [:]
  var random: SeededGenerator
  private(set) var now: Int64 = 0
  private var events: [(time: Int64, number: Int, run: () throws -> Void)] = []
  private var eventCount = 0
  private(set) var killCount = 0
  private(set) var stopCount = 0
  private(set) var lostCount = 0

  init(seed: UInt64, plan: Plan = Plan()) {
    self.plan = plan
    random = SeededGenerator(seed: seed)
    for number in 0..<plan.transferCount {
      let origin = Int.random(in: 0..<plan.originCount, using: &random)
      if let url = try? TransferURL.parse("https://o\(origin).example/f\(number % 30)").get().url {
        table.add(FleetOrder(url: url))
      }
    }
    for number in 0..<plan.hostCount { hosts.append(SimulatedHost(number, self)) }
  }

  var isCalm: Bool { now >= plan.faultMilliseconds }

  func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < probability
  }

  func later(_ milliseconds: Int64, _ run: @escaping () throws -> Void) {
    eventCount += 1
    events.append((now + max(0, milliseconds), eventCount, run))
  }

  func between(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

  /// Runs everything. Throws a `Violation`.
  func run() throws {
    for host in hosts { try host.turn() }
    scheduleFault()
    let end = plan.faultMilliseconds + plan.calmMilliseconds
    while let index = events.indices.min(by: {
      (events[$0].time, events[$0].number) < (events[$1].time, events[$1].number)
    }) {
      let event = events.remove(at: index)
      guard event.time <= end else { break }
      now = event.time
      table.now = event.time
      try event.run()
      if isCalm, isDone { break }
    }
    try check()
  }

  private var isDone: Bool { table.rows.values.allSatisfy { $0.state == .completed } }

  private func scheduleFault() {
    later(between(200...8000)) { [self] in
      guard !isCalm else { return try recoverAll() }
      try fault()
      scheduleFault()
    }
  }

  private func fault() throws {
    guard let host = hosts.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<7, using: &random) {
    case 0:
      killCount += 1
      try host.kill(for: between(10...90_000))
    case 1:
      stopCount += 1
      host.stop(for: between(10...150_000))
    case 2: host.cut(for: between(10...150_000))
    case 3:
      if let id = table.rows.keys.sorted().randomElement(using: &random) {
        table.control(.pause, id)
      }
    case 4:
      if let id = table.rows.keys.sorted().randomElement(using: &random) {
        table.control(.stop, id)
      }
    default: startAll()
    }
  }

  private func startAll() { for id in table.rows.keys.sorted() { table.control(.start, id) } }

  private func recoverAll() throws {
    startAll()
    for host in hosts { try host.recover() }
    later(5000) { [self] in startAll() }
  }

  private func check() throws {
    let unfinished = table.rows.filter { $0.value.state != .completed }
    if !unfinished.isEmpty { throw Violation.unfinished(unfinished.mapValues(\.state)) }
    for id in table.rows.keys {
      let names = directory.filter { $0.value.id == id }.map(\.key).sorted()
      if names.count > 1 { throw Violation.publishedTwice(id, names) }
      if names.isEmpty { throw Violation.completedWithoutFile(id) }
    }
  }

  // MARK: The network

  /// Performs a call after a delay, or loses it or its answer.
  func exchange(
    _ call: FleetCall, isCut: @escaping () -> Bool, answer: @escaping (FleetAnswer) throws -> Void
  ) {
    let lost = !isCalm && chance(0.03)
    let lostAnswer = !isCalm && chance(0.03)
    later(between(1...300)) { [self] in
      guard !lost, !isCut() else {
        lostCount += 1
        return later(5000) { try answer(call.lost) }
      }
      let reply = table.perform(call)
      later(between(1...300)) { [self] in
        guard !lostAnswer, !isCut() else {
          lostCount += 1
          return later(5000) { try answer(call.lost) }
        }
        try answer(reply)
      }
    }
  }
}

extension FleetCall {
  /// The answer to a call that got none.
  var lost: FleetAnswer {
    let problem = FleetError.unreachable("cut")
    return switch self {
    case .join: .join(.failure(problem))
    case .beat(let beat): .beat(reported: beat.findings, .failure(problem))
    case .claim(let request): .claim(asked: request.count, .failure(problem))
    case .place(let placement): .place(placement.claim, .failure(problem))
    case .finish(let ends): .finish(ends.ends, .failure(problem))
    case .leave: .leave(.failure(problem))
    }
  }
}
