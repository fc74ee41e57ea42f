import KettleModel

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
