import KettleModel

/// Decides which addresses an attempt may connect to, and remembers what it refused.
///
/// A name says nothing about where it leads: the server that redirects chooses what it resolves to.
/// So each numeric address is judged, when a socket for it is about to be made.
struct AddressGuard {
  struct Refusal: Equatable {
    var address: IPAddress
    var scope: AddressScope
  }

  /// Addresses with less reach are refused.
  let minimumReach: NetworkReach
  /// Addresses that are not what the registries say (`CurlSettings.knownScopes`).
  private let knownScopes: [IPAddress: AddressScope]
  /// The first address that was refused; nil when none was, or another one was allowed.
  private(set) var refusal: Refusal?
  private var hasAllowed = false

  init(minimumReach: NetworkReach, knownScopes: [IPAddress: AddressScope] = [:]) {
    self.minimumReach = minimumReach
    self.knownScopes = knownScopes
  }

  func scope(of address: IPAddress) -> AddressScope {
    knownScopes[address] ?? AddressScope(of: address)
  }

  /// Returns whether a connection to the address may be used. Where a name has several addresses,
  /// those that are refused are skipped.
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
