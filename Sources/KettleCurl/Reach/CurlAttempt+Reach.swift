import CKettleCurl
import Glibc
import KettleModel

// MARK: - Options

extension CurlAttempt {
  /// The proxy is the user's choice and may be anywhere; its destination is judged by the URL
  /// (`proxiedHostProblem`).
  func setReach(_ options: inout EasyOptions) {
    guard proxy == nil,
      addressGuard.minimumReach > .machine || addresses.patienceMilliseconds != nil
    else { return }
    options.set(CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
    options.check(kettle_easy_set_open_socket_function(easy, Self.onSocketWanted))
  }

  /// Why a proxy must not connect to the host of the URL; nil when it may.
  var proxiedHostProblem: TransferFailure? {
    guard proxy != nil else { return nil }
    let host = ProxiedHost(url.host)
    guard host.reach < addressGuard.minimumReach else { return nil }
    return TransferFailure(
      .redirectRefused, on: url.hostAndPort, detail: "to \(url.text), \(host.phrase)")
  }
}

// MARK: - Callbacks

extension CurlAttempt {
  /// CURLOPT_OPENSOCKETFUNCTION(3): libcurl has looked the name up and is about to connect to one
  /// of its addresses.
  private static let onSocketWanted: curl_opensocket_callback = { context, _, wanted in
    guard let attempt = CurlAttempt.of(context: context), let wanted,
      let address = IPAddress(wanted), attempt.allows(address)
    else { return CURL_SOCKET_BAD }
    let kind = wanted.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(wanted.pointee.family, kind, wanted.pointee.protocol)
    if descriptor >= 0 { attempt.sockets.append((descriptor, address)) }
    return descriptor
  }

  private func allows(_ address: IPAddress) -> Bool {
    loop.assertIsOnThread()
    return addressGuard.allows(address) && !leavesOut(address)
  }

  /// Returns whether the connection about to carry the request may be used, given its address:
  /// another transfer with a wider permission may have opened it.
  func allowsPeer(_ text: UnsafePointer<CChar>?) -> Bool {
    guard proxy == nil else { return true }
    peer = text.flatMap { IPAddress(String(cString: $0)) }
    guard addressGuard.minimumReach > .machine else { return true }
    return peer.map { addressGuard.allows($0) } ?? false
  }
}

// MARK: - Results

extension CurlAttempt {
  /// The reach of the server that sent the head.
  var serverReach: NetworkReach {
    if proxy != nil { return ProxiedHost(url.host).serverReach }
    // An unreadable address gets no trust.
    return peer.map { addressGuard.scope(of: $0).reach } ?? .world
  }

  /// Set when no address of the host was allowed.
  var addressRefusal: TransferFailure? {
    addressGuard.refusal.map { refusal in
      TransferFailure(
        .redirectRefused, on: url.hostAndPort,
        detail: "to \(url.text), which is at \(refusal.address), \(refusal.scope.phrase)")
    }
  }
}

extension IPAddress {
  /// Reads the address for which libcurl requests a socket; nil unless it is IPv4 or IPv6.
  init?(_ wanted: UnsafeMutablePointer<curl_sockaddr>) {
    guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    // `addr` is the beginning of a structure of `addrlen` bytes.
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(wanted) + start, count: Int(wanted.pointee.addrlen))
    let range: Range<Int>? =
      switch wanted.pointee.family {
      case AF_INET: MemoryLayout<sockaddr_in>.offset(of: \.sin_addr).map { $0..<$0 + 4 }
      case AF_INET6: MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr).map { $0..<$0 + 16 }
      default: nil
      }
    guard let range, range.upperBound <= bytes.count else { return nil }
    self.init(bytes: bytes[range])
  }
}
