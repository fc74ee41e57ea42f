import KettleModel
import KettleScheduler
import Testing

@testable import KettleEngine

/// What is kept of transfers beyond their records, and for how long.
struct LiveTransfersTests {
  private let id = TransferID(rawValue: 1)
  private let attempt = AttemptID(rawValue: 1)
  private let operation = OperationID(rawValue: 1)
  private let now = WallTime(millisecondsSince1970: 1000)

  private final class EmptyDigest: FileDigest {
    let byteCount: Int64 = 0
    func advance(to upper: Int64, shouldStop: @Sendable () -> Bool) throws(TransferFailure) {}
    func finish() throws(TransferFailure) -> String { "" }
  }

  private var digest: LiveDigest {
    Self.emptyDigest()
  }

  private static func emptyDigest() -> LiveDigest {
    LiveDigest(
      inode: 1, algorithm: .sha256, digest: EmptyDigest(),
      queue: WorkSource.threads.makeQueue("test"))
  }

  /// A transfer of which everything is known.
  private func full() -> LiveTransfers {
    var live = LiveTransfers()
    live[id].body = .opening(OpeningBody(attempt))
    live[id].digest = digest
    live[id].work = LiveFileWork(operation, .unpacking)
    live[id].tooFewFreeBytes = 5
    live[id].noteUnkept()
    live[id].noteSent(3)
    return live
  }

  private func evict(_ ids: [TransferID], from live: inout LiveTransfers) {
    live.evict(ids, residentCount: 0) { _ in false }
  }

  private func response() -> ResponseHead { ResponseHead(status: 200, headers: []) }

  // MARK: Entries

  @Test(
    arguments: [
      { $0.body = .opening(OpeningBody(AttemptID(rawValue: 1))) },
      { $0.digest = Self.emptyDigest() },
      { $0.work = LiveFileWork(OperationID(rawValue: 1), .unpacking) },
      { $0.tooFewFreeBytes = 5 },
      { $0.isSending = true },
      { $0.noteUnkept() },
      { $0.observed.note(.accepted, at: WallTime(millisecondsSince1970: 1)) },
    ] as [@Sendable (inout LiveTransfer) -> Void])
  func `a transfer has an entry while something is known of it`(
    learn: @Sendable (inout LiveTransfer) -> Void
  ) {
    var live = LiveTransfers()
    learn(&live[id])
    #expect(live.count == 1)
    live[id] = LiveTransfer()
    #expect(live.count == 0)
  }

  @Test func `a question about an unknown transfer makes no entry`() {
    var live = LiveTransfers()
    #expect(live[id].body == nil && live[id].isStored)
    live[id].observation?.speed = SpeedEstimator()
    live[id].endBody()
    live[id].discardFile()
    live[id].noteKept()
    live.remove(id)
    evict([id], from: &live)
    #expect(live.count == 0)
  }

  @Test func `changes on their way to the store are counted`() {
    var live = LiveTransfers()
    live[id].noteUnkept()
    live[id].noteUnkept()
    live[id].noteKept()
    #expect(!live[id].isStored)
    live[id].noteKept()
    #expect(live[id].isStored)
    #expect(live.count == 0)
  }

  @Test func `a file and a digest keep a transfer in memory`() {
    var live = LiveTransfers()
    live[id].body = .opening(OpeningBody(attempt))
    #expect(!live[id].isStored)
    live[id].endBody()
    #expect(live[id].isStored)
    live[id].digest = digest
    #expect(!live[id].isStored)
  }

  @Test func `the sets name the transfers with a body, with bytes to report and being unpacked`() {
    var live = full()
    #expect(live.withBody == [id] && live.sending == [id] && live.working == [id])
    live[id].endBody()
    #expect(live.withBody.isEmpty && live.sending == [id] && live.working == [id])
    #expect(live.takeSending() == [id])
    #expect(live.sending.isEmpty && live.takeSending().isEmpty)
    #expect(live[id].observation?.sentByteCount == 3)
    live.stopWork { _, operation in operation == self.operation }
    #expect(live.working == [id])
    live.stopWork { _, _ in false }
    #expect(live.working.isEmpty)
  }

  // MARK: Ends

  @Test func `nothing is left of a removed transfer, and its unpacking stops`() throws {
    var live = full()
    let unpacking = try #require(live[id].work)
    live.remove(id)
    #expect(live.count == 0)
    #expect(live.withBody.isEmpty && live.sending.isEmpty && live.working.isEmpty)
    #expect(unpacking.shouldStop)
  }

  @Test func `nothing is left of an evicted transfer that has not run`() {
    var live = LiveTransfers()
    live[id].tooFewFreeBytes = 5
    live[id].observed.note(.accepted, at: now)
    evict([id], from: &live)
    #expect(live.count == 0)
  }

