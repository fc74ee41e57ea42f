import KettleControl
import KettleDashboard
import KettleModel

/// What is wrong with words about a fleet.
package enum FleetProblem: Hashable, Sendable {
  /// The database is written with a password.
  case password
  /// Not a name or label of a machine.
  case name(String)
  case number(option: String, ClosedRange<Int>)
  /// A relative path for another machine.
  case root(String)
  /// Shares or connections without an origin.
  case noOrigin
  case onWithoutFleet
  /// Not an address at which a machine can give files.
  case share(String)
  /// After `--fleet`.
  case notOffered(command: String)
}

extension Sentences {
  static func of(_ problem: FleetProblem) -> String {
    switch problem {
    case .password:
      "Write the database without its password, which others could see; put the password into "
        + "~/.pgpass, into the file that PGPASSFILE names, or into a service file (service=NAME)"
    case .name(let text):
      "\(quoted(text)) is no name for a machine; use up to 100 letters, digits, \"-\", \"_\" and "
        + "\".\", and not \"all\""
    case .number(let option, let range):
      "\(option) takes a number from \(range.lowerBound) to \(range.upperBound)"
    case .root(let path):
      "\(quoted(path)) is on the other machine; write the whole path, from the slash"
    case .noOrigin: "Whose shares or connections? Name the host, as in \"kettle fleet origin HOST\""
    case .onWithoutFleet: "--on names machines of a fleet; write \"kettle add --fleet --on NAME\""
    case .share(let text):
      "\(quoted(text)) is no address at which other machines reach this one; write one of its "
        + "addresses with a port, as in 10.0.0.5:7070"
    case .notOffered(let command):
      "\"kettle \(command)\" is for the list of one machine; leave --fleet out"
    }
  }

  // MARK: Taking part

  static func fleetIsReady(_ database: FleetDatabase) -> String {
    "The fleet \(quoted(database.name)) is ready; \"kettle fleet join\" lets a machine work on it"
  }

  static func joined(_ standing: FleetStanding) -> String {
    let (settings, take) = (standing.settings, standing.settings.take)
    let work = take > 0 ? "claims up to \(take) downloads" : "only adds and watches"
    return "This machine is \(quoted(settings.name)) in the fleet "
      + "\(quoted(FleetDatabase(settings.database).name)) and \(work)"
  }

  static let leftFleet = "This machine has left its fleet"
  static let leavesFleetLater = "This machine leaves its fleet when what it downloads is done"

  static func standing(_ standing: FleetStanding, _ clock: any CommandClock) -> [String] {
    let settings = standing.settings
    var lines = [joined(standing)]
    if !settings.labels.isEmpty { lines.append("Labels: \(list(settings.labels))") }
    lines.append("Roots: \(list(settings.roots))")
    if let address = settings.shareAddress { lines.append("Gives files at: \(list([address]))") }
    let draining = standing.isDraining ? "; it claims nothing more" : ""
    lines.append("Claimed: \(CountText.text(standing.claimedCount))\(draining)")
    if let problem = standing.problem {
      let since = standing.silentSince.map { " since \(time($0, clock))" } ?? ""
      lines.append("No answer\(since): \(problem.sanitizedForDisplay(limit: 400))")
    }
    return lines
  }

  private static func list(_ texts: [String]) -> String {
    texts.map { $0.sanitizedForDisplay(limit: 400) }.joined(separator: ", ")
  }

  // MARK: Machines and origins

  static let noMachines = "No machine has joined the fleet"
  static let noOrigins = "The queue of the fleet is empty"

  static func noOrigin(_ origin: String) -> String {
    "The fleet knows nothing about \(quoted(origin))"
  }

  static func of(_ host: FleetHostRow) -> String {
    let labels = host.labels.isEmpty ? "" : " (\(list(host.labels)))"
    let claimed = "\(CountText.text(host.claimedCount)) of \(CountText.text(host.take)) claimed"
    let name = host.name.sanitizedForDisplay(limit: 100) + labels
    if host.isLost { return "\(name): \(Strings.isLost(host)), \(claimed)" }
    let parts = [
      host.isDraining ? Strings.isDraining : nil, claimed,
      "\(CountText.text(host.completedCount)) done",
      host.bytesPerSecond > 0 ? ByteText.speed(host.bytesPerSecond) : nil,
      host.freeBytes.map { ByteText.size($0) + " free" },
    ]
    return "\(name): " + parts.compactMap(\.self).joined(separator: ", ")
  }

