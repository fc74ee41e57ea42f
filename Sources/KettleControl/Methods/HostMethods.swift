import KettleModel

/// Lists the hosts with connections, queued transfers, learned limits or outages.
package enum ListHosts: ControlMethod {
  package static let name = "hosts.list"
  package typealias Params = Nothing

  package struct Result: Codable, Hashable, Sendable {
    /// By name.
    package var hosts: [HostSnapshot]

    package init(hosts: [HostSnapshot]) { self.hosts = hosts }
  }
}

/// Forgets what was learned about a host: its limit, its pause, its outage and a rejected login.
/// It may be contacted at once.
package enum ResetHost: ControlMethod {
  package static let name = "hosts.reset"

  package struct Params: Codable, Hashable, Sendable {
    /// A host, a host and port, or an origin.
    package var host: String

    package init(host: String) { self.host = host }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// The origins about which something was known.
    package var origins: [String]

    package init(origins: [String]) { self.origins = origins }
  }
}

/// Forgets what the user has decided for a host: its login and the certificates that are trusted.
/// A running transfer keeps them until it is started again.
package enum ForgetHost: ControlMethod {
  package static let name = "hosts.forget"
  package typealias Params = ResetHost.Params
  package typealias Result = ResetHost.Result
}
