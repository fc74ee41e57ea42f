import BackgroundTransfer
import Foundation
import Testing
import TestSupport

/// Tasks that do not begin immediately, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SchedulingTests {
  private let origin: ScriptedOrigin
  private let told = Told()
  private let body = SeededBody(seed: 12, byteCount: 50_000)
  private static let success = [
    "wrote 1 50000/50000", "finished 1 200", "completed 1 nil", "invalid",
  ]

  init() throws {
    origin = try ScriptedOrigin()
    origin.serve(OriginBehavior(body), at: "/a.bin")
  }

  private static func conditions(mains: String, unmetered: String) -> String {
    "[conditions]\nmains = \"\(mains)\"\nunmetered = \"\(unmetered)\"\n"
  }

  @Test func `a discretionary task waits for mains power and reports it`() async throws {
    let home = try SessionHome(
      configuration: Self.conditions(mains: "never", unmetered: "always"))
    let session = home.session(told) { $0.isDiscretionary = true }
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    #expect(await task.waits(for: .mainsPower))
    let list = try await home.kettle("list").said
    #expect(list.contains("deferred"), "\(list)")
    let row = try #require(try await home.rows().first)
    #expect(row["state"] as? String == "waiting")
    #expect(row["reason"] as? String == "discretionary")
    #expect(origin.requests.isEmpty)
    #expect(told.calls.isEmpty)
    // On mains power the task runs, with the program still connected.
    try home.configure(Self.conditions(mains: "always", unmetered: "always"))
    #expect(try await home.kettle("daemon", "stop").code == 0)
    try await told.expect(Self.success, of: session)
  }

  @Test func `a task that may not use a metered network waits for an unmetered one`() async throws {
    let home = try SessionHome(
      configuration: Self.conditions(mains: "always", unmetered: "never"))
    let session = home.session(told) { $0.allowsExpensiveNetworkAccess = false }
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.resume()
    #expect(await task.waits(for: .unmeteredNetwork))
    #expect(origin.requests.isEmpty)
    task.cancel()
    try await told.expect(["completed 1 -999", "invalid"], of: session)
  }

  @Test func `a task without conditions ignores the state of the machine`() async throws {
    let home = try SessionHome(configuration: Self.conditions(mains: "never", unmetered: "never"))
    let session = home.session(told)
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    try await told.expect(Self.success, of: session)
  }

  @Test func `a discretionary task runs when its conditions hold`() async throws {
    let home = try SessionHome(
      configuration: Self.conditions(mains: "always", unmetered: "always"))
    let session = home.session(told) { $0.isDiscretionary = true }
    session.downloadTask(with: try origin.address("/a.bin")).resume()
    try await told.expect(Self.success, of: session)
  }

  @Test func `a task does not begin before its earliest begin date`() async throws {
    let home = try SessionHome()
    let session = home.session(told)
    _ = await session.allTasks
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    let date = Date(timeIntervalSinceNow: 2)
    task.earliestBeginDate = date
    task.resume()
    let isShown = await task.waits {
      if case .date(let shown) = $0 { abs(shown.timeIntervalSince(date)) < 0.002 } else { false }
    }
    #expect(isShown)
    try await told.expect(Self.success, of: session)
    #expect(Date.now >= date)
    #expect(task.earliestBeginDate == date)
  }

  @Test func `an earliest begin date survives a restart of the service`() async throws {
    let home = try SessionHome()
    let session = home.session(told)
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    let date = Date(timeIntervalSinceNow: 2)
    task.earliestBeginDate = date
    task.resume()
    await session.flush()
    #expect(try await home.kettle("daemon", "stop").code == 0)
    try await told.expect(Self.success, of: session)
    #expect(Date.now >= date)
  }

  @Test func `a task that exceeds its resource timeout fails with -1001`() async throws {
    let home = try SessionHome()
    origin.serve(OriginBehavior(body).with { $0.headWaitsFor = "never" }, at: "/slow")
    let session = home.session(told) { $0.timeoutIntervalForResource = 1 }
    session.downloadTask(with: try origin.address("/slow")).resume()
    try await told.expect(["completed 1 -1001", "invalid"], of: session)
  }

  @Test func `a request timeout is retried without a delegate call`() async throws {
    let home = try SessionHome()
    let whole = OriginBehavior(body)
    origin.serve([whole.with { $0.headWaitsFor = "never" }, whole], at: "/slow")
    let session = home.session(told) { $0.timeoutIntervalForRequest = 1 }
    session.downloadTask(with: try origin.address("/slow")).resume()
    try await told.expect(Self.success, of: session)
    #expect(origin.requests(at: "/slow").count == 2)
  }
}
