import Testing

/// The whole engine, simulated for years. docs/testing.md says how to use it.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct SimulationTests {
  /// Seeds that failed once, and others that `make test` runs every time.
  static let seeds: [UInt64] = Array(1...60)

  @Test func `everything ends or asks, with the right bytes, whatever happens`() async throws {
    let campaign = SimulationCampaign(.environment)
    await campaign.run(fixed: Self.seeds)
    print(campaign.report)
    #expect(campaign.failure == nil)
  }
}
