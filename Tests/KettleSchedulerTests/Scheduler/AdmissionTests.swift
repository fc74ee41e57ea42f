import KettleModel
import KettleScheduler
import Testing

/// From the addition of transfers until they are in memory, or only in the store.
struct AdmissionTests {
  /// One transfer may run, so the others stay queued.
  private func script() -> SchedulerScript {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var script = SchedulerScript(limits: limits)
    script.scheduler.residentLimits.evictableCountMax = 4
    script.scheduler.residentLimits.queuedPerHostCount = 2
    script.scheduler.residentLimits.queuedCountMax = 2
    script.scheduler.residentLimits.readAheadCount = 0
    return script
  }

  /// One runs, two are queued in memory, and the others are past the frontier of their host.
  private func scriptWithFrontier() -> SchedulerScript {
    var script = script()
    for _ in 0..<8 { script.add(spec()) }
    // The last three were never loaded.
    #expect(script.scheduler.evict { _ in true }.map(\.rawValue) == [4, 5])
    #expect(script.scheduler.machines.keys.map(\.rawValue).sorted() == [1, 2, 3])
    return script
  }

  private func paused(_ count: Int) -> [TransferSpec] {
    (0..<count).map { _ in
      var wanted = spec()
      wanted.beginning = .paused
      return wanted
    }
  }

  private func records(_ changes: [JournalChange]) -> [TransferRecord] {
    changes.compactMap { if case .put(let record) = $0 { record } else { nil } }
  }

  /// Makes the running transfer fail, so that the next one can start.
  private func refuse(_ script: inout SchedulerScript) throws {
    let attempt = try #require(script.attempt)
    script.head(attempt, 404)
    script.settled(attempt, .complete)
  }

  /// The last read of the queue.
  private func lastRequest(_ script: SchedulerScript) -> QueueRead? { script.queueReads.last }

  @Test func `a transfer receives no events before it is committed`() {
    var script = script()
    let (ids, adding) = script.scheduler.add([spec()], at: script.now)
    #expect(script.scheduler.machines.isEmpty)
    #expect(script.control(.remove(.stays), ids[0]) == .refused(.unknown))
    // The transfer may be read from the store before the scheduler learns of the commit.
    let (loaded, output) = script.scheduler.load(records(adding.changes), at: script.now)
    #expect(loaded.isEmpty)
    #expect(output.changes.isEmpty)
    script.run(script.scheduler.admit(adding.changes, at: script.now).1)
    #expect(script.state(ids[0]) == .running)
  }

  @Test func `a withdrawn transfer is never loaded, but later ones are`() {
    var script = script()
    let (_, failed) = script.scheduler.add([spec()], at: script.now)
    script.scheduler.withdraw(failed.changes)
    let (ids, adding) = script.scheduler.add(paused(1), at: script.now)
    script.run(script.scheduler.admit(adding.changes, at: script.now).1)
    #expect(Array(script.scheduler.machines.keys) == ids)
  }

  @Test func `a condition that changes during the commit takes effect`() {
    var script = script()
    let wanted = taskSpec { $0.conditions = [.mainsPower] }
    let (ids, adding) = script.scheduler.add([wanted], at: script.now)
    #expect(records(adding.changes).map(\.state) == [.queued])
    script.run(script.scheduler.conditionsChanged([.unmeteredNetwork], at: script.now))
    let (_, output) = script.scheduler.admit(adding.changes, at: script.now)
    #expect(script.state(ids[0]) == .waiting)
    #expect(records(output.changes).map(\.state) == [.waiting])
    #expect(output.changed == ids)
  }

  @Test func `a new transfer past the frontier of its host stays in the store`() {
    var script = scriptWithFrontier()
    let before = script.scheduler.machines.keys.sorted()
    let (ids, adding) = script.scheduler.add([spec()], at: script.now)
    let (evicted, output) = script.scheduler.admit(adding.changes, at: script.now)
    #expect(evicted == ids)
    #expect(script.scheduler.machines.keys.sorted() == before)
    #expect(output.changes.isEmpty)
  }

  @Test func `a new transfer before the frontier, or of another host, is loaded`() {
    var script = scriptWithFrontier()
    var urgent = spec()
    urgent.priority = .high
    for wanted in [urgent, spec("http://others.example/a.iso")] {
      let id = script.add(wanted)
      #expect(script.state(id) == .queued)
    }
  }

  @Test func `when memory is full, further transfers stay in the store`() {
    var script = script()
    let (ids, adding) = script.scheduler.add(paused(9), at: script.now)
    let (evicted, _) = script.scheduler.admit(adding.changes, at: script.now)
    #expect(evicted == Array(ids.dropFirst(5)))
    // They are loaded like any others.
    let record = records(adding.changes)[7]
    let (loaded, _) = script.scheduler.load([record], at: script.now)
    #expect(loaded == [ids[7]])
    #expect(script.control(.start, ids[7]) == .applied)
  }

  @Test func `transfers that were never in memory are read from the store`() throws {
    var script = script()
    let specs = (0..<9).map { _ in spec() }
    let (ids, adding) = script.scheduler.add(specs, at: script.now)
    let (evicted, output) = script.scheduler.admit(adding.changes, at: script.now)
    script.run(output)
    #expect(evicted == Array(ids.dropFirst(5)))
    for _ in 0..<5 { try refuse(&script) }
    let request = try #require(lastRequest(script))
    let line = records(adding.changes).filter { evicted.contains($0.id) }
    script.run(script.scheduler.queueRead(request, line, at: script.now).1)
    #expect(script.state(ids[5]) == .running)
  }

  @Test func `while the queue is read, new transfers are loaded`() throws {
    var script = scriptWithFrontier()
    for _ in 0..<3 { try refuse(&script) }
    let request = try #require(lastRequest(script))
    let (ids, adding) = script.scheduler.add([spec()], at: script.now)
    let (evicted, output) = script.scheduler.admit(adding.changes, at: script.now)
    script.run(output)
    #expect(evicted.isEmpty)
    // The response predates the addition and reports no others.
    let old = script.changes.compactMap { change -> TransferRecord? in
      guard case .put(let record) = change, record.id.rawValue == 8 else { return nil }
      return record
    }
    script.run(script.scheduler.queueRead(request, Array(old.prefix(1)), at: script.now).1)
    try refuse(&script)
    #expect(script.state(ids[0]) == .running)
  }
}
