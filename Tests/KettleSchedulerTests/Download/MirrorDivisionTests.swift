import KettleModel
import KettleScheduler
import Testing

/// What mirrors bring, in simulated time.
struct MirrorDivisionTests {
  private static let rate: Int64 = 4 << 20
  private static let total: Int64 = 128 << 20

  private func time(
    _ world: inout SimulatedMirrors, from names: [String], connections: Int? = nil
  ) throws -> Int64 {
    let milliseconds = world.download(from: names, connections: connections)
    let needed = try #require(milliseconds, "it is not ready after ten minutes")
    #expect(world.written.prefixByteCount == world.total)
    #expect(world.wrong.isEmpty, "\(world.wrong)")
    return needed
  }

  @Test(arguments: [
    ["a", "b", "slow", "liar"], ["a", "liar", "slow", "b"], ["slow", "liar", "a", "b"],
  ])
  func `a slow and a lying mirror cost a tenth at most`(names: [String]) throws {
    var world = SimulatedMirrors(
      [
        "a": .init(bytesPerSecond: Self.rate), "b": .init(bytesPerSecond: Self.rate),
        "slow": .init(bytesPerSecond: Self.rate / 10),
        "liar": .init(bytesPerSecond: Self.rate, lies: true),
      ], total: Self.total)
    let milliseconds = try time(&world, from: names)
    let ideal = Self.total * 1000 / (2 * Self.rate)
    #expect(milliseconds <= ideal * 110 / 100, "\(milliseconds) ms, ideal \(ideal); \(world.sent)")
    #expect(world.sent["liar", default: 0] <= 128 << 10)
  }

  @Test func `three equal sources take a third of the time`() throws {
    let names = ["a", "b", "c"]
    let hosts = names.map { ($0, SimulatedMirrors.Host(bytesPerSecond: Self.rate)) }
    var world = SimulatedMirrors(
      Dictionary(uniqueKeysWithValues: hosts), total: Self.total)
    let milliseconds = try time(&world, from: names)
    let ideal = Self.total * 1000 / (3 * Self.rate)
    #expect(milliseconds <= ideal * 110 / 100, "\(milliseconds) ms, ideal \(ideal); \(world.sent)")
  }

  @Test func `sources deliver in proportion to their speed`() throws {
    var world = SimulatedMirrors(
      ["a": .init(bytesPerSecond: Self.rate), "b": .init(bytesPerSecond: 3 * Self.rate)],
      total: Self.total)
    let milliseconds = try time(&world, from: ["a", "b"])
    let ideal = Self.total * 1000 / (4 * Self.rate)
    #expect(milliseconds <= ideal * 110 / 100, "\(milliseconds) ms, ideal \(ideal)")
    let share = Double(world.sent["b"] ?? 0) / Double(world.sent["a"] ?? 1)
    #expect(share > 2 && share < 4, "\(world.sent)")
  }

  @Test(arguments: ["a", "b"])
  func `a source that disappears is replaced by the others`(_ failing: String) throws {
    var hosts = ["a", "b", "c"].reduce(into: [String: SimulatedMirrors.Host]()) {
      $0[$1] = .init(bytesPerSecond: Self.rate)
    }
    hosts[failing]?.failsAtMilliseconds = 5000
    var world = SimulatedMirrors(hosts, total: Self.total)
    let milliseconds = try time(&world, from: ["a", "b", "c"])
    let ideal = 5000 + (Self.total - 15 * Self.rate) * 1000 / (2 * Self.rate)
    #expect(milliseconds <= ideal * 115 / 100, "\(milliseconds) ms, ideal \(ideal); \(world.sent)")
  }

  @Test func `with one connection a mirror is only a reserve`() throws {
    var world = SimulatedMirrors(
      [
        "a": .init(bytesPerSecond: Self.rate, failsAtMilliseconds: 3000),
        "b": .init(bytesPerSecond: Self.rate),
      ], total: 32 << 20)
    let milliseconds = try time(&world, from: ["a", "b"], connections: 1)
    #expect(milliseconds <= 10_000)
  }

  @Test func `many mirrors of a fast host get few connections`() throws {
    let names = ["a"] + (0..<40).map { "m\($0)" }
    // All share one line.
    let hosts = names.map { ($0, SimulatedMirrors.Host(bytesPerSecond: Self.rate)) }
    var world = SimulatedMirrors(
      Dictionary(uniqueKeysWithValues: hosts), total: 64 << 20)
    _ = try time(&world, from: names)
    #expect(world.sent.count <= 24, "\(world.sent.keys)")
  }
}
