import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct TransferAdderTests {
  private func request(_ number: Int) throws -> AddRequest {
    let url = try TransferURL.parse("https://example.org/\(number)").get().url
    return AddRequest([TransferSpec(url: url)])
  }

  /// Replies only when the test requests it, and counts the pending requests.
  private final class SlowService: ServiceCalling {
    private struct State {
      var asked: [String] = []
      var answers: [Result<AddTransfers.Result, any Error>] = []
      var waiting: [CheckedContinuation<AddTransfers.Result, any Error>] = []
    }

    private let state = Mutex(State())
    let notifications = AsyncStream<ControlNotification> { $0.finish() }
    let instance: String? = "a"
    /// Yields for each request.
    let questions: AsyncStream<Int>
    private let question: AsyncStream<Int>.Continuation

    init() { (questions, question) = AsyncStream.makeStream() }

    var asked: [String] { state.withLock { $0.asked } }

    func call<Method: ControlMethod>(
      _ method: Method.Type, _ params: Method.Params
    ) async throws -> Method.Result {
      try await send(method, params).answer()
    }

    func send<Method: ControlMethod>(
      _ method: Method.Type, _ params: Method.Params
    ) async throws -> PendingReply<Method.Result> {
      guard let params = params as? AddTransfers.Params else {
        throw ControlError(.methodNotFound, Method.name)
      }
      let count = state.withLock { state in
        state.asked += params.transfers.map(\.url.path)
        return state.asked.count
      }
      question.yield(count)
      return PendingReply {
        let result = try await self.next()
        guard let result = result as? Method.Result else {
          throw ControlError(.methodNotFound, Method.name)
        }
        return result
      }
    }

    func answer(_ result: Result<AddTransfers.Result, any Error>) {
      let waiting = state.withLock { state in
        if state.waiting.isEmpty { state.answers.append(result) }
        return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      }
      waiting?.resume(with: result)
    }

    private func next() async throws -> AddTransfers.Result {
      try await withCheckedThrowingContinuation { continuation in
        let answer: Result<AddTransfers.Result, any Error>? = state.withLock { state in
          if state.answers.isEmpty { state.waiting.append(continuation) }
          return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        if let answer { continuation.resume(with: answer) }
      }
    }

    func close() async {}
  }

  private func result(_ number: Int64) -> Result<AddTransfers.Result, any Error> {
    .success(AddTransfers.Result(ids: [TransferID(rawValue: number)]))
  }

  @Test func `a limited number of requests is sent before the first reply`()
    async throws
  {
    let service = SlowService()
    let requests = try (1...7).map { try request($0) }
    async let told = collect(service, requests)
    for await count in service.questions where count == 4 { break }
    #expect(service.asked == ["/1", "/2", "/3", "/4"])
    for number in 1...7 { service.answer(result(Int64(number))) }
    #expect(try await told.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
    #expect(service.asked.count == 7)
  }

  @Test func `after a refusal nothing else is sent, and earlier additions are reported`()
    async throws
  {
    let service = SlowService()
    let requests = try (1...7).map { try request($0) }
    service.answer(result(1))
    service.answer(.failure(ControlError(.cannotKeep, "disk full")))
    for number in 3...5 { service.answer(result(Int64(number))) }
    let told = Mutex<[Int64]>([])
    await #expect(throws: ControlError(.cannotKeep, "disk full")) {
      try await TransferAdder(service: service).add(requests) { ids, _ in
        told.withLock { $0 += ids.map(\.rawValue) }
      }
    }
    #expect(told.withLock { $0 } == [1, 3, 4, 5])
    #expect(service.asked.count == 5)
  }

  @Test func `a reply with the wrong number of ids is an error`() async throws {
    let service = SlowService()
    service.answer(.success(AddTransfers.Result(ids: [])))
    await #expect(throws: ControlError(.internalError, AddTransfers.name)) {
      _ = try await TransferAdder(service: service).add([TransferSpec(url: url())])
    }
  }

  @Test func `unanswered requests are resent over a new connection`() async throws {
    let (first, second) = (SlowService(), SlowService())
    let requests = try (1...5).map { try request($0) }
    first.answer(result(1))
    for _ in 2...5 { first.answer(.failure(ClientError.connectionLost)) }
    for number in 2...5 { second.answer(result(Int64(number))) }
    let adder = TransferAdder(service: first) { second }
    let told = Mutex<[Int64]>([])
    try await adder.add(requests) { ids, _ in told.withLock { $0 += ids.map(\.rawValue) } }
    #expect(told.withLock { $0 } == [1, 2, 3, 4, 5])
    #expect(second.asked == ["/2", "/3", "/4", "/5"])
  }

  private func url() throws -> TransferURL { try TransferURL.parse("https://a.example/").get().url }

  private func collect(
    _ service: SlowService, _ requests: [AddRequest]
  ) async throws -> [TransferID] {
    var all: [TransferID] = []
    try await TransferAdder(service: service).add(requests) { ids, _ in all += ids }
    return all
  }
}
