import KettleControl
import KettleEngine

/// The part of the service that works for a fleet.
protocol FleetWork: Sendable {
  /// Continues the membership of the last start of the service.
  func start() async
  func observe(_ event: EngineEvent)
  func end()
  func makeDoor(_ information: ServiceInformation) -> any FleetDoor
}

/// Handles requests about the fleet, and every request of a client that displays its queue.
protocol FleetDoor: Sendable {
  /// Called one or more times when a client has left.
  func leave(_ id: ClientID)

  /// Returns the reply line for a client whose list is the fleet's queue.
  func answer(
    _ request: ControlRequest, id: RequestID, for client: ConnectedClient
  ) async throws(ControlError) -> [UInt8]

  func manage(_ request: FleetRequest) async throws(ControlError) -> ManageFleet.Result
}

/// The door of a service that is built without fleets.
struct NoFleets: FleetDoor {
  private static let problem = ControlError(
    .fleet, "this kettle was built without fleets; build it with the trait Fleet")

  func leave(_ id: ClientID) {}

  func answer(
    _ request: ControlRequest, id: RequestID, for client: ConnectedClient
  ) async throws(ControlError) -> [UInt8] {
    throw Self.problem
  }

  func manage(_ request: FleetRequest) async throws(ControlError) -> ManageFleet.Result {
    throw Self.problem
  }
}
