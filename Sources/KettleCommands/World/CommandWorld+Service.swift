import KettleClient

extension CommandContext {
  /// Reconnects to the service if it still runs.
  func reconnection(for client: Caller) -> @Sendable () async throws -> any ServiceCalling {
    { [services, place] in
      try await services.connect(to: place, client: client, startIfNeeded: false)
    }
  }

  /// Connects to the service, runs `body`, and closes the connection.
  func withService<Answer>(
    for client: Caller, startIfNeeded: Bool = true,
    _ body: (any ServiceCalling) async throws -> Answer
  ) async throws -> Answer {
    let service = try await services.connect(
      to: place, client: client, startIfNeeded: startIfNeeded)
    do {
      let answer = try await body(service)
      await service.close()
      return answer
    } catch {
      await service.close()
      throw error
    }
  }
}
