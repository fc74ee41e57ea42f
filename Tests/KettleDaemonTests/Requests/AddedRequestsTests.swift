import KettleControl
import KettleModel
import KettleSystem
import Testing

@testable import KettleDaemon

@Suite(.timeLimit(.minutes(5)))
struct AddedRequestsTests {
  /// Returns new ids and counts the calls.
  private final class Store: Sendable {
    private let last = Mutex(Int64(0))
    let callCount = Mutex(0)

    func add(_ count: Int, step: Int64 = 1) -> AddedRequests.Outcome {
      callCount.withLock { $0 += 1 }
      return .success(
        last.withLock { last in
          (0..<count).map { _ in
            last += step
            return TransferID(rawValue: last)
          }
        })
    }
  }

  // Fault 110
  @Test func `a repeated request adds once and gets the same reply`() async throws {
    let requests = AddedRequests()
    let store = Store()
    let first = await requests.outcome(of: "a") { store.add(3) }
    #expect(try first.get().map(\.rawValue) == [1, 2, 3])
    #expect(await requests.outcome(of: "a") { store.add(3) } == first)
    #expect(store.callCount.withLock { $0 } == 1)
  }

  @Test func `ids with gaps are returned unchanged`() async throws {
    let requests = AddedRequests()
    let store = Store()
    let first = await requests.outcome(of: "a") { store.add(3, step: 5) }
    #expect(try first.get().map(\.rawValue) == [5, 10, 15])
    #expect(await requests.outcome(of: "a") { store.add(3) } == first)
    let none = await requests.outcome(of: "b") { store.add(0) }
    #expect(await requests.outcome(of: "b") { store.add(1) } == none)
  }

  @Test func `a different request, or one without an id, adds again`() async {
    let requests = AddedRequests()
    let store = Store()
    for requestID in ["a", "b", nil, nil] {
      _ = await requests.outcome(of: requestID) { store.add(1) }
    }
    #expect(store.callCount.withLock { $0 } == 4)
  }

  @Test func `a repeated request waits for the first one`() async {
    let requests = AddedRequests()
    let store = Store()
    let (gate, opening) = AsyncStream<Void>.makeStream()
    async let first = requests.outcome(of: "a") {
      for await _ in gate { break }
      return store.add(1)
    }
    async let second = requests.outcome(of: "a") {
      for await _ in gate { break }
      return store.add(1)
    }
    opening.yield()
    opening.finish()
    let outcomes = await [first, second]
    #expect(outcomes[0] == outcomes[1])
    #expect(store.callCount.withLock { $0 } == 1)
  }

  @Test func `a failed request may be retried`() async {
    let requests = AddedRequests()
    let store = Store()
    let full = ControlError(.cannotKeep, "disk full")
    #expect(await requests.outcome(of: "a") { .failure(full) } == .failure(full))
    #expect(
      await requests.outcome(of: "a") { store.add(1) } == .success([TransferID(rawValue: 1)]))
  }

  // Fault 113
  @Test func `the oldest requests are forgotten first`() async {
    let requests = AddedRequests(countMax: 8)
    let store = Store()
    for number in 0..<30 { _ = await requests.outcome(of: "\(number)") { store.add(1) } }
    _ = await requests.outcome(of: "29") { store.add(1) }
    #expect(store.callCount.withLock { $0 } == 30)
    _ = await requests.outcome(of: "0") { store.add(1) }
    #expect(store.callCount.withLock { $0 } == 31)
  }
}
