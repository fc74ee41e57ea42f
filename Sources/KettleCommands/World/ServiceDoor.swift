import KettleClient

/// Connects commands to the service.
package protocol ServiceConnector: Sendable {
  /// Opens a connection and completes `hello`. If no service runs, starts one when `startIfNeeded`
  /// is set, else throws `ClientError.notRunning`.
  func connect(
    to place: ServiceAddress, client: Caller, startIfNeeded: Bool
  ) async throws -> any ServiceCalling

  /// Couples standard input and output with the service's socket until one of them ends.
  func pipe(to place: ServiceAddress, startIfNeeded: Bool) async throws

  /// The path on which the service of the place listens, whether or not it runs.
  func socketPath(of place: ServiceAddress) -> String

  /// Whether the socket exists in its directory. A service that ends cleanly removes it; one that
  /// was killed leaves it behind.
  func isSocketThere(of place: ServiceAddress) -> Bool
}

/// The identity of a client.
package struct Caller: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// Such as `kettle add`; for the log.
  package var name: String
  /// Whether a person is watching, so that the service need not notify them.
  package var isWatchedByPerson = false

  package init(_ name: String, isWatchedByPerson: Bool = false) {
    self.name = name
    self.isWatchedByPerson = isWatchedByPerson
  }

  package init(stringLiteral name: String) { self.init(name) }
}

/// Which service is meant; the environment determines its paths.
package struct ServiceAddress: Hashable, Sendable {
  package var environment: [String: String]
  /// The arguments with which this program becomes that service.
  package var serviceArguments: [String]
  /// The machine of the service; nil for this one.
  package var host: RemoteHost?
  /// Whether connecting may ask the user something on the terminal.
  package var mayAsk = true

  package init(
    environment: [String: String], serviceArguments: [String] = ["daemon", "run"],
    host: RemoteHost? = nil
  ) {
    self.environment = environment
    self.serviceArguments = serviceArguments
    self.host = host
  }
}
