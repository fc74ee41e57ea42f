import Foundation
import KettleControl
import KettleModel
import Testing

/// Runs a blocking call on a dedicated thread, so that a waiting test does not occupy one of the
/// few task threads that the awaited work may need.
private func offThread<Result: Sendable>(
  _ body: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}

extension FakeService {
  func added(_ number: Int64) async throws -> TransferSpec {
    try #require(await offThread { self.waitForAdd(of: number) })
  }

  @discardableResult
  func wait<Found: Sendable>(
    for match: @escaping @Sendable (ControlRequest) -> Found?
  ) async throws -> Found? {
    await offThread { self.wait(for: match) }
  }
}

extension Recorder {
  func wait(for call: String) async throws -> Bool {
    await offThread { self.wait(for: call) }
  }
}
