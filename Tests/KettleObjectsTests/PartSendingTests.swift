import KettleModel
import Testing

@testable import KettleObjects

/// Which parts of an upload are sent next.
struct PartSendingTests {
  private let start = MonotonicTime(milliseconds: 0)
  private let failure = TransferFailure(.storeUnavailable, on: "s3://data/a")

  private func sending(_ count: Int, sent: Set<Int> = []) -> PartSending {
    PartSending(
      PartSending.Layout(byteCount: Int64(count) * 10 - 3, partByteCount: 10), sent: sent)
  }

  @Test func `parts cover the file without gaps`() {
    let layout = PartSending.Layout(byteCount: 27, partByteCount: 10)
    #expect(layout.count == 3)
    #expect(layout.range(1) == ByteRange(lower: 0, upper: 10))
    #expect(layout.range(3) == ByteRange(lower: 20, upper: 27))
    #expect(layout.range(0) == nil && layout.range(4) == nil)
  }

  @Test(arguments: [1, 8 << 20, (80 << 30) + 1, 5 << 40] as [Int64])
  func `no file has more parts than a store permits`(_ byteCount: Int64) {
    let size = PartSending.Layout.partByteCount(ofFile: byteCount)
    #expect(size >= 8 << 20)
    #expect(PartSending.Layout(byteCount: byteCount, partByteCount: size).count <= 10_000)
  }

  @Test func `four parts are sent at a time, in their order`() {
    var sending = sending(6)
    #expect(sending.begin(at: start) == [1, 2, 3, 4])
    #expect(sending.begin(at: start) == [])
    sending.taken(2)
    #expect(sending.begin(at: start) == [5])
    for number in [1, 3, 4, 5] { sending.taken(number) }
    #expect(sending.begin(at: start) == [6])
    #expect(sending.outcome == nil)
    #expect(sending.sentByteCount == 50)
    sending.taken(6)
    #expect(sending.outcome == .sent)
    #expect(sending.sentByteCount == 57)
  }

  @Test func `what the store has is not sent again`() {
    var sending = sending(3, sent: [1, 3])
    #expect(sending.begin(at: start) == [2])
    #expect(sending.sentByteCount == 17)
    #expect(self.sending(2, sent: [1, 2]).outcome == .sent)
  }

  @Test func `a failed part is sent again after a pause that doubles`() {
    var sending = sending(1)
    var now = start
    for pause in [1000, 2000, 4000, 8000, 16_000] as [Int64] {
      #expect(sending.begin(at: now) == [1])
      sending.failed(1, because: failure, .usual, at: now)
      #expect(sending.pauseMilliseconds(at: now) == pause)
      #expect(sending.begin(at: now.advanced(byMilliseconds: pause - 1)) == [])
      now = now.advanced(byMilliseconds: pause)
    }
    #expect(sending.begin(at: now) == [1])
    sending.failed(1, because: failure, .usual, at: now)
    #expect(sending.outcome == .failed(failure))
    #expect(sending.begin(at: now.advanced(byMilliseconds: 60_000)) == [])
  }

  @Test func `an overloaded store gets half as many parts, and more again when it takes them`() {
    var sending = sending(40)
    #expect(sending.begin(at: start).count == 4)
    sending.failed(1, because: failure, .overloaded, at: start)
    #expect(sending.concurrencyMax == 2)
    sending.failed(2, because: failure, .overloaded, at: start)
    sending.failed(3, because: failure, .overloaded, at: start)
    #expect(sending.concurrencyMax == 1)
    sending.taken(4)
    let later = start.advanced(byMilliseconds: 1000)
    for _ in 0..<7 {
      let begun = sending.begin(at: later)
      #expect(begun.count == 1)
      for number in begun { sending.taken(number) }
    }
    #expect(sending.concurrencyMax == 2)
    #expect(sending.begin(at: later).count == 2)
  }

  @Test func `an end that arrives twice counts once`() {
    var sending = sending(2)
    _ = sending.begin(at: start)
    sending.taken(1)
    sending.taken(1)
    sending.failed(1, because: failure, .usual, at: start)
    #expect(sending.sent == [1])
    #expect(sending.pauseMilliseconds(at: start) == nil)
  }
}
