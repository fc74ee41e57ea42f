import Foundation

/// All chance of one test: the same seed, the same storm (SplitMix64; Steele, Lea and Flood 2014).
struct StormRandom: RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64

  init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// The seed of this run, which KETTLE_SEED can give.
  static let runSeed: UInt64 =
    ProcessInfo.processInfo.environment["KETTLE_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 1...999_999)

  /// A stream of its own for each purpose, so that threads do not disturb each other's.
  static func stream(_ purpose: UInt64) -> StormRandom {
    StormRandom(seed: runSeed &* 0x9E37_79B9_7F4A_7C15 &+ purpose)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
