import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

/// The grouping of added tasks into requests.
struct AddingTests {
  private let refusal = ControlError(.cannotKeep, "ENOSPC")

  private func resumed(_ bench: inout SessionBench, _ count: Int) throws -> [Int64] {
    try (0..<count).map { _ in
      let task = try bench.create()
      bench.feed(.resume(task))
      return task
    }
  }

  private func additions(_ bench: SessionBench) -> [[Int64?]] {
    bench.requestsOnly.compactMap { request in
      guard case .add(let params) = request else { return nil }
      return params.transfers.map { $0.task?.taskIdentifier }
    }
  }

  private func names(_ bench: SessionBench) -> [String?] {
    bench.requestsOnly.compactMap { request in
      if case .add(let params) = request { params.requestID } else { nil }
    }
  }

  @Test func `tasks added during a request are sent together in the next one`()
    throws
  {
    var bench = SessionBench.attached()
    let tasks = try resumed(&bench, 4)
    #expect(additions(bench) == [[1]])
    try bench.answer(.added([SessionBench.id(1)]))
    #expect(additions(bench) == [[1], [2, 3, 4]])
    #expect(names(bench) == ["run.1", "run.2-4"])
    let second = try #require(bench.requests.last).serial
    for task in tasks { bench.feed(.suspend(task)) }
    bench.feed(.answered(second, .added((2...4).map(SessionBench.id))))
    let paused = bench.requestsOnly.compactMap { request -> [TransferID]? in
      guard case .control(let params) = request, case .ids(let ids) = params.selection else {
        return nil
      }
      return ids
    }
    #expect(paused == [[SessionBench.id(1)], (2...4).map(SessionBench.id)])
  }

  @Test func `tasks of a refused request are added one by one`() throws {
    var bench = SessionBench.attached()
    _ = try resumed(&bench, 4)
    try bench.answer(.added([SessionBench.id(1)]))
    bench.clearRecords()
    _ = try resumed(&bench, 1)
    #expect(bench.requests.isEmpty)
    bench.feed(.answered(2, .refused(refusal)))
    #expect(bench.calls.isEmpty)
    #expect(additions(bench) == [[2], [3], [4]])
    #expect(names(bench) == ["run.2", "run.3", "run.4"])
    let serials = bench.requests.map(\.serial)
    bench.feed(.answered(serials[0], .added([SessionBench.id(2)])))
    bench.feed(.answered(serials[1], .refused(refusal)))
    #expect(bench.calls == [.measured(3), .completed(3, .failure(.notKept(refusal)))])
    #expect(additions(bench).count == 3, "the next one overtook")
    bench.feed(.answered(serials[2], .added([SessionBench.id(4)])))
    #expect(additions(bench).last == [5])
    try bench.answer(.added([SessionBench.id(5)]))
    #expect(bench.calls.count == 2)
    #expect(bench.machine.isAllAcknowledged)
  }

  @Test func `a retried request keeps its tasks`() throws {
    var bench = SessionBench.attached()
    _ = try resumed(&bench, 3)
    try bench.answer(.added([SessionBench.id(1)]))
    bench.feed(.connectionLost)
    bench.clearRecords()
    _ = try resumed(&bench, 2)
    bench.attach([try SessionBench.task(1, .running)], last: 1)
    #expect(additions(bench) == [[2, 3]])
    #expect(names(bench) == ["run.2-3"])
    try bench.answer(.added([SessionBench.id(2), SessionBench.id(3)]))
    #expect(additions(bench) == [[2, 3], [4, 5]])
  }

  @Test func `a task that the service already has is not added again`() throws {
    var bench = SessionBench.attached()
    _ = try resumed(&bench, 3)
    try bench.answer(.added([SessionBench.id(1)]))
    bench.feed(.connectionLost)
    bench.clearRecords()
    bench.attach(try (1...3).map { try SessionBench.task($0, .running) }, last: 3)
    #expect(bench.requests.isEmpty)
    #expect(bench.machine.isAllAcknowledged)
  }

  @Test func `a task removed before the reply keeps its index`() throws {
    var bench = SessionBench.attached()
    let tasks = try resumed(&bench, 4)
    try bench.answer(.added([SessionBench.id(1)]))
    bench.event(tasks[2], .failed, kind: .removed)
    bench.feed(.suspend(tasks[3]))
    try bench.answer(.added((2...4).map(SessionBench.id)))
    #expect(
      bench.requestsOnly.last
        == .control(.init(control: .pause, selection: .ids([SessionBench.id(4)]))))
  }

  @Test func `a session request does not overtake earlier additions`() throws {
    var bench = SessionBench.attached()
    _ = try resumed(&bench, 2)
    let options = SessionOptions(launch: nil)
    bench.feed(.options(options))
    #expect(bench.requests.count == 1)
    try bench.answer(.added([SessionBench.id(1)]))
    #expect(additions(bench) == [[1], [2]])
    #expect(bench.requestsOnly.last == .options(options))
  }

  @Test func `a request stays below the service's line limit`() throws {
    var bench = SessionBench.attached()
    for _ in 0..<12 {
      let task = try bench.create {
        // Each takes six bytes in JSON.
        $0.task?.programData = String(repeating: "\u{1}", count: 250_000)
      }
      bench.feed(.resume(task))
    }
    try bench.answer(.added([SessionBench.id(1)]))
    #expect(additions(bench) == [[1], Array(2...11)])
    try bench.answer(.added((2...11).map(SessionBench.id)))
    #expect(additions(bench).last == [12])
  }
}
