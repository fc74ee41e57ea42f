/// The number of a host in its fleet.
package struct FleetHostID: RawRepresentable, Hashable, Sendable, Codable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }
}

package struct FleetHostRow: Hashable, Sendable, Codable {
  package var id: FleetHostID
  package var name: String
  package var labels: [String]
  package var take: Int
  package var version: String
  /// Until its lease ends; negative if it has ended.
  package var aliveForMilliseconds: Int64
  package var isDraining: Bool
  package var claimedCount: Int
  package var completedCount: Int
  package var bytesPerSecond: Int64
  package var freeBytes: Int64?
  package var shareCount: Int
}

extension FleetHostRow {
  /// A machine of a list of several without a fleet.
  package init(
    id: FleetHostID, name: String, aliveForMilliseconds: Int64, claimedCount: Int,
    completedCount: Int, bytesPerSecond: Int64, freeBytes: Int64?
  ) {
    self.init(
      id: id, name: name, labels: [], take: 0, version: "",
      aliveForMilliseconds: aliveForMilliseconds, isDraining: false, claimedCount: claimedCount,
      completedCount: completedCount, bytesPerSecond: bytesPerSecond, freeBytes: freeBytes,
      shareCount: 0)
  }
}

package struct FleetOriginRow: Hashable, Sendable, Codable {
  package var origin: String
  package var shares: Int
  package var connections: Int?
  package var queuedCount: Int
  /// The machines that hold its shares.
  package var machines: [String]
  package var opensInMilliseconds: Int64?
}

/// What `kettle fleet doctor` looks at.
package struct FleetHealth: Hashable, Sendable, Codable {
  package var schemaVersion: Int
  package var serverVersion: String
  /// The age of the oldest snapshot that keeps dead rows alive, and who holds it.
  package var oldestSnapshotSeconds: Int64
  package var oldestSnapshotHolder: String?
  package var deadRowCount: Int64
  package var liveRowCount: Int64
  package var connectionCount: Int
  package var connectionMax: Int
  /// The time of the database.
  package var now: WallTime
  package var hosts: [FleetHostRow]
  /// Claims of hosts whose lease has ended.
  package var orphanedCount: Int
  package var isReplica: Bool
  /// Whether commits wait until they are on disk.
  package var commitsAreDurable: Bool
  /// The object stores among the roots of this machine. The table does not know them.
  package var destinations: [FleetDestination]?
}

/// An object store to which files of the fleet go.
package struct FleetDestination: Hashable, Sendable, Codable {
  package enum Standing: Hashable, Sendable, Codable {
    case createsOnly
    /// It replaces an object although it is asked to create only.
    case replaces
    case failed(TransferFailure)
  }

  package var root: String
  package var standing: Standing

  package init(root: String, standing: Standing) {
    self.root = root
    self.standing = standing
  }
}
