import KettleModel
import Testing

@testable import KettleScheduler

/// Hosts that cannot be reached for a while.
struct HostOutageTests {
  private func isDown(
    _ seconds: Int64, _ failure: TransferFailure = OutageScript.refused
  ) -> (AttemptPlan, Moment) -> TransferFailure? {
    let start = SchedulerScript().now.monotonic
    return { _, now in now.monotonic.milliseconds(since: start) < seconds * 1000 ? failure : nil }
  }

  @Test func `a host that refuses for five seconds costs none of 120 transfers`() {
    var world = OutageScript(isDown(5))
    for index in 0..<120 { world.script.add(spec("http://files.example/\(index)")) }
    world.run(milliseconds: 60_000)
    #expect(world.count(.completed) == 120)
    #expect(world.script.scheduler.machines.values.allSatisfy { $0.record.retryCount == 0 })
  }

  // Fault 64
  @Test func `silent name servers cost none of 60 transfers from 60 hosts`() {
    var world = OutageScript(isDown(10, TransferFailure(.nameServerSilent, on: "h")))
    for index in 0..<60 { world.script.add(spec("http://h\(index).example/a")) }
    world.run(milliseconds: 60_000)
    #expect(world.count(.completed) == 60)
  }

  @Test func `one transfer at a time probes, with growing pauses`() {
    var limits = TransferQueue.Limits()
    limits.runningMax = 1
    var world = OutageScript(limits: limits) { _, _ in OutageScript.refused }
    for index in 0..<3 { world.script.add(spec("http://files.example/\(index)")) }
    world.run(milliseconds: 122_000)
    #expect(world.times == [0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000, 121_000])
    // The second transfer is not started before the fourth probe.
    #expect(world.attempts.prefix(4).allSatisfy { $0.plan.url.path == "/0" })
    #expect(Set(world.attempts.map(\.plan.url.path)).count > 1)
  }

  // Fault 199
  @Test func `a host from which nothing comes is probed every second for a quarter of an hour`() {
    for code in [TransferFailure.Code.timedOut, .nameServerSilent, .networkDown] {
      var world = OutageScript { _, _ in TransferFailure(code, on: "files.example") }
      let origin = url("http://files.example/").origin
      world.script.scheduler = TransferScheduler(servedHosts: [origin: world.start.wall])
      for index in 0..<3 { world.script.add(spec("http://files.example/\(index)")) }
      world.run(milliseconds: 20 * 60_000)
      let pauses = zip(world.times, world.times.dropFirst()).map { $1 - $0 }
      // The first three are attempts of the three transfers.
      #expect(pauses.prefix(2).allSatisfy { $0 == 0 })
      #expect(pauses[2..<900].allSatisfy { $0 == 1000 })
      #expect(pauses.suffix(8).allSatisfy { $0 == 30_000 })
    }
  }

  // Fault 199
  @Test func `a transfer without a way to its host is not given up`() {
    var world = OutageScript { _, _ in TransferFailure(.networkDown, on: "files.example") }
    let id = world.script.add(spec())
    world.run(milliseconds: 3_600_000)
    #expect(world.script.state(id) == .waiting)
    #expect(world.script.record(id)?.retryCount == 0)
  }

