import Foundation
import Testing

@testable import KettleDesktop

struct PowerSupplyTests {
  private static func battery(_ status: String, scope: String = "", present: String = "1")
    -> PowerSupply
  {
    PowerSupply(type: "Battery", status: status, scope: scope, present: present)
  }

  private static func line(_ online: String, type: String = "Mains") -> PowerSupply {
    PowerSupply(type: type, online: online)
  }

  @Test(
    arguments: [
      ([], true),
      // A machine without a battery, regardless of its adapter.
      ([line("0")], true),
      // The battery of a mouse, and a bay without a battery.
      ([battery("Discharging", scope: "Device")], true),
      ([battery("Discharging", present: "0"), line("0")], true),
      ([battery("Discharging")], false),
      ([battery("Discharging"), line("0")], false),
      ([battery("Charging")], true),
      // The adapter is on a port that the kernel does not show as online.
      ([battery("Charging"), line("0")], true),
      ([battery("Full")], true),
      ([battery("Not charging"), line("0")], true),
      // A weak adapter.
      ([battery("Discharging"), line("1")], true),
      // Fixed and programmable voltage.
      ([battery("Full"), line("2", type: "USB_PD")], true),
      // A phone is on the port.
      ([battery("Discharging"), line("1", type: "USB")], false),
      ([battery("Discharging"), line("1", type: "USB"), line("1")], true),
      ([battery("Unknown"), line("1", type: "USB_C")], true),
      ([battery("Unknown"), line("0")], false),
      ([battery("Unknown")], true),
      ([battery("")], true),
      // Two batteries, one after the other.
      ([battery("Full"), battery("Discharging"), line("0")], false),
      ([battery("Discharging"), battery("Charging")], true),
      ([PowerSupply(type: "UPS", status: "Discharging")], false),
    ] as [([PowerSupply], Bool)])
  func `the supplies decide whether the machine runs on mains`(
    supplies: [PowerSupply], isOnMains: Bool
  ) {
    #expect(supplies.isOnMains == isOnMains)
  }

  @Test func `only batteries of the machine count`() {
    #expect([Self.battery("Full")].hasBattery)
    #expect(![Self.battery("Full", scope: "Device"), Self.line("1")].hasBattery)
  }

  @Test func `the sysfs tree is read`() throws {
    let tree = try PowerTree()
    #expect(PowerSupplyDirectory(root: tree.root).read() == [])
    try tree.put("BAT0", ["type": "Battery\n", "status": "Not charging\n", "present": "1\n"])
    try tree.put("hidpp_battery_0", ["type": "Battery\n", "scope": "Device\n"])
    let supplies = PowerSupplyDirectory(root: tree.root).read()
    #expect(
      Set(supplies) == [
        PowerSupply(type: "Battery", status: "Not charging", present: "1"),
        PowerSupply(type: "Battery", scope: "Device"),
      ])
  }

  @Test func `unreadable files in the tree are ignored`() throws {
    let tree = try PowerTree()
    let endless = String(repeating: "x", count: 100_000)
    for number in 0..<200 { try tree.put("s\(number)", ["type": endless]) }
    let supplies = PowerSupplyDirectory(root: tree.root).read()
    #expect(supplies.count == 64)
    #expect(supplies.allSatisfy { $0.type.utf8.count <= 256 })
  }
}
