import KettleEngine
import KettleModel
import KettleScheduler
import Testing
import TestSupport

/// Every combination of status, validator, length, Content-Range and framing, against one engine.
struct ReplyCombinationTests {
  // Fault 1
  // Fault 3
  // Fault 6
  // Fault 7
  // Fault 11
  // Fault 12
  // Fault 13
  // Fault 18
  // Fault 26
  // Fault 27
  // Fault 28
  @Test func `every combination of reply fields yields the right file or none`() async throws {
    let world = try await WireWorld { configuration in
      configuration.retryPolicy.retryCountMax = 4
      configuration.limits.runningMax = 48
      configuration.limits.connectionsPerHostMax = 48
    }
    let combinations = ReplyCombination.all
    for combination in combinations {
      world.origin.serve(at: combination.path) { combination.answer($0) }
    }
    let specs = try combinations.map { TransferSpec(url: try world.origin.url($0.path)) }
    let ids = try await world.engine.add(specs)
    try await wait(for: ids, in: world) { $0.state.isFinished || $0.reason?.needsUser == true }
    for (id, combination) in zip(ids, combinations) {
      try await expect(combination, id, in: world)
    }

    // The kept bytes are valid for a resume, whatever the server said in between.
    let failed = zip(ids, combinations).filter { world.row(of: $0.0)?.state != .completed }
    for (_, combination) in failed {
      let truth = OriginBehavior(combination.known).with { $0.entityTag = .fixed("\"a\"") }
      world.origin.serve(truth, at: combination.path)
    }
    _ = await world.engine.control(.start, failed.map(\.0))
    try await wait(for: failed.map(\.0), in: world) { $0.state == .completed }
    for (id, combination) in failed {
      let row = try #require(world.row(of: id))
      let difference = try combination.known.difference(fromFileAt: #require(row.path))
      #expect(difference == nil, "\(combination)")
    }
  }

  private func wait(
    for ids: [TransferID], in world: WireWorld,
    until isMet: @escaping @Sendable (TransferSnapshot) -> Bool
  ) async throws {
    try await world.told.wait(for: "all of them", budgetMilliseconds: 240_000) { told in
      ids.allSatisfy { told.rows[$0].map(isMet) ?? false }
    }
  }

  private func expect(
    _ combination: ReplyCombination, _ id: TransferID, in world: WireWorld
  ) async throws {
    let row = try #require(world.row(of: id))
    let said = "\(combination): \(row.state) \(row.error?.sentence ?? "")"
    switch combination.outcome {
    case .file(let body):
      #expect(row.state == .completed, "\(said)")
      guard let path = row.path, row.state == .completed else { return }
      let difference = body.difference(fromFileAt: path)
      #expect(difference == nil, "\(combination)")
      return
    case .contradiction:
      #expect(row.error?.code == .contradictoryReply, "\(said)")
      if combination.holdsBytes {
        #expect(row.bytesReceived == ReplyCombination.heldByteCount, "\(said)")
      }
    case .noFile: break
    }
    #expect(row.state == .failed, "\(said)")
    guard let held = try await world.record(of: id).resumeData else { return }
    for range in held.durable.ranges {
      let isRight = combination.known.matches(
        fileAt: held.partialPath, in: range.lower..<range.upper)
      #expect(isRight, "\(combination) holds wrong bytes in \(range.lower)..<\(range.upper)")
    }
  }
}
