import Foundation
import Testing
import TestSupport

/// The life of one transfer, with a fault at each relevant system call in turn.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct SystemCallTests {
  private typealias Plan = (call: String, scope: SystemCallTrial.Scope)

  /// Later calls in a life of this length are like earlier ones.
  private static let countMax = 40

  // Fault 76, 79
  @Test func `after a kill at any system call the transfer completes or was unacknowledged`()
    async throws
  {
    let calls: [Plan] = [
      ("pwrite64", .any), ("fdatasync", .any), ("openat", .download), ("fsync", .download),
      ("renameat2", .download), ("pwrite64", .store), ("openat", .store), ("fdatasync", .store),
      ("fsync", .store), ("ftruncate", .store), ("renameat2", .store),
    ]
    await Findings.gather("kill at calls") { findings in
      Self.enumerate(calls.map { ($0.call, $0.scope, .kill) }, findings)
    }
  }

  // Fault 71, 74, 75
  @Test func `an error at any system call is reported, and a later start completes the transfer`()
    async throws
  {
    let calls: [Plan] = [
      ("pwrite64", .any), ("fdatasync", .any), ("fsync", .download), ("renameat2", .download),
      ("openat", .download), ("pwrite64", .store), ("fdatasync", .store), ("ftruncate", .store),
    ]
    await Findings.gather("error at calls") { findings in
      let plans = ["EIO", "ENOSPC"].flatMap { error in
        calls.map { ($0.call, $0.scope, SystemCallTrial.Fault.error(error)) }
      }
      // SQLite treats an interrupted sync as a broken disk, and no kernel interrupts one.
      let interrupted: [(String, SystemCallTrial.Scope, SystemCallTrial.Fault)] = [
        ("pwrite64", .any, .error("EINTR")), ("fsync", .download, .error("EINTR")),
      ]
      Self.enumerate(plans + interrupted, findings)
    }
  }

  /// Three lanes: while one waits, the others run.
  private static func enumerate(
    _ plans: [(String, SystemCallTrial.Scope, SystemCallTrial.Fault)], _ findings: Findings
  ) {
    let left = Monitor(plans)
    let trials = Monitor(0)
    let lane: @Sendable () -> Void = {
      while let plan = left.update({ $0.isEmpty ? nil : $0.removeFirst() }) {
        var count = 1
        while count <= countMax, strikes(plan, count, findings) { count += 1 }
        findings.say("\(plan.2) at \(plan.0) of the \(plan.1): \(count - 1) calls struck")
        findings.check(
          count > 1, "\(plan.0) of the \(plan.1) was never called; is it another call now?")
        trials.update { $0 += count - 1 }
      }
    }
    together([lane, lane, lane])
    findings.say("\(trials.read { $0 }) faults in all")
    findings.check(trials.read { $0 } > 0, "no fault struck at all; does strace work here?")
  }

  private static func strikes(
    _ plan: (String, SystemCallTrial.Scope, SystemCallTrial.Fault), _ count: Int,
    _ findings: Findings
  ) -> Bool {
    do {
      let home = try StormHome()
      defer { home.close() }
      return try SystemCallTrial(
        call: plan.0, scope: plan.1, fault: plan.2, count: count,
        storm: try Storm(findings, home: home)
      ).run()
    } catch {
      findings.check(false, "\(plan): \(error)")
      return false
    }
  }
}
