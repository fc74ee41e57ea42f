import Testing

@testable import KettleDaemon

/// When memory goes back to the system.
struct BurstMeterTests {
  private func rested() -> BurstMeter {
    var meter = BurstMeter()
    _ = meter.look()
    return meter
  }

  @Test func `memory goes back once after the start`() {
    var meter = BurstMeter()
    let verdict = meter.look()
    #expect(verdict == .returnMemory)
    let isBurst = meter.note(1)
    #expect(!isBurst)
  }

  // Fault 204
  @Test func `memory goes back once after a burst, and not each time`() {
    var meter = rested()
    // The burst itself asks for one look, however long it is.
    let lookCount = (0..<5000).count { _ in meter.note(1) }
    #expect(lookCount == 1)
    var verdict = meter.look()
    #expect(verdict == .lookAgain)
    let isNew = meter.note(BurstMeter.calmCount)
    #expect(!isNew)
    verdict = meter.look()
    #expect(verdict == .lookAgain)
    _ = meter.note(BurstMeter.calmCount - 1)
    verdict = meter.look()
    #expect(verdict == .returnMemory)
    let early = (0..<BurstMeter.burstCount - 1).count { _ in meter.note(1) }
    #expect(early == 0)
    let last = meter.note(1)
    #expect(last)
  }

  @Test func `a single large piece of work is a burst`() {
    var meter = rested()
    let (first, second) = (meter.note(100_000), meter.note(100_000))
    #expect(first && !second)
    var verdict = meter.look()
    #expect(verdict == .lookAgain)
    verdict = meter.look()
    #expect(verdict == .returnMemory)
  }
}
