import Foundation
import Testing
import TestSupport

/// The service lacks descriptors or disk space.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ScarcityTests {
  // Fault 103
  @Test func `with 64 descriptors thirty transfers complete and every client gets a reply`()
    async throws
  {
    await Findings.gather("64 descriptors") { findings in
      let home = try StormHome()
      defer { home.close() }
      let storm = try Storm(findings, home: home)
      let service = try home.startService(limits: "ulimit -n 64")
      var slowest = Duration.zero
      for number in 0..<30 {
        let body = SeededBody(seed: StormRandom.runSeed &+ UInt64(number), byteCount: 3 << 20)
        let file = StormFile(path: "/\(number).bin", body: body)
        storm.origin.serve(
          OriginBehavior(body).with { $0.bytesPerSecond = 1 << 20 }, at: file.path)
        let start = ContinuousClock.now
        findings.check(storm.add(file) != nil, "add \(number) was not acknowledged")
        slowest = max(slowest, ContinuousClock.now - start)
      }
      // One client waits while many send requests at once.
      together(
        [{ storm.judge(storm.finish(budgetSeconds: 90)) }]
          + (0..<20).map { _ in
            { findings.check(home.rows() != nil, "a client was not answered") }
          })
      findings.check(service.exitCode == nil, "the service ended with \(service.exitCode ?? 0)")
      findings.say("30 transfers; the slowest add took \(slowest)")
    }
  }

  // Fault 71
  @Test func `transfers wait on a full downloads disk and complete when space is available`()
    async throws
  {
    await Findings.gather("full downloads disk") { findings in
      guard let disk = SmallDisk(megabytes: 12, findings) else { return }
      defer { disk.close() }
      let home = try StormHome()
      defer { home.close() }
      let storm = try Storm(findings, home: home)
      for number in 0..<4 {
        let body = SeededBody(seed: StormRandom.runSeed &+ UInt64(number), byteCount: 7 << 20)
        let file = StormFile(
          path: "/\(number).bin", body: body, options: ["-d", disk.path])
        storm.origin.serve(OriginBehavior(body), at: file.path)
        findings.check(storm.add(file) != nil, "add \(number) was not acknowledged")
      }
      let waits = eventually(milliseconds: 20_000) {
        home.rows()?.contains { $0.reason == "diskSpace" } == true
      }
      findings.check(waits, "nobody waits for space: \(home.rows() ?? [])")
      for id in home.servicePIDs { kill(id, SIGKILL) }
      findings.check(home.rows()?.count == 4, "a transfer was lost on a full disk")
      disk.grow(megabytes: 64)
      let start = ContinuousClock.now
      let outcome = home.waitForAll(seconds: 60)
      findings.check(
        outcome.code == 0, "with space again, wait ended with \(outcome.code) \(outcome.errors)")
      findings.say("all complete \(ContinuousClock.now - start) after space came back")
      storm.judgeFiles(home.rows() ?? [])
    }
  }

  // Fault 72
  @Test func `a full state disk rejects adds with an error and loses no acknowledged transfer`()
    async throws
  {
    await Findings.gather("full state disk") { findings in
      let home = try StormHome()
      defer { home.close() }
      let state = home.path + "/.local/state"
      try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
      guard let disk = SmallDisk(at: state, megabytes: 4, findings) else { return }
      defer { disk.close(endingServicesOf: home) }
      let storm = try Storm(findings, home: home)
      func add(_ number: Int) -> StormProcess.Outcome {
        let body = SeededBody(seed: StormRandom.runSeed &+ UInt64(number), byteCount: 5 << 20)
        let file = StormFile(path: "/\(number).bin", body: body)
        storm.origin.serve(
          OriginBehavior(body).with { $0.bytesPerSecond = 1 << 20 }, at: file.path)
        return storm.addAndTell(file)
      }
      for number in 0..<5 { findings.check(add(number).code == 0, "add \(number) failed") }
      disk.fill()
      var refused = 0
      for number in 5..<60 {
        let outcome = add(number)
        findings.check(outcome.code == 0 || !outcome.errors.isEmpty, "refused without a sentence")
        refused += outcome.code == 0 ? 0 : 1
        if refused == 1, outcome.code != 0 { findings.say("the sentence: \(outcome.errors)") }
      }
      findings.check(refused > 0, "the disk never was full")
      for id in home.servicePIDs { kill(id, SIGKILL) }
      disk.empty()
      findings.check(add(60).code == 0, "the add after space came back failed")
      storm.judge(storm.finish(budgetSeconds: 120))
      findings.say("\(refused) adds refused")
    }
  }
}