  @Test func `only what was observed is left of an evicted transfer that has run`() {
    var live = LiveTransfers()
    live[id].tooFewFreeBytes = 5
    live[id].observed.lastHead = response()
    evict([id], from: &live)
    #expect(live[id].observation?.lastHead == response())
    #expect(live[id].tooFewFreeBytes == nil)
    live[id].observation = nil
    #expect(live.count == 0)
  }

  @Test func `observations of too many dormant transfers are dropped`() {
    var live = LiveTransfers()
    let ids = (0...Int64(LiveTransfers.rememberedCountMax)).map(TransferID.init(rawValue:))
    for id in ids { live[id].observed.lastHead = response() }
    live.evict(ids, residentCount: 1) { $0 == ids[0] }
    #expect(live.count == ids.count)
    live.evict([], residentCount: 0) { $0 == ids[0] }
    #expect(live.count == 1)
    #expect(live[ids[0]].observation != nil)
  }

  @Test func `a discarded file leaves neither a digest nor the space that was too small`() {
    var live = LiveTransfers()
    live[id].digest = digest
    live[id].tooFewFreeBytes = 5
    live[id].discardFile()
    #expect(live.count == 0)
  }

  @Test func `a closed file leaves what was observed, without its speed`() {
    var live = LiveTransfers()
    live[id].body = .opening(OpeningBody(attempt))
    for second in 0...3 {
      let now = MonotonicTime(milliseconds: Int64(second) * 1000)
      live[id].observed.noteTick(
        byteCount: Int64(second) << 20, waitsForDisk: true, at: now)
      _ = live[id].observed.tell(Int64(second) << 20, at: now)
    }
    live[id].endBody()
    let observed = live[id].observed
    #expect(observed.speed == SpeedEstimator())
    #expect(observed.diskShare == 0 && observed.receivingSince == nil)
    #expect(!observed.recentSpeeds.seconds.isEmpty)
    #expect(observed.arrival(ofSize: 3 << 20) == Arrival(bytesPerSecond: 1 << 20))
  }

  // MARK: Observations

  @Test func `a pause is no part of the average speed`() {
    var observed = TransferObservation()
    for (milliseconds, byteCount) in [(0, 1000), (1000, 3000), (60_000, 3000), (61_000, 9000)] {
      if milliseconds == 60_000 { observed.rest() }
      observed.noteTick(
        byteCount: Int64(byteCount), waitsForDisk: false,
        at: MonotonicTime(milliseconds: Int64(milliseconds)))
    }
    #expect(observed.arrival(ofSize: 9000) == Arrival(bytesPerSecond: 4000))
  }

  @Test func `a server cannot make the kept events long`() {
    var observed = TransferObservation()
    observed.note(.queued, at: now)
    for number in 0..<30 {
      let url = "https://a.example/\(number)?" + String(repeating: "x", count: 1000)
      observed.note(.redirected(url: url), at: now)
    }
    let events = observed.arrival(ofSize: 48)?.events ?? []
    #expect(events.count == 3)
    #expect(events.last?.text.contains("/29?") == true)
  }

  @Test func `parts that came at different speeds are kept`() {
    var observed = TransferObservation()
    for (upTo, bytesPerSecond) in [(0, 0), (24, 1000), (48, 8000)] as [(Int64, Int64)] {
      let connection = LiveConnection(
        attempt: attempt, range: .init(lower: 0), receivedUpTo: upTo,
        bytesPerSecond: bytesPerSecond, url: EngineWorld.spec().url)
      observed.noteArrivals([connection], total: 48)
    }
    let levels = observed.arrival(ofSize: 48)?.ridge?.levels(count: 2) ?? []
    #expect(levels.count == 2 && levels[0] < levels[1], "\(levels)")
  }

  @Test func `a small file without incident has nothing to keep`() {
    var observed = TransferObservation()
    observed.note(.queued, at: now)
    observed.note(.running(fromZero: nil), at: now)
    #expect(observed.arrival(ofSize: 1000) == nil)
    observed.note(.accepted, at: now)
    #expect(
      observed.arrival(ofSize: 1000)?.events?.map(\.event) == [
        .queued, .running(fromZero: nil), .accepted,
      ])
  }

  @Test func `the history begins with the addition until it has too many lines`() {
    var observed = TransferObservation()
    #expect(observed.history(addedAt: now) == [HistoryEntry(at: now, .added)])
    for number in 1..<TransferObservation.historyCountMax {
      observed.note(.discarded(byteCount: Int64(number)), at: now)
    }
    #expect(observed.history(addedAt: now).first?.event == .added)
    #expect(observed.history(addedAt: now).count == TransferObservation.historyCountMax)
    observed.note(.accepted, at: now)
    #expect(observed.history(addedAt: now).first?.event == .discarded(byteCount: 1))
    #expect(observed.history(addedAt: now).last?.event == .accepted)
    #expect(observed.history(addedAt: now).count == TransferObservation.historyCountMax)
  }
}
