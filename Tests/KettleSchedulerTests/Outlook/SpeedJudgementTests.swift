import KettleModel
import KettleScheduler
import Testing

/// What makes a running transfer slow, decided from measurements.
struct SpeedJudgementTests {
  private static let mebibyte: Int64 = 1 << 20

  private func sample(
    _ id: Int64, _ host: String, speed: Int64, max: Int64? = nil, disk: Double = 0,
    age: Int64 = 10_000
  ) -> RunningSample {
    RunningSample(
      id: TransferID(rawValue: id), origin: Origin(scheme: .https, host: host, port: 443),
      bytesPerSecond: speed, bytesPerSecondMax: max, diskShare: disk, milliseconds: age)
  }

  /// Judges one second after the other and returns the verdict on the first transfer.
  private func verdict(
    _ seconds: [[RunningSample]], totalMax: Int64? = nil
  ) -> HeldBack? {
    var judgement = SpeedJudgement()
    for (second, samples) in seconds.enumerated() {
      judgement.sample(
        samples, totalMax: totalMax, at: MonotonicTime(milliseconds: Int64(second) * 1000))
    }
    return judgement.heldBack(TransferID(rawValue: 1))
  }

  private func verdict(_ samples: [RunningSample], totalMax: Int64? = nil) -> HeldBack? {
    verdict([samples], totalMax: totalMax)
  }

  @Test func `a transfer at its own limit is held back by it`() {
    let held = verdict([sample(1, "a", speed: 950_000, max: 1_000_000)])
    #expect(held?.cause == .ownLimit)
    #expect(held?.bytesPerSecond == 1_000_000)
    #expect(verdict([sample(1, "a", speed: 500_000, max: 1_000_000)]) == nil)
  }

  @Test func `transfers that use up the common limit are held back by it`() {
    let samples = [sample(1, "a", speed: 500_000), sample(2, "b", speed: 450_000)]
    #expect(verdict(samples, totalMax: 1_000_000)?.cause == .totalLimit)
    #expect(verdict(samples, totalMax: 2_000_000) == nil)
  }

  @Test func `a transfer that waits for the disk half of the time is held back by it`() {
    #expect(verdict([sample(1, "a", speed: Self.mebibyte, disk: 0.6)])?.cause == .disk)
    #expect(verdict([sample(1, "a", speed: Self.mebibyte, disk: 0.3)]) == nil)
  }

  @Test func `a server is slow if another sends four times as much`() {
    let slow = sample(1, "a", speed: 200_000)
    #expect(verdict([slow, sample(2, "b", speed: Self.mebibyte)])?.cause == .server)
    #expect(verdict([slow, sample(2, "b", speed: Self.mebibyte)])?.subject == "a")
    #expect(verdict([slow, sample(2, "b", speed: 400_000)]) == nil)
    // Two transfers of one server are no evidence against it.
    #expect(verdict([slow, sample(2, "a", speed: Self.mebibyte)]) == nil)
  }

  @Test func `a young transfer is not judged`() {
    #expect(
      verdict([sample(1, "a", speed: 0, age: 2000), sample(2, "b", speed: Self.mebibyte)]) == nil)
    #expect(
      verdict([sample(1, "a", speed: 0), sample(2, "b", speed: Self.mebibyte, age: 2000)])?.cause
        == .unknown)
  }

  @Test func `silence without a comparison has an unknown cause`() {
    #expect(verdict([sample(1, "a", speed: 0)])?.cause == .unknown)
    #expect(verdict([sample(1, "a", speed: Self.mebibyte)]) == nil)
  }

  @Test func `a line is full when the parts change and the total does not`() {
    let changing = (0..<10).map { second in
      let part = Int64(second % 2 == 0 ? 300_000 : 700_000)
      return [sample(1, "a", speed: part), sample(2, "b", speed: 1_000_000 - part)]
    }
    #expect(verdict(changing)?.cause == .line)
    #expect(verdict(changing)?.bytesPerSecond == 1_000_000)
    // It stays full without changes, and is not full at half the speed.
    let later = { (speed: Int64) in
      [sample(1, "a", speed: speed), sample(2, "b", speed: speed)]
    }
    #expect(verdict(changing + (0..<20).map { _ in later(500_000) })?.cause == .line)
    #expect(verdict(changing + (0..<20).map { _ in later(250_000) }) == nil)
    // Two servers that are steady by themselves look the same in total.
    let steady = (0..<10).map { _ in
      [sample(1, "a", speed: 500_000), sample(2, "b", speed: 500_000)]
    }
    #expect(verdict(steady) == nil)
    // Too short a time shows nothing.
    #expect(verdict(Array(changing.prefix(5))) == nil)
  }
}
