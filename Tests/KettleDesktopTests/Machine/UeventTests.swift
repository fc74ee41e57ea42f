import Testing

@testable import KettleDesktop

struct UeventTests {
  private func words(_ words: [String]) -> [UInt8] { words.flatMap { Array($0.utf8) + [0] } }

  @Test func `events about power supplies are recognized by their subsystem`() {
    #expect(
      UeventSocket.isAboutPower(
        words([
          "change@/devices/LNXSYSTM:00/PNP0C0A:00/power_supply/BAT0", "ACTION=change",
          "DEVPATH=/devices/LNXSYSTM:00/PNP0C0A:00/power_supply/BAT0", "SUBSYSTEM=power_supply",
          "POWER_SUPPLY_STATUS=Discharging", "SEQNUM=4711",
        ])))
    #expect(
      !UeventSocket.isAboutPower(
        words([
          "add@/devices/power_supply", "ACTION=add", "SUBSYSTEM=usb", "X=SUBSYSTEM=power_supply",
        ])))
    #expect(!UeventSocket.isAboutPower([]))
    #expect(!UeventSocket.isAboutPower([0, 0, 0]))
    #expect(!UeventSocket.isAboutPower(Array("SUBSYSTEM=power_supply2".utf8)))
  }
}
