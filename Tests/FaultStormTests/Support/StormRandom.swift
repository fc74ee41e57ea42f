import Foundation
import SeededNumbers

/// The randomness of one test: the same seed gives the same storm.
struct StormRandom: RandomNumberGenerator {
  let seed: UInt64
  private var generator: SeededGenerator

  init(seed: UInt64) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  /// The seed of this run, which KETTLE_SEED can set.
  static let runSeed: UInt64 =
    ProcessInfo.processInfo.environment["KETTLE_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 1...999_999)

  /// A separate stream for each purpose, so that threads do not affect each other's numbers.
  static func stream(_ purpose: UInt64) -> StormRandom {
    StormRandom(seed: runSeed &* 0x9E37_79B9_7F4A_7C15 &+ purpose)
  }

  mutating func next() -> UInt64 { generator.next() }
}
