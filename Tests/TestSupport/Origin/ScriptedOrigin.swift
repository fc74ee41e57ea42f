import Glibc
import KettleModel

/// A scripted HTTP server on the loopback interface that can violate the protocol and records what
/// it received. It uses raw sockets, because an HTTP library would enforce the protocol.
///
///     let origin = try ScriptedOrigin()
///     origin.serve(OriginBehavior(body), at: "/file.bin")
///     origin.serve([.status(503), OriginBehavior(body)], at: "/busy")  // 503 once
///     origin.serve(at: "/few") { $0.underWayCount > 4 ? .status(503) : OriginBehavior(body) }
///
/// It stops when its last reference is released.
package final class ScriptedOrigin: Sendable {
  /// 127.0.0.1, or another loopback address.
  package let host: String
  package let port: Int
  private let server: OriginServer

  /// - Parameters:
  ///   - lastByte: the last byte of its address 127.0.0.N.
  ///   - wanted: the port; 0 for a free one.
  ///   - sendBufferByteCount: SO_SNDBUF of every connection; nil leaves it to the kernel.
  ///   - receiveBufferByteCount: SO_RCVBUF, likewise.
  package init(
    lastByte: UInt8 = 1, port wanted: Int = 0, sendBufferByteCount: Int32? = nil,
    receiveBufferByteCount: Int32? = nil
  ) throws(OriginError) {
    server = try OriginServer(
      lastByte: lastByte, port: wanted, sendBufferByteCount: sendBufferByteCount,
      receiveBufferByteCount: receiveBufferByteCount)
    host = "127.0.0.\(lastByte)"
    port = server.port
  }

  deinit { server.stop() }

  /// The URL of a path on this server.
  package func url(_ path: String) throws -> TransferURL {
    try TransferURL.parse("http://\(host):\(port)\(path)").get().url
  }

  /// Uses this behavior for every request for `path`.
  package func serve(_ behavior: OriginBehavior, at path: String) {
    serve(at: path) { _ in behavior }
  }

  /// Uses the behaviors for the requests for `path` in order; the last one stays.
  package func serve(_ behaviors: [OriginBehavior], at path: String) {
    serve(at: path) { request in
      behaviors[min(request.numberForPath, behaviors.count) - 1]
    }
  }

  /// Calls `choose` for each request for `path`.
  package func serve(
    at path: String, _ choose: @escaping @Sendable (OriginRequest) -> OriginBehavior
  ) {
    server.log.update { $0.behaviors[path] = choose }
  }

  /// Redirects `count` times, from `path` via `path/1`, `path/2`, … to `location`.
  package func serveRedirects(
    _ count: Int, status: Int = 302, from path: String, to location: String
  ) {
    for step in 0..<count {
      let here = step == 0 ? path : "\(path)/\(step)"
      serve(
        .redirect(status, to: step == count - 1 ? location : "\(path)/\(step + 1)"), at: here)
    }
  }

  /// Releases everything that waits for `event`, now or later.
  package func release(_ event: String) { server.log.update { _ = $0.released.insert(event) } }

  /// Cuts every open connection.
  package func cutConnections(_ cut: OriginBehavior.Cut = .reset) { server.cutConnections(cut) }

  /// Ends new connections immediately while `count` are open; nil accepts all.
  package func limitConnections(to count: Int?, _ cut: OriginBehavior.Cut = .reset) {
    server.log.update { log in log.limit = count.map { ($0, cut) } }
  }

  /// Refuses connections from now on and cuts the open ones; the port stays unused.
  package func stop() { server.stop() }
}

// MARK: - Received requests

extension ScriptedOrigin {
  /// In the order of arrival.
  package var requests: [OriginRequest] { server.log.read { $0.requests } }

  package func requests(at path: String) -> [OriginRequest] {
    requests.filter { $0.path == path }
  }

  /// How often a file was requested from its first byte; other ranges use separate connections.
  package func beginnings(at path: String) -> Int {
    requests(at: path).count { $0.value(of: "Range")?.hasPrefix("bytes=0-") ?? true }
  }

  /// The number of accepted connections so far.
  package var connectionCount: Int { server.log.read { $0.connectionCount } }

  /// Body bytes over all requests, which shows the cost of a resume.
  package var bytesSent: Int64 { requests.reduce(0) { $0 + $1.bytesSent } }

  /// Waits for `count` requests, for `path` or for any path, and returns the last of them.
  @discardableResult
  package func waitForRequests(
    _ count: Int = 1, at path: String? = nil, budgetMilliseconds: Int64 = 20_000
  ) async throws -> OriginRequest {
    let isMeant: @Sendable (OriginRequest) -> Bool = { path == nil || $0.path == path }
    let log = try await server.log.wait(
      for: "request \(count) at \(path ?? "any path")", budgetMilliseconds: budgetMilliseconds
    ) { $0.requests.count(where: isMeant) >= count }
    return log.requests.filter(isMeant)[count - 1]
  }

  /// Waits for a request that meets the condition, and returns it.
  @discardableResult
  package func waitForRequest(
    _ what: String, budgetMilliseconds: Int64 = 20_000,
    where isMeant: @escaping @Sendable (OriginRequest) -> Bool
  ) async throws -> OriginRequest? {
    try await server.log.wait(for: what, budgetMilliseconds: budgetMilliseconds) {
      $0.requests.contains(where: isMeant)
    }.requests.first(where: isMeant)
  }

  /// Waits until no request is being answered.
  package func waitUntilIdle(budgetMilliseconds: Int64 = 20_000) async throws {
    try await server.log.wait(for: "an idle origin", budgetMilliseconds: budgetMilliseconds) {
      !$0.requests.contains { $0.progress == .answering }
    }
  }

  /// Waits until `byteCount` body bytes of a request for `path` have arrived.
  package func waitForBodyBytes(
    _ byteCount: Int64, at path: String, budgetMilliseconds: Int64 = 20_000
  ) async throws {
    try await server.log.wait(
      for: "\(byteCount) bytes taken at \(path)", budgetMilliseconds: budgetMilliseconds
    ) { $0.requests.contains { $0.path == path && $0.bodyByteCount >= byteCount } }
  }

  /// Waits until `byteCount` body bytes were sent for `path`, over all its requests.
  package func waitForBytesSent(
    _ byteCount: Int64, at path: String, budgetMilliseconds: Int64 = 20_000
  ) async throws {
    try await server.log.wait(
      for: "\(byteCount) bytes sent at \(path)", budgetMilliseconds: budgetMilliseconds
    ) { log in
      log.requests.filter { $0.path == path }.reduce(0) { $0 + $1.bytesSent } >= byteCount
    }
  }
}

/// The origin could not be set up.
package struct OriginError: Error {
  package var call: String
  package var errno: Int32
}
