import Glibc
import KettleClient
import KettleControl

/// Connects commands to the service.
package protocol ServiceDoor: Sendable {
  /// Opens a connection and completes `hello`. If no service runs, starts one when `startIfNeeded`
  /// is set, else throws `ClientError.notRunning`.
  func connect(
    to place: ServicePlace, client: Caller, startIfNeeded: Bool
  ) async throws -> any ServiceCalling

  /// Couples standard input and output with the service's socket until one of them ends.
  func pipe(to place: ServicePlace, startIfNeeded: Bool) async throws

  /// The path on which the service of the place listens, whether or not it runs.
  func socketPath(of place: ServicePlace) -> String

  /// Whether the socket exists in its directory. A service that ends cleanly removes it; one that
  /// was killed leaves it behind.
  func isSocketThere(of place: ServicePlace) -> Bool
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
package struct ServicePlace: Hashable, Sendable {
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

/// Reaches the service of this machine over its socket, and other machines over ssh.
package struct SocketServiceDoor: ServiceDoor {
  package init() {}

  package func connect(
    to place: ServicePlace, client: Caller, startIfNeeded: Bool
  ) async throws -> any ServiceCalling {
    if let host = place.host {
      var starter = RemoteStarter(
        host: host, clientName: client.name, environment: place.environment)
      starter.isWatchedByPerson = client.isWatchedByPerson
      starter.mayAsk = place.mayAsk
      return try await starter.connect(startingIfNeeded: startIfNeeded)
    }
    return try await starter(of: place, client).connect(startingIfNeeded: startIfNeeded)
  }

  package func pipe(to place: ServicePlace, startIfNeeded: Bool) async throws {
    let pipe = try ServicePipe.open(
      starter(of: place, "kettle daemon pipe"), startingIfNeeded: startIfNeeded)
    await pipe.run()
  }

  private func starter(of place: ServicePlace, _ client: Caller) -> ServiceStarter {
    var starter = ServiceStarter(
      places: .of(environment: place.environment), clientName: client.name)
    starter.isWatchedByPerson = client.isWatchedByPerson
    starter.environment = place.environment
    starter.arguments = place.serviceArguments
    return starter
  }

  package func socketPath(of place: ServicePlace) -> String {
    place.host?.text ?? ServicePlaces.of(environment: place.environment).socketPath
  }

  package func isSocketThere(of place: ServicePlace) -> Bool {
    // Checking the other machine would take an ssh connection.
    guard place.host == nil else { return false }
    var status = stat()
    return lstat(socketPath(of: place), &status) == 0
  }
}
