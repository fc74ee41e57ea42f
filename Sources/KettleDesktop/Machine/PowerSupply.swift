/// A directory below /sys/class/power_supply, as the kernel describes it (sysfs-class-power in the
/// kernel's Documentation/ABI). What cannot be read is empty.
struct PowerSupply: Hashable, Sendable {
  /// `Mains`, `USB` and its kinds, `Wireless`, `Battery`, `UPS`.
  var type = ""
  var online = ""
  /// Of a battery: `Charging`, `Discharging`, `Full`, `Not charging`, `Unknown`.
  var status = ""
  /// `Device` for the battery of a mouse or a headset.
  var scope = ""
  /// `0` for the bay of a battery that was taken out.
  var present = ""

  var feedsMachine: Bool { scope != "Device" && present != "0" }

  var isBattery: Bool { type == "Battery" || type == "UPS" }

  /// A port that may also be the source of what hangs on it.
  var isPort: Bool { type.hasPrefix("USB") }
}

extension Collection<PowerSupply> {
  /// Whether the machine has a battery that could be what it runs from.
  var hasBattery: Bool { contains { $0.feedsMachine && $0.isBattery } }

  /// Whether the machine runs from the mains. What the kernel does not know counts as mains: the
  /// opposite would hold transfers back for ever.
  var isOnMains: Bool {
    let batteries = filter { $0.feedsMachine && $0.isBattery }
    let lines = filter { $0.feedsMachine && !$0.isBattery && !$0.online.isEmpty }
    if batteries.isEmpty { return true }
    // Two batteries are often emptied and filled one after the other.
    if batteries.contains(where: { $0.status == "Charging" }) { return true }
    let isDischarging = batteries.contains { $0.status == "Discharging" }
    // A weak charger lets the battery shrink too, but a port that is online may feed a telephone.
    if lines.contains(where: { $0.online != "0" && !($0.isPort && isDischarging) }) { return true }
    if isDischarging { return false }
    if batteries.contains(where: { $0.status == "Full" || $0.status == "Not charging" }) {
      return true
    }
    return lines.isEmpty
  }
}
