/// Whether this machine has a way to other machines.
package enum NetworkState: Sendable, Hashable {
  /// An interface that is up has a route that is not only for this machine.
  case present
  case absent
}
