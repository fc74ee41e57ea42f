/// A directory below /sys/class/power_supply, as the kernel documents it (sysfs-class-power in the
/// kernel's Documentation/ABI). Unreadable values are empty.
struct PowerSupply: Hashable, Sendable {
  /// `Mains`, `USB` and its kinds, `Wireless`, `Battery`, `UPS`.
  var type = ""
  var online = ""
  /// For a battery: `Charging`, `Discharging`, `Full`, `Not charging`, `Unknown`.
  var status = ""
  /// `Device` for the battery of a mouse or a headset.
  var scope = ""
  /// `0` for an empty battery bay.
  var present = ""

  var feedsMachine: Bool { scope != "Device" && present != "0" }

  var isBattery: Bool { type == "Battery" || type == "UPS" }

  /// A port that may also power the device attached to it.
  var isPort: Bool { type.hasPrefix("USB") }
}

extension Collection<PowerSupply> {
  /// Whether the machine has a battery that could power it.
  var hasBattery: Bool { contains { $0.feedsMachine && $0.isBattery } }

  /// Whether the machine runs on mains power. Unknown counts as mains: the opposite would delay
  /// transfers forever.
  var isOnMains: Bool {
    let batteries = filter { $0.feedsMachine && $0.isBattery }
    let lines = filter { $0.feedsMachine && !$0.isBattery && !$0.online.isEmpty }
    if batteries.isEmpty { return true }
    // Two batteries are often discharged and charged one after the other.
    if batteries.contains(where: { $0.status == "Charging" }) { return true }
    let isDischarging = batteries.contains { $0.status == "Discharging" }
    // A weak charger lets the battery drain too, but an online port may be powering a phone.
    if lines.contains(where: { $0.online != "0" && !($0.isPort && isDischarging) }) { return true }
    if isDischarging { return false }
    if batteries.contains(where: { $0.status == "Full" || $0.status == "Not charging" }) {
      return true
    }
    return lines.isEmpty
  }
}