  @Test func `a waiting transfer shows when it is tried and why`() throws {
    var world = OutageScript { _, _ in OutageScript.refused }
    let id = world.script.add(spec())
    world.settle()
    let record = try #require(world.script.record(id))
    #expect(record.state == .waiting)
    #expect(record.reason == .hostUnreachable)
    #expect(record.failure == OutageScript.refused)
    #expect(record.goesOnAt == world.start.wall.advanced(byMilliseconds: 1000))
    let hasPassed = world.passTime()
    #expect(hasPassed)
    #expect(
      world.script.record(id)?.goesOnAt == world.start.wall.advanced(byMilliseconds: 3000))
  }

  @Test func `a host that never answered is given up after five minutes`() {
    var world = OutageScript { _, _ in OutageScript.refused }
    let id = world.script.add(spec())
    world.run(milliseconds: 299_000)
    #expect(world.script.state(id) == .waiting)
    world.run(milliseconds: 40_000)
    #expect(world.script.state(id) == .failed)
    #expect(world.script.record(id)?.failure?.code == .connectionRefused)
  }

  @Test func `those still queued then fail one by one without another five minutes`() {
    var world = OutageScript { _, _ in OutageScript.refused }
    for index in 0..<40 { world.script.add(spec("http://files.example/\(index)")) }
    world.run(milliseconds: 340_000)
    #expect(world.count(.failed) == 40)
    // If the user requests it again, the five minutes restart.
    let id = world.script.scheduler.machines.keys.min() ?? TransferID(rawValue: 0)
    world.script.control(.start, id)
    world.settle()
    #expect(world.script.state(id) == .waiting)
    #expect(world.script.record(id)?.reason == .hostUnreachable)
  }

  @Test func `a mistyped name fails after three attempts`() {
    var world = OutageScript { _, _ in TransferFailure(.hostNotFound, on: "files.exmaple") }
    let id = world.script.add(spec("http://files.exmaple/a"))
    world.run(milliseconds: 10_000)
    #expect(world.script.state(id) == .failed)
    #expect(world.attempts.count == 3)
  }

  @Test func `a host that has answered is tried without a limit, whatever the failure`() {
    let box = FailureBox()
    var world = OutageScript { _, _ in box.failure }
    world.script.add(spec("http://files.example/0"))
    world.settle()
    box.failure = TransferFailure(.hostNotFound, on: "files.example")
    let id = world.script.add(spec("http://files.example/1"))
    world.run(milliseconds: 600_000)
    world.script.advance(milliseconds: 48 * 3_600_000)
    world.run(milliseconds: 600_000)
    #expect(world.script.record(id)?.reason == .hostUnreachable)
    box.failure = nil
    world.run(milliseconds: 60_000)
    #expect(world.script.state(id) == .completed)
  }

  private final class FailureBox { var failure: TransferFailure? }

  @Test func `an answer before the last start of the service counts for a day`() {
    let origin = url("http://files.example/").origin
    let now = SchedulerScript().now
    for (hours, state) in [(Int64(23), TransferState.waiting), (25, .failed)] {
      var world = OutageScript { _, _ in OutageScript.refused }
      world.script.scheduler = TransferScheduler(
        servedHosts: [origin: now.wall.advanced(byMilliseconds: -hours * 3_600_000)])
      let id = world.script.add(spec())
      world.run(milliseconds: 400_000)
      #expect(world.script.state(id) == state)
    }
  }

  @Test func `answers are recorded at most once an hour`() {
    var world = OutageScript { _, _ in nil }
    func recordedCount() -> Int {
      world.script.changes.count { if case .hostServed = $0 { true } else { false } }
    }
    for _ in 0..<5 { world.script.add(spec()) }
    world.settle()
    #expect(recordedCount() == 1)
    world.script.advance(milliseconds: 3_600_000)
    world.script.add(spec())
    world.settle()
    #expect(recordedCount() == 2)
  }

  @Test func `a start by the user probes now`() {
    let box = FailureBox()
    box.failure = OutageScript.refused
    var world = OutageScript { _, _ in box.failure }
    let ids = (0..<5).map { world.script.add(spec("http://files.example/\($0)")) }
    world.run(milliseconds: 20_000)
    box.failure = nil
    world.script.control(.start, ids[3])
    world.settle()
    #expect(world.count(.completed) == 5)
  }

  @Test func `the return of the network probes at once`() {
    let box = FailureBox()
    box.failure = OutageScript.refused
    var world = OutageScript { _, _ in box.failure }
    for index in 0..<5 { world.script.add(spec("http://files.example/\(index)")) }
    world.run(milliseconds: 20_000)
    box.failure = nil
    world.script.handle(.networkChanged(.present))
    world.settle()
    #expect(world.count(.completed) == 5)
  }

  @Test func `a probe that is paused is replaced by another`() throws {
    var limits = TransferQueue.Limits()
    limits.runningMax = 2
    var world = OutageScript(limits: limits) { plan, _ in
      plan.url.host == "files.example" ? OutageScript.refused : nil
    }
    let ids = (0..<2).map { world.script.add(spec("http://files.example/\($0)")) }
    world.settle()
    world.script.advance(milliseconds: 1000)
    world.script.timePasses()
    let probe = try #require(world.script.plan)
    #expect(probe.url.path == "/0")
    world.script.control(.pause, ids[0])
    world.script.settled(probe.attempt, .cancelled)
    #expect(world.script.plan?.url.path == "/1")
  }

  @Test func `a URL that is never answered does not hold its host back`() throws {
    var script = SchedulerScript()
    let slow = script.add(spec("http://files.example/slow"))
    let attempt = try #require(script.attempt)
    script.add(spec("http://files.example/fast"))
    script.head(try #require(script.attempt), 200, ["Content-Length": "1000"])
    script.settled(attempt, .failed(TransferFailure(.timedOut, on: "files.example")))
    #expect(script.record(slow)?.reason != .hostUnreachable)
    #expect(script.scheduler.outages.peers.isEmpty)
  }

  @Test func `other hosts go on`() {
    var world = OutageScript { plan, _ in
      plan.url.host == "down.example" ? OutageScript.refused : nil
    }
    for index in 0..<30 { world.script.add(spec("http://down.example/\(index)")) }
    for index in 0..<30 { world.script.add(spec("http://up.example/\(index)")) }
    world.run(milliseconds: 1)
    #expect(world.count(.completed) == 30)
  }

  @Test func `after a restart its transfers are tried again`() throws {
    var world = OutageScript { _, _ in OutageScript.refused }
    let id = world.script.add(spec())
    world.settle()
    let record = try #require(world.script.record(id))
    #expect(record.reason == .hostUnreachable)
    #expect(
      TransferMachine(recovering: record, at: world.script.now).visibleState == .queued)
  }
}
