import KettleModel
import Testing

@testable import KettleCurl

struct SpeedLimitsTests {
  private func expect(
    _ taken: Int64, within percent: Double, of right: Int64,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      abs(Double(taken - right)) <= Double(right) * percent / 100,
      "\(taken) in place of \(right)", sourceLocation: sourceLocation)
  }

  // MARK: One limit

  @Test(arguments: [16 * 1024, 1_000_000, 200 << 20], [1, 8])
  func `five seconds transfer what the limit allows`(bytesPerSecond: Int, count: Int) {
    var world = LimitedWorld()
    world.limit(1, to: Int64(bytesPerSecond))
    for _ in 0..<count { world.add(1) }
    world.run(milliseconds: 5000)
    expect(world.sum, within: 2, of: 5 * Int64(bytesPerSecond))
  }

  @Test(arguments: [16 * 1024, 1_000_000, 200 << 20])
  func `five seconds after an idle period transfer what the limit allows`(bytesPerSecond: Int) {
    var world = LimitedWorld()
    world.limitAll(to: Int64(bytesPerSecond))
    world.run(milliseconds: 60_000, step: 1000)
    world.add(1)
    world.run(milliseconds: 5000)
    expect(world.sum, within: 5, of: 5 * Int64(bytesPerSecond))
  }

  @Test func `late wake-ups do not reduce the rate`() {
    var world = LimitedWorld()
    world.limit(1, to: 1_000_000)
    world.add(1)
    world.run(milliseconds: 10_000, step: 90)
    expect(world.sum, within: 2, of: 10_000_000)
  }

  @Test func `a limit does not wake up the thread for every piece`() {
    var world = LimitedWorld()
    world.limit(1, to: 1_000_000)
    world.add(1)
    world.run(milliseconds: 10_000)
    #expect(world.wakeUpCount < 200)
  }

  @Test func `a limit of one byte per second lets bytes through`() {
    var world = LimitedWorld()
    world.limitAll(to: 1)
    for _ in 0..<3 { world.add(1) }
    world.run(milliseconds: 30_000, step: 10)
    #expect(world.taken.allSatisfy { (9...10).contains($0) }, "\(world.taken)")
  }

  @Test func `without a limit all bytes are admitted at once`() {
    var limits = SpeedLimits()
    let attempt = AttemptID(rawValue: 1)
    let transfer = TransferID(rawValue: 1)
    let now = MonotonicTime(milliseconds: 0)
    #expect(limits.admit(.max, for: attempt, of: transfer, at: now) == .max)
    limits.limit(TransferID(rawValue: 2), to: 1, at: now)
    #expect(limits.admit(.max, for: attempt, of: transfer, at: now) == .max)
    #expect(limits.nextResumption == nil)
  }

  // MARK: Two limits

  @Test func `the limit of a transfer and the total limit both hold`() {
    var world = LimitedWorld()
    world.limitAll(to: 1_000_000)
    world.limit(1, to: 100_000)
    world.add(1)
    world.add(1)
    world.add(2)
    world.run(milliseconds: 5000)
    expect(world.taken[0] + world.taken[1], within: 5, of: 500_000)
    expect(world.taken[2], within: 5, of: 4_500_000)
  }

  @Test func `limits of transfers above the total limit do not raise it`() {
    var world = LimitedWorld()
    world.limitAll(to: 1_000_000)
    for transfer in 1...4 {
      world.limit(Int64(transfer), to: 900_000)
      world.add(Int64(transfer))
    }
    world.run(milliseconds: 5000)
    expect(world.sum, within: 5, of: 5_000_000)
    for taken in world.taken { expect(taken, within: 5, of: 1_250_000) }
  }

  @Test func `a slow transfer does not delay another`() {
    var world = LimitedWorld()
    world.limit(1, to: 10)
    world.limit(2, to: 1_000_000)
    world.add(1)
    world.add(2)
    world.run(milliseconds: 5000)
    expect(world.taken[0], within: 10, of: 50)
    expect(world.taken[1], within: 2, of: 5_000_000)
  }

  // MARK: Fairness

  @Test(arguments: [16 * 1024, 1_000_000, 200 << 20])
  func `attempts that share a limit get equal shares`(bytesPerSecond: Int) {
    var world = LimitedWorld()
    world.limit(1, to: Int64(bytesPerSecond))
    for _ in 0..<8 { world.add(1) }
    world.run(milliseconds: 5000)
    for taken in world.taken { expect(taken, within: 10, of: 5 * Int64(bytesPerSecond) / 8) }
  }

  @Test func `bandwidth that a slow server does not use goes to the others`() {
    var world = LimitedWorld()
    world.limitAll(to: 1_000_000)
    for _ in 0..<4 { world.add(1, bytesPerSecond: 20_000) }
    for _ in 0..<4 { world.add(2) }
    world.run(milliseconds: 5000)
    for taken in world.taken[..<4] { expect(taken, within: 5, of: 100_000) }
    for taken in world.taken[4...] { expect(taken, within: 5, of: 1_150_000) }
  }

  @Test func `new attempts do not overtake a waiting one`() {
    var limits = SpeedLimits()
    let transfer = TransferID(rawValue: 1)
    limits.limitAll(to: 1_000_000, at: MonotonicTime(milliseconds: 0))
    let patient = AttemptID(rawValue: 0)
    var taken = limits.admit(
      16_384, for: patient, of: transfer, at: MonotonicTime(milliseconds: 0))
    for millisecond in 1...5000 {
      let now = MonotonicTime(milliseconds: Int64(millisecond))
      // A small file that could use all bytes of one millisecond.
      let newcomer = AttemptID(rawValue: UInt64(millisecond))
      _ = limits.admit(1000, for: newcomer, of: transfer, at: now)
      guard let turn = limits.nextResumption, turn <= now else { continue }
      for attempt in limits.resume(at: now) where attempt == patient {
        taken += limits.admit(16_384, for: patient, of: transfer, at: now)
      }
    }
    #expect(taken > 50_000)
  }

  @Test func `equal shares are limited by what each can use`() {
    #expect(SpeedLimits.share(100, mostEach: [.max, 10, .max]) == [45, 10, 45])
    #expect(SpeedLimits.share(2, mostEach: [.max, .max, .max]) == [1, 1, 0])
    #expect(SpeedLimits.share(.max, mostEach: [5, 0, 7]) == [5, 0, 7])
    #expect(SpeedLimits.share(0, mostEach: [5]) == [0])
    #expect(SpeedLimits.share(10, mostEach: []) == [])
  }

  // MARK: Changes

  @Test func `a new limit takes effect at once, also for waiting attempts`() {
    var world = LimitedWorld()
    world.limit(1, to: 1)
    world.add(1)
    world.run(milliseconds: 200)
    world.limit(1, to: 1_000_000)
    world.run(milliseconds: 5000)
    expect(world.sum, within: 2, of: 5_000_000)
    let before = world.sum
    world.limit(1, to: 16 * 1024)
    world.run(milliseconds: 5000)
    expect(world.sum - before, within: 5, of: 5 * 16 * 1024)
  }

  @Test func `without the limit waiting attempts resume at once`() {
    var world = LimitedWorld()
    world.limitAll(to: 1)
    world.limit(1, to: 1)
    world.add(1)
    world.run(milliseconds: 10)
    world.limitAll(to: nil)
    world.run(milliseconds: 10)
    #expect(world.sum <= 1)
    world.limit(1, to: nil)
    #expect(world.limits.isEmpty)
    world.run(milliseconds: 1)
    #expect(world.sum >= 512 * 1024)
  }

  @Test func `setting the same limit again changes nothing`() {
    var world = LimitedWorld()
    world.limit(1, to: 1_000_000)
    world.add(1)
    for _ in 0..<500 {
      world.run(milliseconds: 10)
      world.limit(1, to: 1_000_000)
    }
    expect(world.sum, within: 2, of: 5_000_000)
  }

  @Test func `a removed attempt does not resume and frees its share`() {
    var world = LimitedWorld()
    world.limit(1, to: 1_000_000)
    for _ in 0..<2 { world.add(1) }
    world.run(milliseconds: 1000)
    world.limits.remove(world.id(1))
    let before = world.taken
    world.run(milliseconds: 5000)
    #expect(world.taken[1] == before[1])
    expect(world.taken[0] - before[0], within: 5, of: 5_000_000)
  }

  @Test func `the lower of two limits applies to a transfer`() {
    var limits = SpeedLimits()
    let now = MonotonicTime(milliseconds: 0)
    let transfer = TransferID(rawValue: 1)
    #expect(limits.bytesPerSecond(for: transfer) == nil)
    limits.limitAll(to: 500, at: now)
    #expect(limits.bytesPerSecond(for: transfer) == 500)
    limits.limit(transfer, to: 100, at: now)
    #expect(limits.bytesPerSecond(for: transfer) == 100)
    limits.limit(transfer, to: nil, at: now)
    #expect(limits.bytesPerSecond(for: transfer) == 500)
  }
}
