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

/// Answers requests about the fleet, and all requests of clients that display its queue.
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
    .fleet, "this kettle is built without fleets, the trait Fleet of its package adds them")

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
