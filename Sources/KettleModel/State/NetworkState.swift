/// Whether this machine can reach other machines.
package enum NetworkState: Sendable, Hashable {
  /// An interface that is up has a route beyond this machine.
  case present
  case absent
}
