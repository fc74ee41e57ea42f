import Glibc
import Testing

/// The whole engine, simulated for years. docs/testing.md says how to use it.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct SimulationTests {
  /// Seeds that failed once, and others that `make test` runs every time.
  static let seeds: [UInt64] =
    [
      8_896_054_122_857_200_097, 1_217_236_636_580_938_898, 6_816_938_657_591_924_077,
      2_890_494_502_555_890_866, 4_330_313_489_882_773_133,
      8_459_020_940_130_475_311,
    ] + Array(1...32)

  /// Otherwise the order of sets depends on the addresses of their memory.
  private static let isRepeatable = getenv("SWIFT_DETERMINISTIC_HASHING") != nil

  @Test(.enabled(if: isRepeatable)) func `a seed means the same run again`() throws {
    for seed in UInt64(1)...3 {
      let options = SimulationOptions(seed: seed)
      let hashes = try (0..<2).map { _ in try SimulationRun.outcome(options).hash }
      #expect(hashes[0] == hashes[1], "\(options)")
    }
  }

  @Test func `everything ends or asks, with the right bytes, whatever happens`() async throws {
    let campaign = SimulationCampaign(.environment)
    await campaign.run(fixed: Self.seeds)
    print(campaign.report)
    #expect(campaign.failure == nil)
  }
}