  static func of(_ origin: FleetOriginRow) -> String {
    let parts = [
      origin.shares == 1 ? "1 share" : "\(origin.shares) shares",
      origin.connections.map { $0 == 1 ? "1 connection" : "\($0) connections" },
      "\(CountText.text(origin.queuedCount)) queued",
      origin.machines.isEmpty ? nil : "used by \(list(origin.machines))",
      origin.opensInMilliseconds.flatMap { wait in
        wait > 0 ? "not before \(DurationText.countdown(wait / 1000))" : nil
      },
    ]
    return origin.origin.sanitizedForDisplay(limit: 300) + ": "
      + parts.compactMap(\.self).joined(separator: ", ")
  }

  static func limitedFleet(_ bytesPerSecond: Int64?) -> String {
    bytesPerSecond.map { "All machines together: at most \(ByteText.limit($0))" }
      ?? "All machines together: no limit"
  }

  static func drained(_ name: String) -> String {
    "\(quoted(name)) finishes what it has claimed; \"kettle fleet undrain\" lets it claim again"
  }

  static func undrained(_ name: String) -> String { "\(quoted(name)) claims again" }

  // MARK: Health

  static func measured(_ health: FleetHealth, now: WallTime) -> [String] {
    let lost = health.hosts.count(where: \.isLost)
    let offset = health.now.milliseconds(after: now) / 1000
    let clock = abs(offset) < 2 ? "agrees with this machine" : "\(offset) s from this machine's"
    return [
      "PostgreSQL \(health.serverVersion.sanitizedForDisplay(limit: 80)), "
        + "tables of version \(health.schemaVersion)",
      "Clock: \(clock); only that of the database counts",
      "Rows: \(health.liveRowCount), and \(health.deadRowCount) dead",
      "Connections: \(health.connectionCount) of \(health.connectionMax)",
      "Machines: \(health.hosts.count - lost) alive, \(lost) lost",
    ] + safeDestinations(of: health)
  }

  private static func safeDestinations(of health: FleetHealth) -> [String] {
    (health.destinations ?? []).filter { $0.standing == .createsOnly }.map {
      "\($0.root.sanitizedForDisplay(limit: 300)): never replaces an object unless it is asked to"
    }
  }

  private static func problem(of destination: FleetDestination) -> String? {
    let root = destination.root.sanitizedForDisplay(limit: 300)
    switch destination.standing {
    case .createsOnly: return nil
    case .replaces:
      return
        "\(root) ignores conditional writes: an object that another program stores at the same "
        + "moment may be replaced; use a store that knows If-None-Match"
    case .failed(let failure): return "\(root) cannot be written: \(failure.sentence)"
    }
  }

  /// What slows the database or makes the fleet unsafe, and what to do.
  static func problems(of health: FleetHealth, now: WallTime) -> [String] {
    var problems: [String] = []
    if health.isReplica {
      problems.append("The database is a replica, which cannot be written; name the primary")
    }
    if !health.commitsAreDurable {
      problems.append(
        "Commits do not wait for the disk, so a crash may lose results; "
          + "set fsync and synchronous_commit to on")
    }
    if health.oldestSnapshotSeconds > 60 {
      let holder = health.oldestSnapshotHolder.map { " of \(quoted($0))" } ?? ""
      problems.append(
        "A transaction\(holder) is \(DurationText.countdown(health.oldestSnapshotSeconds)) old and "
          + "keeps dead rows, which slows every claim; end it")
    }
    if health.deadRowCount > 10_000 + health.liveRowCount / 2 {
      problems.append("There are more dead rows than vacuum should leave; check autovacuum")
    }
    if health.connectionCount * 10 > health.connectionMax * 8 {
      problems.append("Nearly all connections are used; raise max_connections, or use pgbouncer")
    }
    if health.orphanedCount > 0, !health.hosts.contains(where: { !$0.isLost && $0.take > 0 }) {
      problems.append(
        "\(CountText.text(health.orphanedCount)) downloads of lost machines wait, and no machine "
          + "that downloads is alive; start one")
    }
    return problems + (health.destinations ?? []).compactMap(problem)
  }
}
