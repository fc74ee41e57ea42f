import LinkModel
import Testing

/// The link that `make bench-network` emulates, without packets and without a clock.
struct LinkModelTests {
  private static let millisecond: UInt64 = 1_000_000

  /// A link whose directions have the same settings.
  private func madeLink(
    bitsPerSecond: Double = 12_000_000, queueBytes: Double = 1e9, delayMilliseconds: Double = 0,
    jitterMilliseconds: Double = 0, loss: Double = 0, seed: UInt64 = 1
  ) -> link_model {
    let settings = link_settings(
      bits_per_second: bitsPerSecond, queue_bytes: queueBytes,
      delay_milliseconds: delayMilliseconds, jitter_milliseconds: jitterMilliseconds, loss: loss)
    var made = link_model()
    made.directions.0.settings = settings
    made.directions.1.settings = settings
    link_begin(&made, seed, 0, 0)
    return made
  }

  private func carry(
    _ link: inout link_model, at now: UInt64, byteCount: Int = 1500, side: link_side = LINK_DOWN
  ) -> (fate: link_fate, delivery: UInt64) {
    var delivery: UInt64 = 0
    let fate = link_carry(&link, side, now, byteCount, &delivery)
    return (fate, delivery)
  }

  @Test func `a packet takes the time of its bytes and the delay`() {
    var link = madeLink(delayMilliseconds: 10)
    // 1500 bytes at 12 Mbit/s.
    #expect(carry(&link, at: 5 * Self.millisecond).delivery == 16 * Self.millisecond)
  }

  @Test func `packets wait for those before them`() {
    var link = madeLink(delayMilliseconds: 10)
    for number in UInt64(1)...20 {
      #expect(carry(&link, at: 0).delivery == (10 + number) * Self.millisecond)
    }
    #expect(carry(&link, at: 100 * Self.millisecond).delivery == 111 * Self.millisecond)
  }

  @Test func `the directions do not wait for each other`() {
    var link = madeLink()
    #expect(carry(&link, at: 0).delivery == Self.millisecond)
    #expect(carry(&link, at: 0, side: LINK_UP).delivery == Self.millisecond)
  }

  @Test func `what the queue cannot hold is dropped, until there is room again`() {
    var link = madeLink(queueBytes: 4500)
    for _ in 1...3 { #expect(carry(&link, at: 0).fate == LINK_DELIVERED) }
    #expect(carry(&link, at: 0).fate == LINK_OVERFLOWED)
    #expect(carry(&link, at: Self.millisecond / 2).fate == LINK_OVERFLOWED)
    #expect(carry(&link, at: Self.millisecond / 2, byteCount: 40).fate == LINK_DELIVERED)
    #expect(carry(&link, at: 2 * Self.millisecond).fate == LINK_DELIVERED)
    #expect(link.directions.0.counts.overflowed == 2)
  }

  @Test func `the share of lost packets is the one that was asked for`() {
    var link = madeLink(bitsPerSecond: 1e12, loss: 0.01, seed: 7)
    for step in UInt64(0)..<200_000 { _ = carry(&link, at: step * 1000) }
    // Four standard deviations of 2000 are 178.
    #expect((1822...2178).contains(link.directions.0.counts.lost))
    #expect(link.directions.0.counts.packets == 200_000)
  }

  @Test func `a seed gives the same losses again, and another seed others`() {
    let fates = { (seed: UInt64) -> [UInt32] in
      var link = madeLink(bitsPerSecond: 1e12, loss: 0.1, seed: seed)
      return (UInt64(0)..<1000).map { carry(&link, at: $0 * 1000).fate.rawValue }
    }
    #expect(fates(3) == fates(3))
    #expect(fates(3) != fates(4))
  }

  @Test func `jitter varies the delay within its bound and keeps the order`() {
    var link = madeLink(
      bitsPerSecond: 1e12, delayMilliseconds: 20, jitterMilliseconds: 8, seed: 11)
    var previous: UInt64 = 0
    var delays: [UInt64] = []
    for step in UInt64(1)...5000 {
      let now = step * Self.millisecond
      let delivery = carry(&link, at: now).delivery
      #expect(delivery >= previous)
      previous = delivery
      delays.append(delivery - now)
    }
    let (least, most) = (delays.min() ?? 0, delays.max() ?? 0)
    #expect(least >= 20 * Self.millisecond)
    #expect(most <= 28 * Self.millisecond + 1000)
    #expect(most - least > 6 * Self.millisecond)
  }

  @Test func `the link falls silent once, both ways, after so many bytes`() {
    var link = madeLink(bitsPerSecond: 1e12)
    link_begin(&link, 1, 3000, 50)
    #expect(carry(&link, at: 0).fate == LINK_DELIVERED)
    #expect(carry(&link, at: 0, side: LINK_UP).fate == LINK_DELIVERED)
    #expect(carry(&link, at: Self.millisecond).fate == LINK_SILENT)
    #expect(carry(&link, at: 2 * Self.millisecond, side: LINK_UP).fate == LINK_SILENT)
    #expect(carry(&link, at: 51 * Self.millisecond).fate == LINK_DELIVERED)
    #expect(carry(&link, at: 52 * Self.millisecond, side: LINK_UP).fate == LINK_DELIVERED)
    #expect(!link_is_silent(&link, 90 * Self.millisecond))
  }

  @Test func `a new run counts from zero and falls silent again`() {
    var link = madeLink(bitsPerSecond: 1e12)
    for _ in 1...2 {
      link_begin(&link, 1, 1500, 10)
      #expect(carry(&link, at: 100 * Self.millisecond).fate == LINK_SILENT)
      #expect(link.directions.0.counts.packets == 1)
      #expect(link.directions.0.counts.silent == 1)
    }
  }
}
