import KettleEngine
import KettleModel
import Testing
import TestSupport

/// How the download verifies that the rest belongs to the received bytes: with validators, and
/// where they are weak or missing, with the bytes themselves.
struct ValidatorTests {
  static let body = SeededBody(seed: 4, byteCount: 4 << 20)
  /// Enough for an overlap to be worth its round trip: fewer bytes are fetched again and compared.
  static let firstByteCount: Int64 = 1_500_000
  /// As long as `body`, so that only the bytes differ.
  static let other = SeededBody(seed: 5, byteCount: 4 << 20)

  enum Doubt: String, Sendable, CaseIterable {
    case weakTag, noValidator, weakDate, rotatingTag

    func applied(to body: SeededBody) -> OriginBehavior {
      OriginBehavior(body).with { behavior in
        behavior.bytesPerSecond = 16 << 20
        switch self {
        // The same for each version: a weak ETag promises only that versions are equivalent.
        case .weakTag:
          behavior.entityTag = .fixed("W/\"v\"")
          behavior.lastModified = nil
        case .noValidator:
          behavior.entityTag = .none
          behavior.lastModified = nil
        // Two writes within a second have the same date (RFC 9110, section 8.8.2.2).
        case .weakDate:
          behavior.entityTag = .none
          behavior.date = behavior.lastModified
        case .rotatingTag: behavior.entityTag = .rotating
        }
      }
    }
  }

  // Fault 13
  // Fault 14
  // Fault 15
  // Fault 17
  @Test(arguments: Doubt.allCases, [1, 8])
  func `without a strong validator the bytes themselves confirm an unchanged file`(
    doubt: Doubt, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let truth = doubt.applied(to: Self.body)
    let row = try await world.interruptedDownload(
      truth, connections: connections, byteCount: Self.firstByteCount
    ) { _ in truth }
    world.expectFile(of: row, is: Self.body)
    #expect(row.freshStart == nil)
    #expect(world.origin.requests.contains { $0.value(of: "Range") != nil }, "\(world.wire)")
  }

  // Fault 13
  // Fault 14
  // Fault 15
  @Test(arguments: Doubt.allCases, Interruption.allCases)
  func `different bytes without a strong validator cause a fresh start with a reason`(
    doubt: Doubt, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let row = try await world.interruptedDownload(
      doubt.applied(to: Self.body), by: interruption, byteCount: Self.firstByteCount
    ) { _ in doubt.applied(to: Self.other) }
    world.expectFile(of: row, is: Self.other)
    #expect(row.freshStart == .resourceChanged)
  }

  // Fault 13
  // Fault 14
  // Fault 15
  @Test(arguments: Doubt.allCases, [1, 8])
  func `too few bytes for an overlap are fetched again and compared`(
    doubt: Doubt, connections: Int
  ) async throws {
    let world = try await WireWorld()
    let truth = doubt.applied(to: Self.body)
    let row = try await world.interruptedDownload(truth, connections: connections) { _ in truth }
    world.expectFile(of: row, is: Self.body)
    let changed = try await WireWorld()
    let other = try await changed.interruptedDownload(truth, connections: connections) { _ in
      doubt.applied(to: Self.other)
    }
    changed.expectFile(of: other, is: Self.other)
    #expect(other.freshStart == .resourceChanged)
  }

  // Fault 13
  // Fault 14
  // Fault 15
  // Fault 17
  @Test(arguments: Doubt.allCases)
  func `versions without a strong validator are not spliced by eight connections`(
    doubt: Doubt
  ) async throws {
    let world = try await WireWorld()
    let row = try await world.interruptedDownload(
      doubt.applied(to: Self.body), connections: 8, byteCount: Self.firstByteCount
    ) { _ in doubt.applied(to: Self.other) }
    world.expectFile(of: row, is: Self.other)
  }

  // Fault 13
  @Test(arguments: Doubt.allCases)
  func `only a strong validator is sent in If-Range`(doubt: Doubt) async throws {
    let world = try await WireWorld()
    let truth = doubt.applied(to: Self.body)
    _ = try await world.interruptedDownload(truth, connections: 8) { _ in truth }
    for request in world.origin.requests {
      guard let condition = request.value(of: "If-Range") else { continue }
      #expect(doubt == .rotatingTag && condition.hasPrefix("\""), "\(condition)")
    }
  }

  // Fault 17
  @Test(arguments: [1, 8], Interruption.allCases)
  func `resuming with rotating ETags never fetches the whole body again`(
    connections: Int, interruption: Interruption
  ) async throws {
    let world = try await WireWorld()
    let truth = Doubt.rotatingTag.applied(to: Self.body)
    let row = try await world.interruptedDownload(
      truth, connections: connections, by: interruption, byteCount: Self.firstByteCount
    ) { _ in truth }
    world.expectFile(of: row, is: Self.body)
    #expect(row.freshStart == nil)
    #expect(row.hasOneEntityTag == nil)
    // Full responses caused by the stale If-Range were cut short; the rest came as ranges.
    let wholes = world.origin.requests.dropFirst().filter { $0.bytesSent == Self.body.byteCount }
    #expect(wholes.isEmpty, "\(world.wire)")
  }

  // Fault 17
  @Test func `a new download with rotating ETags completes without a fresh start`() async throws {
    let world = try await WireWorld()
    world.origin.serve(Doubt.rotatingTag.applied(to: Self.body), at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    world.expectFile(of: row, is: Self.body)
    #expect(row.freshStart == nil, "\(world.wire)")
  }

  // Fault 17
  @Test(arguments: 0..<8)
  func `a file that completes before the other connections respond is not fetched again`(
    round: Int
  ) async throws {
    // Not slowed down: the other ETags arrive together with the last bytes.
    let body = SeededBody(seed: UInt64(round), byteCount: 2 << 20)
    let world = try await WireWorld()
    world.origin.serve(
      OriginBehavior(body).with { $0.entityTag = .rotating }, at: WireWorld.path)
    let row = try await world.download(WireWorld.path) { $0.connections = 8 }
    world.expectFile(of: row, is: body)
    #expect(row.freshStart == nil, "\(world.wire)")
  }
}
