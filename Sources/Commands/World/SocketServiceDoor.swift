import ControlProtocol
import Glibc
import TransferClient

/// The service of this machine, over its socket.
package struct SocketServiceDoor: ServiceDoor {
  package init() {}

  package func connect(
    to place: ServicePlace, client: Caller, startIfNeeded: Bool
  ) async throws -> any ServiceCalling {
    var starter = ServiceStarter(
      places: .of(environment: place.environment), clientName: client.name)
    starter.isWatchedByPerson = client.isWatchedByPerson
    starter.environment = place.environment
    starter.arguments = place.serviceArguments
    return try await starter.connect(startingIfNeeded: startIfNeeded)
  }

  package func socketPath(of place: ServicePlace) -> String {
    ServicePlaces.of(environment: place.environment).socketPath
  }

  package func isSocketThere(of place: ServicePlace) -> Bool {
    var status = stat()
    return lstat(socketPath(of: place), &status) == 0
  }
}
