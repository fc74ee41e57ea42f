import Foundation
import KettleModel
import Testing
import TestSupport

/// The service is suspended for a while, as on a suspended machine, or is started many times at
/// once.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct StandstillTests {
  // Fault 67, 108
  @Test func `a service suspended for ten seconds recovers, even with its connections lost`()
    async throws
  {
    await Findings.gather("standstill") { findings in
      let home = try StormHome()
      defer { home.close() }
      let storm = try Storm(findings, home: home)
      var random = StormRandom.stream(4)
      for number in 0..<5 {
        let body = SeededBody(seed: random.next(), byteCount: 24 << 20)
        let file = StormFile(path: "/\(number).bin", body: body)
        let whole = OriginBehavior(body)
        storm.origin.serve([whole.with { $0.bytesPerSecond = 512 << 10 }, whole], at: file.path)
        storm.add(file)
      }
      let pause = Pause()
      for round in 0..<3 {
        pause(milliseconds: Int64.random(in: 500...2000, using: &random))
        let ids = home.servicePIDs
        for id in ids { kill(id, SIGSTOP) }
        // In the last round the peers disconnect during the suspension, as they do overnight.
        if round == 2 { storm.origin.cutConnections(.reset) }
        pause(milliseconds: 10_000)
        for id in ids { kill(id, SIGCONT) }
        findings.check(ids == home.servicePIDs, "another service took the place of \(ids)")
      }
      let rows = storm.finish(budgetSeconds: 60)
      storm.judge(rows)
      findings.check(storm.origin.requests.count >= 10, "the lost connections were not missed")
      let sent = storm.origin.bytesSent - Int64(rows.count) * (24 << 20)
      findings.say("3 standstills; \(sent) bytes sent again, those on the way included")
    }
  }

  // Fault 68
  @Test func `wall clock jumps of a day and of fifty years neither delay nor fail a transfer`()
    async throws
  {
    await Findings.gather("clock jumps") { findings in
      guard let clock = ClockShift() else {
        findings.say("skipped: there is no C compiler")
        return
      }
      defer { clock.close() }
      let home = try StormHome()
      defer { home.close() }
      let storm = try Storm(findings, home: home)
      let service = try home.startService(with: clock.environment)
      let later = HeaderField(received: "Retry-After", "3")
      for number in 0..<4 {
        let body = SeededBody(seed: StormRandom.runSeed &+ UInt64(number), byteCount: 12 << 20)
        let path = "/\(number).bin"
        storm.origin.serve(
          [
            .status(503, headers: [later].compactMap { $0 }),
            OriginBehavior(body).with { $0.bytesPerSecond = 2 << 20 },
          ], at: path)
        storm.add(StormFile(path: path, body: body))
      }
      let pause = Pause()
      let day = 24 * 3600
      for shift in [day, -day, 50 * 365 * day, -50 * 365 * day, 0] {
        try clock.jump(toSeconds: shift)
        pause(milliseconds: 1000)
        findings.check(home.rows()?.count == 4, "no list with the clock \(shift) s off")
      }
      let start = ContinuousClock.now
      storm.judge(storm.finish(budgetSeconds: 30))
      findings.check(service.exitCode == nil, "the service ended with \(service.exitCode ?? 0)")
      findings.say("complete \(ContinuousClock.now - start) after the last of 5 jumps")
    }
  }

  // Fault 96, 97
  @Test func `a hundred clients that start the service at once share one service`() async throws {
    await Findings.gather("a hundred clients") { findings in
      let home = try StormHome()
      defer { home.close() }
      for round in 1...3 {
        let start = ContinuousClock.now
        together(
          (0..<100).map { _ in
            {
              let outcome = home.kettle("list")
              findings.check(
                outcome.code == 0, "round \(round): \(outcome.code) \(outcome.errors)")
            }
          })
        _ = eventually(milliseconds: 5000) { home.servicePIDs.count == 1 }
        let ids = home.servicePIDs
        findings.check(ids.count == 1, "round \(round): services \(ids)")
        findings.say("100 clients answered after \(ContinuousClock.now - start)")
        for id in ids { kill(id, SIGKILL) }
        _ = eventually(milliseconds: 5000) { home.servicePIDs.isEmpty }
      }
    }
  }

  // Fault 97
  @Test func `of two services that start at once one survives and answers`() async throws {
    await Findings.gather("two services") { findings in
      let home = try StormHome()
      defer { home.close() }
      for round in 1...20 {
        let services = try (0..<2).map { _ in try home.startService() }
        let isDecided = eventually(milliseconds: 10_000, every: 10) {
          services.contains { $0.exitCode != nil }
        }
        findings.check(isDecided, "round \(round): both services run")
        findings.check(home.rows() != nil, "round \(round): the one that lives does not answer")
        let alive = services.filter { $0.exitCode == nil }
        findings.check(alive.count == 1, "round \(round): \(alive.count) of two services run")
        for service in alive {
          kill(service.id, SIGKILL)
          _ = service.waitForEnd(milliseconds: 5000)
        }
      }
    }
  }
}
