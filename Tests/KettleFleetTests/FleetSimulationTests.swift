import Glibc
import KettleModel
import SeededNumbers
import Testing

@testable import KettleFleet

/// Simulated fleets: each transfer is published once, none is lost, and nobody asks an origin
/// without its share.
struct FleetSimulationTests {
  private func failure(of seed: UInt64) -> String? {
    do {
      try FleetSimulation(seed: seed).run()
      return nil
    } catch {
      return "seed \(seed): \(error)"
    }
  }

  @Test func `each transfer is published once whatever happens`() {
    for seed in UInt64(1)...150 {
      let failure = failure(of: seed)
      #expect(failure == nil)
      if failure != nil { return }
    }
  }

  @Test func `a seed of the day is published once, too`() {
    var generator = SystemRandomNumberGenerator()
    let environment = getenv("KETTLE_SEED").flatMap { UInt64(String(cString: $0)) }
    // `make test-fleet` tries more of them.
    let more = getenv("KETTLE_FLEET_SEEDS").flatMap { UInt64(String(cString: $0)) }
    let seedCount = min(more ?? 30, 1_000_000)
    let first = environment ?? UInt64.random(in: 1_000...(1 << 48), using: &generator)
    for seed in first..<(first + seedCount) {
      let failure = failure(of: seed)
      #expect(failure == nil)
      if failure != nil { return }
    }
  }

  @Test func `the faults happen`() throws {
    let simulations = (1...8).map { FleetSimulation(seed: $0) }
    for simulation in simulations { try simulation.run() }
    #expect(simulations.allSatisfy { $0.killCount + $0.stopCount + $0.lostCount > 0 })
    #expect(simulations.contains { $0.killCount > 3 && $0.stopCount > 3 && $0.lostCount > 3 })
    #expect(simulations.contains { $0.table.claimCount > $0.plan.transferCount })
    #expect(simulations.contains { $0.table.refusedCount > 0 })
  }
}
