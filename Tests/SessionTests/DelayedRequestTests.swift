import BackgroundTransfer
import Foundation
import Testing
import TestSupport

/// Tasks whose delegate is asked at their date, over the real service.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DelayedRequestTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
    for path in ["/a.bin", "/b.bin"] {
      origin.serve(OriginBehavior(SeededBody(seed: 6, byteCount: 5000)), at: path)
    }
  }

  /// Decides about each delayed task in the same way, and records how it ended.
  private final class Judge: NSObject, URLSessionTaskDelegate, Sendable {
    typealias Decision = (URLSession.DelayedRequestDisposition, URLRequest?)
    let calls = Monitor<[String]>([])
    private let decision: Decision

    init(_ decision: Decision) { self.decision = decision }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
      completionHandler:
        @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
      calls.update { $0.append("asked \(task.taskIdentifier) \(request.url?.path ?? "")") }
      completionHandler(decision.0, decision.1)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      let code = (error as? URLError)?.code.rawValue ?? 0
      calls.update { $0.append("completed \(task.taskIdentifier) \(code)") }
    }
  }

  /// The same with an `async` method.
  private final class AsyncJudge: NSObject, URLSessionTaskDelegate, Sendable {
    let calls = Monitor<[String]>([])

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
      (.cancel, nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      calls.update { $0.append("completed \((error as? URLError)?.code.rawValue ?? 0)") }
    }
  }

  private func run(
    _ delegate: any URLSessionTaskDelegate & Sendable, _ calls: Monitor<[String]>
  ) async throws -> ([String], URLSessionTask) {
    let session = URLSession(
      configuration: home.configuration(), delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: try origin.address("/a.bin"))
    task.earliestBeginDate = Date(timeIntervalSinceNow: 1)
    task.resume()
    let all = try await calls.wait(for: "the end of the task", budgetMilliseconds: 30_000) {
      $0.last?.hasPrefix("completed") == true
    }
    return (all, task)
  }

  @Test func `a task continues with its own request`() async throws {
    let judge = Judge((.continueLoading, nil))
    #expect(try await run(judge, judge.calls).0 == ["asked 1 /a.bin", "completed 1 0"])
    #expect(origin.requests.map(\.path) == ["/a.bin"])
  }

  @Test func `a task begins with another request`() async throws {
    var other = URLRequest(url: try origin.address("/b.bin"))
    other.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
    let judge = Judge((.useNewRequest, other))
    let (calls, task) = try await run(judge, judge.calls)
    #expect(calls == ["asked 1 /a.bin", "completed 1 0"])
    #expect(origin.requests.map(\.path) == ["/b.bin"])
    #expect(origin.requests.first?.value(of: "Authorization") == "Bearer 1")
    #expect(task.originalRequest?.url == (try origin.address("/a.bin")))
    #expect(task.currentRequest?.url == (try origin.address("/b.bin")))
  }

  @Test func `a task is cancelled, also for a request that cannot be sent`() async throws {
    let ftp = URLRequest(url: try #require(URL(string: "ftp://127.0.0.1/a")))
    for decision: Judge.Decision in [(.cancel, nil), (.useNewRequest, ftp), (.useNewRequest, nil)] {
      let judge = Judge(decision)
      #expect(try await run(judge, judge.calls).0 == ["asked 1 /a.bin", "completed 1 -999"])
    }
    #expect(origin.requests.isEmpty)
  }

  @Test func `an async method is called where there is no other`() async throws {
    let judge = AsyncJudge()
    #expect(try await run(judge, judge.calls).0 == ["completed -999"])
  }
}
