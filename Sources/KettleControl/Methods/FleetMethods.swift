import KettleModel

/// Manages how this machine takes part in a fleet, and what applies to the whole fleet.
package enum ManageFleet: ControlMethod {
  package static let name = "fleet"
  package typealias Params = FleetRequest

  /// What the request asked for; the other members are absent.
  package struct Result: Codable, Hashable, Sendable {
    /// Without the secret. Absent if this machine is in no fleet.
    package var standing: FleetStanding?
    package var hosts: [FleetHostRow]?
    package var origins: [FleetOriginRow]?
    package var health: FleetHealth?

    package init(
      standing: FleetStanding? = nil, hosts: [FleetHostRow]? = nil,
      origins: [FleetOriginRow]? = nil, health: FleetHealth? = nil
    ) {
      self.standing = standing
      self.hosts = hosts
      self.origins = origins
      self.health = health
    }
  }
}

/// One of the requests of `ManageFleet`, as an object with one member: the name of the request,
/// with its parameters.
package enum FleetRequest: Codable, Hashable, Sendable {
  /// Makes the tables of a new fleet.
  case initialize(database: String)
  /// Joins, or changes how this machine takes part. Without a name it keeps the one that it has, or
  /// gets the name of the machine; without `take` it claims `takeUsual` transfers at most; without
  /// roots it puts files into its downloads directory. With `share`, a `ShareAddress`, it gives
  /// files that all machines want to the other ones.
  case join(
    database: String, name: String?, labels: [String], take: Int?, roots: [String],
    share: String? = nil)
  case leave(isDraining: Bool)
  case status
  case hosts
  case origins
  /// Sets the shares of an origin and the connections of all of them together; nil leaves it.
  case setOrigin(origin: String, shares: Int?, connections: Int?)
  /// nil lifts the limit.
  case limit(bytesPerSecond: Int64?)
  case drain(host: String, isDraining: Bool)
  case doctor

  package static let takeUsual = 20
  package static let takeMax = 10_000
  package static let sharesMax = 1000
  /// In place of a name or label: a copy for each machine.
  package static let allMachines = "all"
}

extension FleetRequest: BoundedParams {
  var problem: ControlError? {
    let part: String? =
      switch self {
      case .initialize(let database): Self.problem(of: database)
      case .join(let database, let name, let labels, let take, let roots, let share):
        Self.problem(of: database)
          ?? (([name].compactMap(\.self) + labels).allSatisfy(Self.isName) ? nil : "labels")
          ?? ((0...Self.takeMax).contains(take ?? 0) ? nil : "take")
          ?? (roots.allSatisfy(Self.isRoot) ? nil : "roots")
          ?? (share == nil || share.flatMap { ShareAddress($0) } != nil ? nil : "share")
      case .setOrigin(_, let shares, let connections):
        (1...Self.sharesMax).contains(shares ?? 1)
          ? (connections ?? 1 > 0 ? nil : "connections") : "shares"
      case .limit(let bytesPerSecond): bytesPerSecond ?? 1 > 0 ? nil : "bytesPerSecond"
      case .leave, .status, .hosts, .origins, .drain, .doctor: nil
      }
    return part.map { ControlError(.invalidParams, "params." + $0) }
  }

  /// A password would be stored, and shown in the list of processes.
  private static func problem(of database: String) -> String? {
    database.isEmpty || FleetDatabase(database).hasPassword ? "database" : nil
  }

  /// Whether a text can be the name or a label of a host. The word for all hosts is none.
  package static func isName(_ text: String) -> Bool {
    (1...100).contains(text.utf8.count) && text != allMachines
      && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
  }

  private static func isRoot(_ text: String) -> Bool {
    ObjectPrefix.isMeant(by: text) ? ObjectPrefix(text) != nil : text.hasPrefix("/")
  }
}
