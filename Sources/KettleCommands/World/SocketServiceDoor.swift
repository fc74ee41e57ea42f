import Glibc
import KettleClient
import KettleControl

/// Reaches the service of this machine over its socket, and other machines over ssh.
package struct SocketServiceConnector: ServiceConnector {
  package init() {}

  package func connect(
    to place: ServiceAddress, client: Caller, startIfNeeded: Bool
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

  package func pipe(to place: ServiceAddress, startIfNeeded: Bool) async throws {
    let pipe = try ServicePipe.open(
      starter(of: place, "kettle daemon pipe"), startingIfNeeded: startIfNeeded)
    await pipe.run()
  }

  private func starter(of place: ServiceAddress, _ client: Caller) -> ServiceStarter {
    var starter = ServiceStarter(
      paths: .of(environment: place.environment), clientName: client.name)
    starter.isWatchedByPerson = client.isWatchedByPerson
    starter.environment = place.environment
    starter.arguments = place.serviceArguments
    return starter
  }

  package func socketPath(of place: ServiceAddress) -> String {
    place.host?.text ?? ServicePaths.of(environment: place.environment).socketPath
  }

  package func isSocketThere(of place: ServiceAddress) -> Bool {
    // Checking the other machine would take an ssh connection.
    guard place.host == nil else { return false }
    var status = stat()
    return lstat(socketPath(of: place), &status) == 0
  }
}
