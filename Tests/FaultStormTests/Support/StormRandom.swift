import Foundation
import SeededNumbers

/// All chance of one test: the same seed, the same storm.
struct StormRandom: RandomNumberGenerator {
  let seed: UInt64
  private var generator: SeededGenerator

  init(seed: UInt64) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  /// The seed of this run, which KETTLE_SEED can give.
  static let runSeed: UInt64 =
    ProcessInfo.processInfo.environment["KETTLE_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 1...999_999)

  /// A stream of its own for each purpose, so that threads do not disturb each other's.
  static func stream(_ purpose: UInt64) -> StormRandom {
    StormRandom(seed: runSeed &* 0x9E37_79B9_7F4A_7C15 &+ purpose)
  }

  mutating func next() -> UInt64 { generator.next() }
}
