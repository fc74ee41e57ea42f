import KettleModel
import KettleScheduler

/// Requests about hosts.
extension TransferEngine {
  /// Every host that matters now, by name.
  package func hosts() -> [HostSnapshot] { scheduler.hosts(at: clock.now()) }

  /// Forgets what was learned about the hosts with this name.
  ///
  /// - Parameter name: a host, a host and port, or an origin.
  /// - Returns: the origins about which something was known.
  package func resetHosts(named name: String) -> [String] {
    let now = clock.now()
    let (origins, output) = scheduler.resetHosts(named: name, at: now)
    run(output, at: now)
    return origins
  }
}
