import KettleClient

/// The way to the service.
package protocol ServiceDoor: Sendable {
  /// Opens a conversation, past `hello`. Starts the service when none runs and that is asked for,
  /// else throws `ClientError.notRunning`.
  func connect(
    to place: ServicePlace, client: Caller, startIfNeeded: Bool
  ) async throws -> any ServiceCalling

  /// Couples standard input and output with the socket of the service, until one of them ends.
  func pipe(to place: ServicePlace, startIfNeeded: Bool) async throws

  /// Where the service of the place listens, whether or not it runs.
  func socketPath(of place: ServicePlace) -> String

  /// Whether the socket stands in its directory. A service that ends in order takes it away, one
  /// that was killed leaves it behind.
  func isSocketThere(of place: ServicePlace) -> Bool
}

/// Who talks to the service.
package struct Caller: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// `kettle add`, for the log.
  package var name: String
  /// Whether a person looks on, so that the service need not tell them what happens.
  package var isWatchedByPerson = false

  package init(_ name: String, isWatchedByPerson: Bool = false) {
    self.name = name
    self.isWatchedByPerson = isWatchedByPerson
  }

  package init(stringLiteral name: String) { self.init(name) }
}

/// Which service is meant: its places follow from the environment.
package struct ServicePlace: Hashable, Sendable {
  package var environment: [String: String]
  /// What this program is called with to become that service.
  package var serviceArguments: [String]
  /// The machine that it is on, where that is another one.
  package var host: RemoteHost?
  /// Whether the way there may ask the user something on the terminal.
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
