import Dispatch
import KettleModel
import KettleScheduler
import KettleSystem
import Testing

@testable import KettleEngine

@Suite(.timeLimit(.minutes(5)))
struct EngineInboxTests {
  private let queue = DispatchQueue(label: "test.engine")

  private func input(_ number: Int64) -> EngineInput {
    .event(.file(TransferID(rawValue: number), .discarded(by: OperationID(rawValue: 0))))
  }

  private static func number(_ input: EngineInput) -> Int64? {
    if case .event(.file(let id, _)) = input { id.rawValue } else { nil }
  }

  /// Records the numbers of all inputs read, one list for each call.
  private final class Reader: Sendable {
    private let calls = Mutex<[[Int64]]>([])

    var all: [[Int64]] { calls.withLock { $0 } }

    func read(_ inputs: [EngineInput]) {
      calls.withLock { $0.append(inputs.compactMap(EngineInboxTests.number)) }
    }
  }

  @Test func `inputs queued before the inbox opens are read first`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    _ = inbox.put(input(1))
    _ = inbox.put(input(2))
    queue.sync {}
    #expect(reader.all.isEmpty)
    inbox.open { reader.read($0) }
    queue.sync {}
    _ = inbox.put(input(3))
    queue.sync {}
    #expect(reader.all == [[1, 2], [3]])
  }

  @Test func `inputs queued while the reader is busy are read as one batch in order`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    inbox.open { reader.read($0) }
    queue.sync { for number in 1...5 { _ = inbox.put(input(Int64(number))) } }
    queue.sync {}
    #expect(reader.all == [[1, 2, 3, 4, 5]])
  }

  @Test func `the inbox is open until its end and cannot be reopened`() {
    let inbox = EngineInbox(on: queue)
    #expect(!inbox.isOpen)
    inbox.open { _ in }
    #expect(inbox.isOpen)
    // Also while a call of the reader is pending.
    queue.sync {
      _ = inbox.put(input(1))
      #expect(inbox.isOpen)
    }
    inbox.end()
    #expect(!inbox.isOpen)
    #expect(!inbox.put(input(2)))
    inbox.open { _ in }
    #expect(!inbox.isOpen)
  }

  @Test func `nothing is read after the end`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    inbox.open { reader.read($0) }
    queue.sync {
      _ = inbox.put(input(1))
      inbox.end()
      _ = inbox.put(input(2))
    }
    queue.sync {}
    #expect(reader.all == [])
  }

  @Test func `input that the reader puts in is read before the inbox is drained`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    let drained = Mutex<[Int]>([])
    inbox.open { [self] inputs in
      reader.read(inputs)
      if reader.all.count == 1 { _ = inbox.put(input(2)) }
    } drained: {
      drained.withLock { $0.append(reader.all.count) }
    }
    _ = inbox.put(input(1))
    queue.sync {}
    #expect(reader.all == [[1], [2]])
    #expect(drained.withLock { $0 } == [2])
  }

  @Test func `endless input does not put off what follows a batch`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    let drained = Mutex<[Int]>([])
    inbox.open { [self] inputs in
      reader.read(inputs)
      if reader.all.count < 40 { _ = inbox.put(input(Int64(reader.all.count))) }
    } drained: {
      drained.withLock { $0.append(reader.all.count) }
    }
    _ = inbox.put(input(0))
    for _ in 0..<3 { queue.sync {} }
    #expect(reader.all.count == 40)
    #expect(drained.withLock { $0 } == [16, 32, 40])
  }
}
