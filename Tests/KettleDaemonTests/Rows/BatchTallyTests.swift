import KettleModel
import SeededNumbers
import Testing

@testable import KettleDaemon

struct BatchTallyTests {
  private func row(
    _ id: Int64, _ state: TransferState, received: Int64 = 0, of expected: Int64? = nil
  ) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: "a",
      url: "http://a.example/", state: state, bytesReceived: received, bytesExpected: expected,
      createdAt: WallTime(millisecondsSince1970: 0))
  }

  /// Returns the tally after these rows, in order.
  private func tally(_ rows: [TransferSnapshot]) -> BatchTally {
    var tally = BatchTally()
    var known: [TransferID: TransferSnapshot] = [:]
    for row in rows {
      tally.change(from: known[row.id], to: row)
      known[row.id] = row
    }
    return tally
  }

  @Test func `there is no batch without transfers in progress`() {
    #expect(BatchTally().progress(bytesPerSecond: 5) == nil)
    let rest = tally([row(1, .completed, received: 5, of: 5), row(2, .paused), row(3, .scheduled)])
    #expect(rest.progress(bytesPerSecond: 5) == nil)
  }

  @Test func `transfers that finish during the batch count, earlier ones do not`() {
    let batch = tally([
      row(1, .completed, received: 900, of: 900), row(2, .running, received: 0, of: 100),
      row(3, .queued, received: 0, of: 50),
      row(2, .verifying, received: 100, of: 100), row(2, .completed, received: 100, of: 100),
      row(3, .running, received: 20, of: 50),
    ])
    #expect(
      batch.progress(bytesPerSecond: 7)
        == BatchProgress(
          transferCount: 2, finishedCount: 1, bytesReceived: 120, bytesExpected: 150,
          unknownSizeCount: 0, secondsLeft: 5))
  }

  @Test func `a batch ends with the last transfer in progress, and the next starts from zero`() {
    var batch = tally([
      row(1, .running, received: 0, of: 10), row(1, .completed, received: 10, of: 10),
    ])
    #expect(batch.progress(bytesPerSecond: 1) == nil)
    batch.change(from: nil, to: row(2, .waiting, received: 1, of: 4))
    #expect(
      batch.progress(bytesPerSecond: 0)
        == BatchProgress(
          transferCount: 1, finishedCount: 0, bytesReceived: 1, bytesExpected: 4,
          unknownSizeCount: 0, secondsLeft: nil))
  }

  @Test func `a paused, failed, removed or reset transfer leaves the batch`() {
    var batch = tally([
      row(1, .running, received: 1, of: 10), row(2, .running, received: 2, of: 10),
      row(3, .running, received: 3, of: 10),
      row(4, .running, received: 4, of: 10), row(2, .paused, received: 2, of: 10),
      row(3, .failed, received: 3, of: 10),
      row(4, .completed, received: 10, of: 10), row(4, .idle),
    ])
    #expect(batch.progress(bytesPerSecond: 1)?.transferCount == 1)
    batch.change(from: row(5, .running, received: 5, of: 10), to: nil)
    #expect(batch.progress(bytesPerSecond: 1) == nil)
  }

  @Test func `a batch goes on after a stop of everything is undone, and another one begins anew`() {
    var batch = tally([
      row(1, .running, received: 0, of: 70), row(2, .running, received: 10, of: 30),
      row(1, .completed, received: 70, of: 70), row(2, .idle),
    ])
    #expect(batch.progress(bytesPerSecond: 1) == nil)
    batch.change(from: row(2, .idle), to: row(2, .queued, received: 10, of: 30))
    #expect(batch.progress(bytesPerSecond: 1)?.finishedCount == 1)
    #expect(batch.progress(bytesPerSecond: 1)?.bytesReceived == 80)
    batch.change(from: row(2, .queued, received: 10, of: 30), to: nil)
    batch.change(from: nil, to: row(3, .queued))
    #expect(batch.progress(bytesPerSecond: 1)?.transferCount == 1)
  }

  @Test func `the time left is unknown without a size`() {
    let batch = tally([row(1, .running, received: 5, of: 10), row(2, .queued, received: 3)])
    #expect(
      batch.progress(bytesPerSecond: 5)
        == BatchProgress(
          transferCount: 2, finishedCount: 0, bytesReceived: 5, bytesExpected: 10,
          unknownSizeCount: 1, secondsLeft: nil))
  }

  @Test func `extreme sizes do not overflow`() {
    var batch = tally([
      row(1, .running, received: .max, of: .max), row(2, .running, received: -5, of: .max),
      row(3, .running, received: 9, of: 0),
      row(4, .running, received: .min, of: .min),
    ])
    #expect(
      batch.progress(bytesPerSecond: 1)
        == BatchProgress(
          transferCount: 4, finishedCount: 0, bytesReceived: .max, bytesExpected: .max,
          unknownSizeCount: 1, secondsLeft: nil))
    batch.change(from: row(1, .running, received: .max, of: .max), to: nil)
    batch.change(from: row(4, .running, received: .min, of: .min), to: nil)
    #expect(batch.progress(bytesPerSecond: .max)?.secondsLeft == 1)
  }

  @Test func `the tally agrees with counting after any changes`() {
    let seed = UInt64.random(in: .min ... .max)
    print("batch seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var tally = BatchTally()
    var known: [TransferID: TransferSnapshot] = [:]
    var finished: Set<TransferID> = []
    var left: Set<TransferID> = []
    for _ in 0..<5000 {
      let id = TransferID(rawValue: Int64.random(in: 1...6, using: &random))
      let size: Int64? = Bool.random(using: &random) ? nil : Int64.random(in: 0...9, using: &random)
      let next =
        Int.random(in: 0...9, using: &random) == 0
        ? nil
        : row(
          id.rawValue, TransferState.allCases.randomElement(using: &random) ?? .idle,
          received: Int64.random(in: 0...(size ?? 9), using: &random), of: size)
      let was = known[id]
      tally.change(from: was, to: next)
      known[id] = next
      let underWay: Set<TransferState> = [.running, .queued, .waiting, .verifying]
      let wasUnderWay = was.map { underWay.contains($0.state) } ?? false
      let isUnderWay = next.map { underWay.contains($0.state) } ?? false
      let hadOthers = known.values.contains { $0.id != id && underWay.contains($0.state) }
      if isUnderWay, !wasUnderWay, !hadOthers, !left.contains(id) { (finished, left) = ([], []) }
      if isUnderWay { left.remove(id) }
      if wasUnderWay, !isUnderWay, next?.state != .completed { left.insert(id) }
      if next?.state != .completed { finished.remove(id) }
      if next?.state == .completed, let was, underWay.contains(was.state) { finished.insert(id) }
      let active = known.values.filter { underWay.contains($0.state) }
      if active.isEmpty, left.isEmpty { finished = [] }
      let all = active + finished.compactMap { known[$0] }
      let sized = all.filter { $0.bytesExpected != nil }
      let found = tally.progress(bytesPerSecond: 0)
      #expect((found == nil) == active.isEmpty, "seed \(seed)")
      guard let found else { continue }
      #expect(found.transferCount == all.count, "seed \(seed)")
      #expect(found.finishedCount == finished.count, "seed \(seed)")
      #expect(found.unknownSizeCount == all.count - sized.count, "seed \(seed)")
      #expect(found.bytesReceived == sized.reduce(0) { $0 + $1.bytesReceived }, "seed \(seed)")
      #expect(
        found.bytesExpected == sized.reduce(0) { $0 + ($1.bytesExpected ?? 0) }, "seed \(seed)")
    }
  }
}
