import Foundation
import SeededNumbers
import Testing
import TestSupport

/// The service is started and stopped repeatedly on a busy machine.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct StartStormTests {
  /// `KETTLE_STARTS` sets the number of starts.
  private static let startCount =
    ProcessInfo.processInfo.environment["KETTLE_STARTS"].flatMap { Int($0) } ?? 300
  private static let busyCount = 4
  private static let homeCount = 4

  // Fault 106
  @Test func `starts and stops under four busy loops end without a crash`() async throws {
    await Findings.gather("start storm") { findings in
      let busy = try (0..<Self.busyCount).map { _ in
        try StormProcess(["/bin/sh", "-c", "while :; do :; done"], environment: [:])
      }
      defer { for process in busy { kill(process.id, SIGKILL) } }
      let homes = try (0..<Self.homeCount).map { _ in try StormHome() }
      defer { for home in homes { home.close() } }
      let tally = Monitor(Tally())
      together(
        homes.enumerated().map { number, home in
          { Self.run(in: home, stream: UInt64(number), tally, findings) }
        })
      let (starts, early) = tally.read { ($0.startCount, $0.earlyCount) }
      findings.check(starts == Self.startCount, "only \(starts) starts")
      findings.say("\(starts) starts, \(early) of them ended before they answered")
    }
  }

  private struct Tally: Sendable {
    var startCount = 0
    /// Ended by SIGTERM before the service handled it.
    var earlyCount = 0
  }

  private static func run(
    in home: StormHome, stream: UInt64, _ tally: Monitor<Tally>, _ findings: Findings
  ) {
    var random = StormRandom.stream(stream)
    while true {
      let number = tally.update { tally -> Int? in
        guard tally.startCount < startCount else { return nil }
        tally.startCount += 1
        return tally.startCount
      }
      guard let number else { return }
      do {
        // A service that was ended early leaves its socket behind.
        unlink(socketPath(home))
        let service = try home.startService()
        // Every tenth gets a signal at a random early moment, the others when they respond.
        let isEarly = number.isMultiple(of: 10)
        if isEarly {
          Pause()(milliseconds: Int64.random(in: 0...200, using: &random))
          kill(service.id, SIGTERM)
        } else {
          stop(service, in: home, byCommand: number.isMultiple(of: 7), number, findings)
        }
        let status = service.waitForEnd(milliseconds: 60_000)
        let isRight = status == 0 || (isEarly && status == 128 + SIGTERM)
        findings.check(
          isRight, "start \(number) ended with \(status.map(String.init) ?? "nothing")")
        if status == nil { kill(service.id, SIGKILL) }
        if status != 0 { tally.update { $0.earlyCount += 1 } }
      } catch {
        findings.check(false, "start \(number): \(error)")
      }
    }
  }

  private static func socketPath(_ home: StormHome) -> String {
    home.path + "/run/kettle/control.sock"
  }

  private static func stop(
    _ service: StormProcess, in home: StormHome, byCommand: Bool, _ number: Int,
    _ findings: Findings
  ) {
    let isThere = eventually(milliseconds: 60_000, every: 5) {
      FileManager.default.fileExists(atPath: socketPath(home)) || service.exitCode != nil
    }
    findings.check(isThere, "start \(number) did not answer")
    guard byCommand else {
      kill(service.id, SIGTERM)
      return
    }
    let rows = home.kettle("list")
    findings.check(rows.code == 0, "start \(number): list ended with \(rows.code) \(rows.errors)")
    let stopped = home.kettle("daemon", "stop")
    findings.check(
      stopped.code == 0, "start \(number): stop ended with \(stopped.code) \(stopped.errors)")
  }
}
