import Foundation
import Testing
import TestSupport

/// The service is killed at random moments under many transfers and clients.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct KillStormTests {
  private static let killCount = 200
  private static let fileCount = 20
  /// In MiB, for a debug build.
  private static let peakMemoryMax = 200

  // Fault 76, 96, 104, 111
  @Test func `two hundred kills lose no transfer, corrupt no file and cost a second at most`()
    async throws
  {
    await Findings.gather("kill storm") { findings in
      let home = try StormHome()
      defer { home.close() }
      let storm = try Storm(findings, home: home)
      let rows = storm.watched {
        together([
          { Self.kill(storm) },
          { Self.feed(storm) },
          { Self.control(storm) },
        ])
        return storm.finish(budgetSeconds: 240)
      }
      storm.judge(rows)
      storm.judgeBills(of: rows)
      let peak = storm.progress.read { $0.peakMemory } / 1024
      findings.check(
        peak <= Self.peakMemoryMax, "a service had \(peak) MiB resident")
      findings.say("at most \(peak) MiB resident")
      findings.say("\(rows.count) transfers, \(storm.origin.requests.count) requests")
    }
  }

  /// A mix of short and long lives: a kill hits the start of a short one and the transfers of a
  /// long one.
  private static func kill(_ storm: Storm) {
    var random = StormRandom.stream(1)
    let pause = Pause()
    while storm.progress.read({ $0.kills }) < killCount {
      storm.noteClient(storm.home.kettle("list"), "list")
      let isShort = UInt8.random(in: 0..<10, using: &random) < 4
      pause(milliseconds: Int64.random(in: 0...(isShort ? 100 : 1800), using: &random))
      storm.killService(stoppingFirst: Bool.random(using: &random))
    }
    storm.progress.update { $0.isOver = true }
  }

  /// Keeps some transfers unfinished, so that each kill can interrupt one.
  private static func feed(_ storm: Storm) {
    var random = StormRandom.stream(2)
    var number = 0
    let pause = Pause()
    while !storm.progress.read({ $0.isOver }) || number < fileCount {
      let unfinished = storm.home.rows()?.count { $0.state != "completed" } ?? 0
      if number < fileCount || unfinished < 5 {
        let file = StormFile.make(number, on: storm.origin, random: &random)
        // A client that got no reply tries again; the first request may have been processed
        // nevertheless.
        while storm.add(file) == nil, !storm.progress.read({ $0.isOver }) {}
        number += 1
      }
      pause(milliseconds: Int64.random(in: 0...3000, using: &random))
    }
  }

  private static func control(_ storm: Storm) {
    var random = StormRandom.stream(3)
    let pause = Pause()
    while !storm.progress.read({ $0.isOver }) {
      let ids = storm.progress.read { $0.acknowledged.keys.sorted() }
      if let id = ids.randomElement(using: &random) {
        let control = UInt8.random(in: 0..<4, using: &random) == 0 ? "pause" : "start"
        storm.noteClient(storm.home.kettle(control, id), control)
      }
      pause(milliseconds: Int64.random(in: 0...1500, using: &random))
    }
  }
}
