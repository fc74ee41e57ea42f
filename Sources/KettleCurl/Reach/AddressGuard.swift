import CKettleCurl
import Glibc
import KettleModel

/// Decides which addresses an attempt may connect to, and remembers the first refusal.
///
/// A name does not reveal where it leads: the redirecting server chooses what it resolves to. So
/// each numeric address is judged when a socket for it is about to be created.
struct AddressGuard {
  struct Refusal: Equatable {
    var address: IPAddress
    var scope: AddressScope
  }

  /// Addresses with a smaller reach are refused.
  let minimumReach: NetworkReach
  /// Addresses that differ from the registries (`CurlSettings.knownScopes`).
  private let knownScopes: [IPAddress: AddressScope]
  /// The first refused address; nil when there was none, or another one was allowed.
  private(set) var refusal: Refusal?
  private var hasAllowed = false

  init(minimumReach: NetworkReach, knownScopes: [IPAddress: AddressScope] = [:]) {
    self.minimumReach = minimumReach
    self.knownScopes = knownScopes
  }

  func scope(of address: IPAddress) -> AddressScope {
    knownScopes[address] ?? AddressScope(of: address)
  }

  /// Returns whether a connection to the address may be used. If a name has several addresses, the
  /// refused ones are skipped.
  mutating func allows(_ address: IPAddress) -> Bool {
    let scope = scope(of: address)
    guard scope.reach < minimumReach else {
      hasAllowed = true
      refusal = nil
      return true
    }
    if !hasAllowed, refusal == nil { refusal = Refusal(address: address, scope: scope) }
    return false
  }
}

/// How an attempt leaves an address that accepts connections and sends nothing.
struct AddressChoice {
  private enum State {
    /// Addresses that are known to be silent are left out.
    case choosing
    /// The address in use is silent, and the other ones are being looked up.
    case lookingUp
    /// The attempt waits as long as it may: no other address is left.
    case settled
  }

  /// How long the first address may be silent; each further one may be for twice as long.
  static let patienceMilliseconds: Int64 = 10_000
  /// A server that thinks for long is not asked at each of its addresses.
  static let moveCountMax = 3

  private var state: State
  private var moveCount = 0
  /// Whether an address was left out since the connection was begun.
  private var hasLeftOut = false
  /// When the address was seen to have accepted the connection.
  private var acceptedAt: MonotonicTime?
  private let idleMilliseconds: Int64

  /// - Parameters:
  ///   - isPossible: whether the request may be repeated at another address of the host.
  ///   - idleMilliseconds: after which time of silence the attempt ends.
  init(isPossible: Bool, idleMilliseconds: Int64) {
    state = isPossible ? .choosing : .settled
    self.idleMilliseconds = idleMilliseconds
  }

  /// How long the address in use may be silent; nil when it is not left.
  var patienceMilliseconds: Int64? {
    guard case .choosing = state, moveCount < Self.moveCountMax else { return nil }
    return min(Self.patienceMilliseconds << Int64(moveCount), max(idleMilliseconds / 2, 1))
  }

  /// Called while the connection is accepted and nothing has come. Returns since when.
  mutating func accepted(at now: MonotonicTime) -> MonotonicTime {
    acceptedAt = acceptedAt ?? now
    return acceptedAt ?? now
  }

  mutating func lookUp() { state = .lookingUp }

  /// There is no other address.
  mutating func settle() { state = .settled }

  /// Another address is connected to.
  mutating func move() {
    state = .choosing
    moveCount += 1
    hasLeftOut = false
    acceptedAt = nil
  }

  /// Returns whether an address that is known to be silent is left out.
  mutating func leavesOut() -> Bool {
    guard case .choosing = state else { return false }
    hasLeftOut = true
    return true
  }

  /// No address that is not silent could be connected to. Returns whether to try the silent ones.
  mutating func takesSilentOnes() -> Bool {
    guard hasLeftOut else { return false }
    hasLeftOut = false
    acceptedAt = nil
    state = .settled
    return true
  }
}

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
