import KettleFleet
import KettleModel

/// The part of the service that takes part in a fleet, as requests of clients use it.
protocol FleetService: Sendable {
  /// How this machine stands in its fleet; nil if it is in none.
  var standing: FleetStanding? { get }

  /// Makes the tables of a new fleet. Does nothing if they are there.
  func initialize(database: String) async throws(FleetError)

  /// Joins a fleet, or changes how this machine takes part in it.
  func join(_ settings: FleetSettings) async throws(FleetError)

  /// Gives back what this machine has claimed, and forgets the fleet. With `isDraining`, it first
  /// finishes what runs, and the answer comes at once.
  func leave(isDraining: Bool) async throws(FleetError)

  /// Asks the fleet's queue, on a thread that may block. Throws `notInitialized` if this machine is
  /// in no fleet.
  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (any FleetBoard) throws(FleetError) -> Answer
  ) async throws(FleetError) -> Answer
}
