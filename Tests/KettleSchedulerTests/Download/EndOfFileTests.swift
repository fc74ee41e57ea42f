import KettleModel
import KettleScheduler
import SeededNumbers
import Testing

/// The end of a download, where parts are small and every connection is about to be free.
struct EndOfFileTests {
  @Test func `the end of a file opens few connections, whatever the path`() throws {
    let drawn = UInt64.random(in: .min ... .max)
    // With the first one, a part that an ended connection had delivered was requested five times.
    for seed in [7_846_713_429_470_836_108] + (UInt64(0)..<60).map({ drawn &+ $0 }) {
      var random = SeededGenerator(seed: seed)
      var settings = SimulatedLink.Settings()
      settings.seed = seed
      settings.roundTripMilliseconds = Int64.random(in: 1...200, using: &random)
      settings.bytesPerSecond = Int64.random(in: 1...125, using: &random) * 1_000_000
      settings.loss = [0, 0.0001, 0.001].randomElement(using: &random) ?? 0
      var link = SimulatedLink(settings)
      let count = Bool.random(using: &random) ? 8 : Int.random(in: 2...16, using: &random)
      link.add(
        byteCount: Int64.random(in: 4...96, using: &random) << 20, connections: count)
      let milliseconds = try link.finish()
      let span = max(100, settings.roundTripMilliseconds)
      let note = "seed \(seed), \(count) connections, \(settings), \(milliseconds) ms"
      #expect(link.mostOpenings(within: span) <= count, "\(note): \(link.openings)")
      #expect(link.openings.count <= 5 * count, "\(note): \(link.openings)")
      #expect(link.mostOfOnePart <= 2, "\(note) \(link.requests)")
    }
  }
}
