import Foundation
import KettleEngine
import KettleModel
import KettleRPC
import KettleSystem
import Testing

@testable import KettleDaemon

struct RPCLedgerTests {
  private func row(_ id: Int64, _ state: TransferState) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id,
      title: "f", url: "https://example.org/f", state: state,
      createdAt: WallTime(millisecondsSince1970: 0))
  }

  /// Nanoseconds of the processor that this thread used for `body`.
  private func cost(_ body: () -> Void) -> Int64 {
    func now() -> Int64 {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
    let begin = now()
    body()
    return now() - begin
  }

  /// Calls `body` with 0, 1, … and compares what a hundred of the last calls cost with the first
  /// ones. Of ten hundreds the cheapest counts: memory that grows once is not a cost of each call.
  private func expectFlatCost(_ count: Int, _ body: (Int64) -> Void) {
    func costOfHundred(from start: Int) -> Int64 {
      cost { for number in start..<start + 100 { body(Int64(number)) } }
    }
    let first = costOfHundred(from: 0)
    for number in 100..<count - 1000 { body(Int64(number)) }
    let hundreds = stride(from: count - 1000, to: count, by: 100).map(costOfHundred)
    let last = hundreds.min() ?? 0
    // The first calls also load the code. A cost that grows is a hundred times as high.
    #expect(
      last < 10 * first + 1_000_000, "\(first) ns for the first hundred, \(last) for the last")
  }

  @Test func `a notification costs the same after ten thousand others`() {
    let ledger = RPCLedger()
    let sent = Mutex(0)
    ledger.tell { _ in sent.withLock { $0 += 1 } }
    expectFlatCost(10_000) { number in
      ledger.observe(.changed(row(1, number.isMultiple(of: 2) ? .running : .paused)))
    }
    #expect(sent.withLock { $0 } == 10_000)
  }

  /// A closure that each notification wraps once more would need 100 bytes of stack for each.
  @Test func `ninety thousand notifications need no deeper stack`() async {
    let ledger = RPCLedger()
    let sent = Mutex(0)
    ledger.tell { _ in sent.withLock { $0 += 1 } }
    let rows = [row(1, .running), row(1, .paused)]
    await withCheckedContinuation { (end: CheckedContinuation<Void, Never>) in
      let thread = Thread {
        for number in 0..<90_000 { ledger.observe(.changed(rows[number % 2])) }
        end.resume()
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
    #expect(sent.withLock { $0 } == 90_000)
  }

  @Test func `a removal costs the same however many came before`() {
    let ledger = RPCLedger()
    for id: Int64 in 1...20_000 { ledger.observe(.changed(row(id, .running))) }
    expectFlatCost(20_000) { ledger.observe(.removed(row($0 + 1, .paused))) }
    #expect(ledger.removed.count == RPCLedger.removedCountMax)
    #expect(ledger.removed.last?.row.id.rawValue == 20_000)
    #expect(ledger.removed.first?.row.id.rawValue == 19_001)
  }

  @Test func `the latest removed downloads are kept in their order, without those forgotten`() {
    var removed = RemovedDownloads(countMax: 3)
    func download(_ id: Int64) -> RPCDownload {
      RPCDownload(gid: GID(TransferID(rawValue: id)), row: row(id, .paused))
    }
    func ids() -> [Int64] { removed.all.map(\.row.id.rawValue) }
    for id: Int64 in 1...4 { removed.keep(download(id)) }
    #expect(ids() == [2, 3, 4])
    removed.forget(GID(TransferID(rawValue: 3)))
    removed.keep(download(2))
    #expect(ids() == [1, 4, 2])
    for id: Int64 in 5...9 { removed.keep(download(id)) }
    #expect(ids() == [7, 8, 9])
    removed.forgetAll()
    #expect(ids() == [])
  }
}
