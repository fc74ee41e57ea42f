import KettleControl
import KettleModel
import Testing

@testable import BackgroundTransfer

/// Reports of tasks that wait for a connection.
struct ConnectivityTests {
  @Test(arguments: [KettleModel.WaitingReason.network, .hostUnreachable, .proxy])
  func `a task that waits for a connection is reported once`(_ reason: KettleModel.WaitingReason)
    throws
  {
    var bench = SessionBench.attached()
    let task = try bench.run()
    for _ in 0..<2 {
      bench.event(task, .waiting) { $0.reason = reason }
      bench.event(task, .running) { $0.reason = nil }
    }
    #expect(bench.calls == [.waits(task)])
    bench.event(task, .completed) { $0.finish(bytes: 0) }
    #expect(
      bench.calls == [
        .waits(task), .finished(task, path: "/held/1"), .measured(task), .completed(task, .success),
      ])
  }

  @Test(arguments: [KettleModel.WaitingReason.retry, .retryAfter, .diskSpace, .discretionary])
  func `a task that waits for something else is not reported`(_ reason: KettleModel.WaitingReason)
    throws
  {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .waiting) { $0.reason = reason }
    #expect(bench.calls.isEmpty)
  }

  @Test func `a task that loses its connection after the response is not reported`() throws {
    var bench = SessionBench.attached()
    let task = try bench.run()
    bench.event(task, .waiting) {
      $0.reason = .network
      $0.task?.reply = ServerReply(url: "http://books.example/b", status: 200, headers: [])
    }
    #expect(bench.calls.isEmpty)
  }
}
