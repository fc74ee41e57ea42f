import KettleModel

/// The machines of a list beside the graph: their labels, what they do, and which are lost.
struct MachineList: Hashable, Sendable {
  private var machines: [FleetHostRow]

  private enum Width {
    static let claimed = 5
    static let speed = 11
    static let free = 10
  }

  /// Those that are lost come first, then the fastest.
  init(_ machines: [FleetHostRow]) {
    self.machines = machines.sorted {
      ($0.isLost ? 0 : 1, -$0.bytesPerSecond, $0.name)
        < ($1.isLost ? 0 : 1, -$1.bytesPerSecond, $1.name)
    }
  }

  func draw(on canvas: inout Canvas, _ box: TitledBox, _ context: ScreenContext) {
    box.draw(
      title: Strings.machinesTitle, key: context.keymap.key(of: "hosts-box"),
      right: CountText.text(machines.count), on: &canvas)
    let (rows, columns) = box.inside
    let (start, width) = (columns.lowerBound + 1, columns.count - 2)
    let fitting = machines.count <= rows.count ? machines.count : max(0, rows.count - 1)
    for (machine, row) in zip(machines.prefix(fitting), rows) {
      draw(machine, on: &canvas, row: row, column: start, width: width)
    }
    if fitting < machines.count, let row = rows.last {
      canvas.write(
        Strings.moreHosts(machines.count - fitting), row: row, column: start + 2,
        width: width - 2, .quiet)
    }
  }

  private func draw(
    _ machine: FleetHostRow, on canvas: inout Canvas, row: Int, column: Int, width: Int
  ) {
    let numbers = machine.isLost ? 0 : Width.claimed + Width.speed + Width.free
    let room = max(0, width - numbers)
    let name = machine.name.sanitizedForDisplay(limit: 100)
    let used = canvas.write(
      name, row: row, column: column, width: room, machine.isLost ? .problem : .plain)
    let words = machine.isLost ? [Strings.isLost(machine)] : machine.notes
    if room - used > 3 {
      canvas.write(
        words.joined(separator: ","), row: row, column: column + used + 1, width: room - used - 1,
        machine.isLost ? .problem : .quiet)
    }
    guard !machine.isLost else { return }
    let cells = [
      (CountText.text(machine.claimedCount), Width.claimed, Role.plain),
      (ByteText.speed(machine.bytesPerSecond), Width.speed, .plain),
      (machine.freeBytes.map(ByteText.size) ?? "", Width.free, .quiet),
    ]
    var next = column + room
    for (text, width, role) in cells {
      canvas.writeRight(text, row: row, column: next, width: width, role)
      next += width
    }
  }
}

extension FleetHostRow {
  /// Whether its lease has ended: others take over what it has claimed.
  package var isLost: Bool { aliveForMilliseconds < 0 }

  fileprivate var notes: [String] {
    (isDraining ? [Strings.isDraining] : []) + labels.map { $0.sanitizedForDisplay(limit: 100) }
  }
}

extension Strings {
  static let machinesTitle = "machines"
  package static let isDraining = "draining"

  static func fleetName(_ fleet: FleetGlance) -> String {
    "fleet " + fleet.name.sanitizedForDisplay(limit: 24)
  }

  private static let nameCountMax = 30

  static func names(_ machines: MachinesGlance) -> String {
    let names = machines.names.map { $0.sanitizedForDisplay(limit: nameCountMax) }
    let text = names.joined(separator: ", ")
    return text.count <= nameCountMax ? text : "\(names.count) machines"
  }

  static func areMissing(_ machines: [MachinesGlance.Missing], since time: String) -> String {
    let name = machines.count == 1 ? machines.first?.name.sanitizedForDisplay(limit: 24) : nil
    return (name ?? "\(machines.count) machines") + " missing since " + time
  }

  static func fleetIsSilent(since time: String) -> String { "no answer since \(time)" }

  package static func isLost(_ machine: FleetHostRow) -> String {
    let seconds = machine.aliveForMilliseconds.magnitude / 1000
    return "lost for " + DurationText.countdown(Int64(clamping: seconds))
  }
}

extension Action {
  /// Why the list of a fleet does not offer it; nil for what it offers.
  var whyNotInFleet: String? {
    switch name {
    case "limit": "The speed of a fleet is set with \"kettle fleet limit\""
    case "search", "next-match", "previous-match":
      "The list of a fleet has no search; {filter} filters it"
    case "needs-you": "What needs you in a fleet is on its machine; the column Machine names it"
    case "new-link", "start-fresh", "verify", "remove-file", "undo", "bin", "reset",
      "clear-finished", "queue-up", "queue-down", "queue-top", "queue-bottom", "priority-up",
      "priority-down":
      "The list of a fleet does not offer that; the list of one machine does"
    default: nil
    }
  }
}
