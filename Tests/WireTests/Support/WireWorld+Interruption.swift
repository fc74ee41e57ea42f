import KettleEngine
import KettleModel
import Testing
import TestSupport

/// What cuts a download off in the middle.
enum Interruption: Sendable, CaseIterable {
  /// The server ends every connection.
  case cut
  /// The user pauses and starts it again.
  case pause
  /// The service ends and is started again.
  case restart
}

extension WireWorld {
  static let path = "/file.bin"
  /// What every connection gets before the interruption.
  static let firstByteCount: Int64 = 200_000

  /// Begins a download, and returns when some of its bytes are there; more do not come.
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

  /// Interrupts a download that has begun, and lets it go on at an origin that does as `choose`
  /// says from then on; it is given each request, with `numberForPath` counted from there.
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

  /// The whole of it: begun, interrupted, gone on, ended.
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
  /// Each of the requests asks for a range, and none for a byte of those that the interrupted
  /// download is known to hold.
  func expectNothingHeldIsAskedAgain(
    _ requests: ArraySlice<OriginRequest>, _ location: SourceLocation = #_sourceLocation
  ) {
    for request in requests {
      let lower = request.value(of: "Range")
        .flatMap { $0.split(separator: "=").last?.split(separator: "-").first }
        .flatMap { Int64($0) }
      #expect(
        (lower ?? 0) >= Self.firstByteCount, "#\(request.number); \(wire)",
        sourceLocation: location)
    }
  }
}
