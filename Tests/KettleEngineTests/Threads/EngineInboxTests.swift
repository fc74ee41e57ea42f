import Dispatch
import Glibc
import KettleModel
import KettleScheduler
import KettleSystem
import Testing

@testable import KettleEngine

@Suite(.timeLimit(.minutes(1)))
struct EngineInboxTests {
  private let queue = DispatchQueue(label: "test.engine")

  private func input(_ number: Int64) -> EngineInput {
    .discarded(TransferID(rawValue: number), OperationID(rawValue: 0))
  }

  private static func number(_ input: EngineInput) -> Int64? {
    if case .discarded(let id, _) = input { id.rawValue } else { nil }
  }

  /// Keeps the numbers of all that is read, one list for each call.
  private final class Reader: Sendable {
    private let calls = Mutex<[[Int64]]>([])

    var all: [[Int64]] { calls.withLock { $0 } }

    func read(_ inputs: [EngineInput]) {
      calls.withLock { $0.append(inputs.compactMap(EngineInboxTests.number)) }
    }
  }

  @Test func `what nobody reads here is read with what comes next, in its order`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    inbox.open { inputs, _ in reader.read(inputs) }
    inbox.putToReadHere([input(1)])
    inbox.putToReadHere([input(2)])
    queue.sync {}
    #expect(reader.all.isEmpty)
    inbox.put(input(3))
    queue.sync {}
    #expect(reader.all == [[1, 2, 3]])
    inbox.end()
    inbox.putToReadHere([input(4)])
    inbox.put(input(5))
    queue.sync {}
    #expect(reader.all == [[1, 2, 3]])
  }

  @Test func `what comes before it is opened is read first`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    inbox.put(input(1))
    inbox.put(input(2))
    queue.sync {}
    #expect(reader.all.isEmpty)
    inbox.open { inputs, _ in reader.read(inputs) }
    queue.sync {}
    inbox.put(input(3))
    queue.sync {}
    #expect(reader.all == [[1, 2], [3]])
  }

  @Test func `what comes while the reader is busy is read together, in order`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    inbox.open { inputs, _ in reader.read(inputs) }
    queue.sync { for number in 1...5 { inbox.put(input(Int64(number))) } }
    queue.sync {}
    #expect(reader.all == [[1, 2, 3, 4, 5]])
  }

  @Test func `it is open from the reader to the end, and not again`() {
    let inbox = EngineInbox(on: queue)
    #expect(!inbox.isOpen)
    inbox.open { _, _ in }
    #expect(inbox.isOpen)
    // Also while the reader is about to be called.
    queue.sync {
      inbox.put(input(1))
      #expect(inbox.isOpen)
    }
    inbox.end()
    #expect(!inbox.isOpen)
    inbox.open { _, _ in }
    #expect(!inbox.isOpen)
  }

  @Test func `nothing is read after the end`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    inbox.open { inputs, _ in reader.read(inputs) }
    queue.sync {
      inbox.put(input(1))
      inbox.end()
      inbox.put(input(2))
    }
    queue.sync {}
    #expect(reader.all == [])
  }

  @Test func `one who may wait reads what is there, on its own thread`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    let here = pthread_self()
    inbox.open { inputs, place in
      #expect(place == .sender)
      #expect(pthread_equal(pthread_self(), here) != 0)
      reader.read(inputs)
    }
    inbox.readHere()
    #expect(reader.all.isEmpty)
    inbox.putToReadHere([input(1)])
    inbox.putToReadHere([input(2)])
    inbox.readHere()
    #expect(reader.all == [[1, 2]])
    inbox.readHere()
    #expect(reader.all == [[1, 2]])
  }

  @Test func `nobody reads here what somebody is about to read`() {
    let inbox = EngineInbox(on: queue)
    let reader = Reader()
    let places = Mutex<[EngineInbox.Place]>([])
    inbox.open { inputs, place in
      places.withLock { $0.append(place) }
      reader.read(inputs)
    }
    queue.sync {
      inbox.put(input(1))
      inbox.putToReadHere([input(2)])
      // It would wait for itself.
      inbox.readHere()
    }
    queue.sync {}
    #expect(reader.all == [[1, 2]])
    #expect(places.withLock { $0 } == [.engine])
  }
}
