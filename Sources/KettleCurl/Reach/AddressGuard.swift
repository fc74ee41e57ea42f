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
