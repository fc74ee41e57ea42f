import KettleEngine
import KettleModel
import Testing
import TestSupport

/// How a download is interrupted.
enum Interruption: Sendable, CaseIterable {
  /// The server closes every connection.
  case cut
  /// The user pauses it and starts it again.
  case pause
  /// The service stops and starts again.
  case restart
}

extension WireWorld {
  static let path = "/file.bin"
  /// The number of bytes that every connection gets before the interruption.
  static let firstByteCount: Int64 = 200_000
  /// How many bytes before a gap are compared with another server's.
  static let overlapByteCount: Int64 = 64 << 10

  /// Begins a download, and returns when its first bytes have arrived; no more follow.
  func begin(
    _ behavior: OriginBehavior, at path: String = WireWorld.path, connections: Int = 1,
    byteCount: Int64 = WireWorld.firstByteCount,
    _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferID {
    origin.serve(behavior.with { $0.stall = .init(after: byteCount, until: "never") }, at: path)
    let id = try await add(path) { spec in
      spec.connections = connections
      change(&spec)
    }
    try await wait("the first bytes", for: id) { $0.bytesReceived >= byteCount }
    return id
  }

  /// Interrupts a download that has begun, and resumes it from an origin that responds as `choose`
  /// says. `choose` gets each request, with `numberForPath` counted from the interruption.
  func goOn(
    _ id: TransferID, after interruption: Interruption, at path: String = WireWorld.path,
    _ choose: @escaping @Sendable (OriginRequest) -> OriginBehavior
  ) async throws {
    switch interruption {
    case .cut:
      serve(at: path, choose)
      origin.cutConnections(.reset)
    case .pause:
      await pause(id)
      #expect(row(of: id)?.state == .paused)
      serve(at: path, choose)
      await start(id)
    case .restart:
      try await restart(after: .shutDown) { serve(at: path, choose) }
    }
  }

  private func serve(
    at path: String, _ choose: @escaping @Sendable (OriginRequest) -> OriginBehavior
  ) {
    let before = origin.requests(at: path).count
    origin.serve(at: path) { request in
      var renumbered = request
      renumbered.numberForPath = max(request.numberForPath - before, 1)
      return choose(renumbered)
    }
  }

  /// Begins a download, interrupts it, resumes it, and waits for its end.
  func interruptedDownload(
    _ behavior: OriginBehavior, connections: Int = 1, by interruption: Interruption = .pause,
    byteCount: Int64 = WireWorld.firstByteCount,
    _ change: (inout TransferSpec) -> Void = { _ in },
    then choose: @escaping @Sendable (OriginRequest) -> OriginBehavior
  ) async throws -> TransferSnapshot {
    let id = try await begin(
      behavior, connections: connections, byteCount: byteCount, change)
    try await goOn(id, after: interruption, choose)
    return try await end(of: id)
  }
}

extension WireWorld {
  /// Expects that each request is for a range, and that none includes a byte that the interrupted
  /// download is known to have.
  ///
  /// - Parameter repeated: how many of its last bytes may be asked again, to compare them.
  func expectNothingHeldIsAskedAgain(
    _ requests: ArraySlice<OriginRequest>, exceptLast repeated: Int64 = 0,
    _ location: SourceLocation = #_sourceLocation
  ) {
    for request in requests {
      let lower = request.value(of: "Range")
        .flatMap { $0.split(separator: "=").last?.split(separator: "-").first }
        .flatMap { Int64($0) }
      #expect(
        (lower ?? 0) >= Self.firstByteCount - repeated, "#\(request.number); \(wire)",
        sourceLocation: location)
    }
  }
}
