import CKettleCurl
import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// The addresses that accepted a connection and then sent nothing, for each host.
///
/// A name with several addresses is useful only if one that does not work is left: a path that
/// drops large packets, or a sick machine behind a name, still accepts connections.
struct SilentAddresses {
  /// How long an address is left out.
  static let milliseconds: Int64 = 600_000
  /// More hosts are not remembered.
  static let hostCountMax = 1000

  private var ends: [String: [IPAddress: MonotonicTime]] = [:]

  var isEmpty: Bool { ends.isEmpty }

  func contains(_ address: IPAddress, of host: String, at now: MonotonicTime) -> Bool {
    ends[host]?[address].map { now < $0 } ?? false
  }

  mutating func record(_ address: IPAddress, of host: String, at now: MonotonicTime) {
    if ends.count >= Self.hostCountMax, ends[host] == nil {
      ends = ends.filter { $0.value.values.contains { now < $0 } }
      if ends.count >= Self.hostCountMax { return }
    }
    ends[host, default: [:]][address] = now.advanced(byMilliseconds: Self.milliseconds)
  }

  /// The address has sent something.
  mutating func recordAnswer(by address: IPAddress, of host: String) {
    guard ends[host]?.removeValue(forKey: address) != nil else { return }
    if ends[host]?.isEmpty == true { ends[host] = nil }
  }

  /// No other address of the host works, so all of them are tried again.
  mutating func forget(_ host: String) { ends[host] = nil }
}

/// The same for all threads of a transport.
final class SharedSilentAddresses: Sendable {
  private let table = Mutex(SilentAddresses())

  func contains(_ address: IPAddress, of host: String, at now: MonotonicTime) -> Bool {
    table.withLock { $0.contains(address, of: host, at: now) }
  }

  func record(_ address: IPAddress, of host: String, at now: MonotonicTime) {
    table.withLock { $0.record(address, of: host, at: now) }
  }

  func recordAnswer(by address: IPAddress, of host: String) {
    table.withLock { if !$0.isEmpty { $0.recordAnswer(by: address, of: host) } }
  }

  func forget(_ host: String) { table.withLock { $0.forget(host) } }
}

/// The move to another address of the host when the one in use accepts connections and sends
/// nothing.
extension CurlAttempt {
  /// Whether a request may be repeated at another address: its host is a name, and it changes
  /// nothing at the server.
  static func mayMove(_ request: AttemptRequest) -> Bool {
    let isSafe = request.content.map { $0.isPlainGET || $0.method == "HEAD" } ?? true
    let host = request.url.host
    return isSafe && !host.hasPrefix("[") && IPAddress(host) == nil
  }

  /// Since when a connection has been open on which nothing has come; nil if something has.
  private func silentSince(at now: MonotonicTime) -> MonotonicTime? {
    switch phase {
    case .connecting:
      // libcurl tells the time of the connection only after the handshake of TLS.
      guard isEstablished || connectedAddress != nil, !hasGreeted else { return nil }
      return addresses.accepted(at: now)
    case .awaitingHead(let since):
      return file == nil && firstHeadByteAt == nil && isRequestWhole ? since : nil
    case .headReported, .bodyHeld, .receiving, .blocked, .throttled, .decided: return nil
    }
  }

  /// Whether the server has sent anything before the request: its part of a handshake, or the
  /// greeting of FTP. A connection without either is about to send the request.
  private var hasGreeted: Bool {
    switch url.scheme {
    case .http: true
    case .ftp: file?.replies.last != nil
    case .https, .ftps, .sftp: isSecured
    }
  }

  /// When the silence of the address has to be judged; nil when it is not.
  var endOfPatience: MonotonicTime? {
    guard case .awaitingHead(let since) = phase, file == nil, firstHeadByteAt == nil else {
      return nil
    }
    return addresses.patienceMilliseconds.map { since.advanced(byMilliseconds: $0) }
  }

  /// Returns whether the address in use has been silent for so long that the others are to be
  /// looked up.
  func looksForAddress(at now: MonotonicTime) -> Bool {
    guard let patience = addresses.patienceMilliseconds, let since = silentSince(at: now),
      since.advanced(byMilliseconds: patience) <= now
    else { return false }
    addresses.lookUp()
    return true
  }

  /// What follows when the addresses of a host with a silent one are known.
  enum Move {
    /// It has no other address that may be used.
    case none
    /// Another one is connected to.
    case away(from: IPAddress)
    /// The others are known to be silent. The next attempt begins with one of them.
    case later(from: IPAddress)
  }

  /// Decides whether to leave the address in use, given those of the host.
  func move(among all: [IPAddress], at now: MonotonicTime) -> Move {
    guard silentSince(at: now) != nil, let silent = peer ?? connectedAddress else {
      addresses.settle()
      return .none
    }
    let others = all.filter {
      $0 != silent && addressGuard.scope(of: $0).reach >= addressGuard.minimumReach
    }
    let host = url.hostAndPort
    if others.contains(where: { !loop.silentAddresses.contains($0, of: host, at: now) }) {
      return .away(from: silent)
    }
    addresses.settle()
    return others.isEmpty ? .none : .later(from: silent)
  }

  /// Whether an address is not connected to because it has been silent. The data connection of FTP
  /// has to lead to the host of the control connection.
  func leavesOut(_ address: IPAddress) -> Bool {
    guard case .connecting = phase, file?.replies.last == nil,
      loop.silentAddresses.contains(address, of: url.hostAndPort, at: loop.now)
    else { return false }
    return addresses.leavesOut()
  }

  /// Prepares the handle for a connection to another address. It is not part of the multi handle
  /// meanwhile.
  func connectElsewhere() {
    addresses.move()
    beginConnection()
  }

  /// Prepares the handle for the addresses that were left out, because no other could be connected
  /// to. Returns false if none was.
  func takesSilentAddresses(after code: CURLcode) -> Bool {
    guard code != CURLE_OK, case .connecting = phase, addresses.takesSilentOnes() else {
      return false
    }
    loop.silentAddresses.forget(url.hostAndPort)
    beginConnection()
    return true
  }

  private func beginConnection() {
    phase = .connecting
    peer = nil
    headStartedAt = nil
    requestCount = 0
    judgement = .pending
    handshake = TLSHandshakeObserver()
    file?.replies.restart()
    _ = kettle_easy_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
  }

  /// The address of the connection that is being secured. The losers of the race are closed, and
  /// their numbers may belong to other connections by now.
  private var connectedAddress: IPAddress? {
    sockets.last { IPAddress(peerOf: $0.descriptor) == $0.address }?.address
  }
}

extension IPAddress {
  /// The address that a socket is connected to; nil for none.
  fileprivate init?(peerOf descriptor: Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getpeername(descriptor, $0, &length)
      }
    }
    guard result == 0 else { return nil }
    self.init(storage)
  }

  /// nil unless it is IPv4 or IPv6.
  init?(_ storage: sockaddr_storage) {
    let range: Range<Int>? =
      switch Int32(storage.ss_family) {
      case AF_INET: MemoryLayout<sockaddr_in>.offset(of: \.sin_addr).map { $0..<$0 + 4 }
      case AF_INET6: MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr).map { $0..<$0 + 16 }
      default: nil
      }
    guard let range else { return nil }
    let bytes = withUnsafeBytes(of: storage) { Array($0[range]) }
    self.init(bytes: bytes)
  }
}
