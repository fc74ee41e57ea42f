import ControlProtocol
import Foundation
import TransferModel

/// Runs what blocks on a thread of its own, so that a waiting test does not hold one of the few
/// threads of tasks that what it waits for may need.
private func offThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}

extension FakeService {
  func added(_ number: Int64) async throws -> TransferSpec {
    try await offThread { try self.added(number) }
  }

  @discardableResult
  func wait<Found: Sendable>(
    for match: @escaping @Sendable (ControlRequest) -> Found?
  ) async throws -> Found? {
    try await offThread { self.wait(for: match) }
  }
}

extension Recorder {
  func wait(for call: String) async throws -> Bool {
    try await offThread { self.wait(for: call) }
  }
}
