import KettleControl
import KettleSocket
import KettleStarter
import Testing

/// A service whose replies come from the test.
final class ScriptedService: Sendable {
  typealias Answer = @Sendable (Exchange) async throws -> Void

  /// A request and the way to answer it.
  struct Exchange: Sendable {
    let id: RequestID
    let request: ControlRequest
    let connection: ControlConnection

    func reply(_ result: some Encodable & Sendable) async throws {
      try await connection.send(ReplyCoder().encode(result: result, to: id))
    }

    func refuse(_ error: ControlError) async throws {
      try await connection.send(ReplyCoder().encode(error: error, to: id))
    }

    func notify(_ notification: ControlNotification) async throws {
      try await connection.send(try #require(ReplyCoder().encode(notification)))
    }
  }

  private let listener: ControlListener
  private let serving: Task<Void, Never>

  /// Answers every `hello` unless `answersHello` is false, and passes the rest to `answer`.
  init(
    at socketPath: String, lockPath: String, answersHello: Bool = true,
    answer: @escaping Answer = { _ in }
  ) async throws {
    let lock = try #require(try ServiceLock.acquire(at: lockPath))
    let listener = try await ControlListener.start(at: socketPath, holding: lock)
    self.listener = listener
    serving = Task {
      await withTaskGroup(of: Void.self) { group in
        for await connection in listener.connections {
          group.addTask { await Self.serve(connection, answersHello: answersHello, answer) }
        }
      }
    }
  }

  convenience init(
    _ world: ClientWorld, answersHello: Bool = true, answer: @escaping Answer = { _ in }
  ) async throws {
    try await self.init(
      at: world.paths.socketPath, lockPath: world.paths.lockPath, answersHello: answersHello,
      answer: answer)
  }

  func close() async {
    await listener.close()
    await serving.value
  }

  private static func serve(
    _ connection: ControlConnection, answersHello: Bool, _ answer: Answer
  ) async {
    do {
      for try await line in connection.lines {
        guard case .request(let id, let request) = RequestCoder().decode(line) else { continue }
        let exchange = Exchange(id: id, request: request, connection: connection)
        if case .hello = request, answersHello {
          try await exchange.reply(Hello.Result())
        } else {
          try await answer(exchange)
        }
      }
    } catch {
      // The client left, or the test closed the connection.
    }
    await connection.close()
  }
}
