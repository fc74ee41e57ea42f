import KettleModel
import ScriptedBus
import Testing

@testable import KettleDesktop

private let upower = "org.freedesktop.UPower"
private let networkManager = "org.freedesktop.NetworkManager"

@Suite(.timeLimit(.minutes(5)))
struct MachineWatchTests {
  private typealias Told = AsyncStream<Set<TransferCondition>>.Iterator

  private let tree: PowerTree
  private let both: Set<TransferCondition> = [.mainsPower, .unmeteredNetwork]

  init() throws { tree = try PowerTree() }

  private func watch(
    _ addresses: [BusAddress], _ change: (inout MachineWatch.Settings) -> Void = { _ in }
  ) async -> (MachineWatch, Told) {
    var settings = MachineWatch.Settings(busAddresses: addresses)
    settings.sysfsRoot = tree.root
    settings.settling = .milliseconds(10)
    settings.interval = .seconds(3600)
    settings.timeout = .seconds(600)
    change(&settings)
    let (reports, continuation) = AsyncStream<Set<TransferCondition>>.makeStream()
    let watch = MachineWatch(settings) { continuation.yield($0) }
    await watch.start()
    return (watch, reports.makeAsyncIterator())
  }

  /// Waits until the watch has queried both services this often.
  private func hasAsked(_ bus: ScriptedBus, _ count: Int) async {
    var gets = 0
    for await method in bus.heard where method == "Get" {
      gets += 1
      if gets == count { return }
    }
  }

  @Test func `a machine that reports nothing meets all conditions`() async throws {
    var (watch, reports) = await watch([])
    #expect(await reports.next() == both)
    watch.stop()
  }

  @Test func `the kernel's report counts without UPower`() async throws {
    try tree.put("BAT0", ["type": "Battery", "status": "Discharging"])
    let bus = try ScriptedBus()
    for addresses in [[], bus.addresses] {
      var (watch, reports) = await watch(addresses)
      #expect(await reports.next() == [.unmeteredNetwork])
      watch.stop()
    }
  }

  @Test func `UPower's report overrides the kernel's, and its changes are reported`() async throws {
    try tree.put("BAT0", ["type": "Battery", "status": "Discharging"])
    let bus = try ScriptedBus()
    bus.set("OnBattery", of: upower, .boolean(false))
    var (watch, reports) = await watch(bus.addresses)
    #expect(await reports.next() == both)
    bus.set("OnBattery", of: upower, .boolean(true))
    bus.tellChange(of: upower)
    #expect(await reports.next() == [.unmeteredNetwork])
    bus.set("OnBattery", of: upower, .boolean(false))
    bus.tellChange(of: upower)
    #expect(await reports.next() == both)
    // It stops, and the kernel is read.
    bus.set("OnBattery", of: upower, nil)
    bus.tellChange(of: upower)
    #expect(await reports.next() == [.unmeteredNetwork])
    watch.stop()
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5] as [UInt32])
  func `a network is metered if NetworkManager reports or guesses it`(metered: UInt32)
    async throws
  {
    let bus = try ScriptedBus()
    bus.set("Metered", of: networkManager, .uint32(metered))
    var (watch, reports) = await watch(bus.addresses)
    #expect(await reports.next() == (metered == 1 || metered == 3 ? [.mainsPower] : both))
    watch.stop()
  }

  @Test func `a change to a metered network is reported`() async throws {
    let bus = try ScriptedBus()
    bus.set("Metered", of: networkManager, .uint32(4))
    var (watch, reports) = await watch(bus.addresses)
    #expect(await reports.next() == both)
    bus.set("Metered", of: networkManager, .uint32(3))
    bus.tellChange(of: networkManager)
    #expect(await reports.next() == [.mainsPower])
    bus.set("Metered", of: networkManager, nil)
    bus.tellChange(of: networkManager)
    #expect(await reports.next() == both)
    watch.stop()
  }

  @Test func `the bus is subscribed for changes, starts and stops of both services`()
    async throws
  {
    let bus = try ScriptedBus()
    var (watch, reports) = await watch(bus.addresses)
    #expect(await reports.next() == both)
    let rules = bus.rules
    #expect(rules.count == 4)
    for service in [upower, networkManager] {
      #expect(
        rules.contains {
          $0.contains("sender='\(service)'") && $0.contains("member='PropertiesChanged'")
            && $0.contains("path='/\(service.split(separator: ".").joined(separator: "/"))'")
        })
      #expect(
        rules.contains { $0.contains("arg0='\(service)'") && $0.contains("NameOwnerChanged") })
    }
    watch.stop()
  }

  @Test func `a signal triggers a query, and its contents are not trusted`() async throws {
    let bus = try ScriptedBus()
    bus.set("OnBattery", of: upower, .boolean(false))
    var (watch, reports) = await watch(bus.addresses)
    #expect(await reports.next() == both)
    let member = BusMessage.Member(
      path: "/org/freedesktop/UPower", interface: "org.freedesktop.DBus.Properties",
      name: "PropertiesChanged")
    let lie = BusValue.array(
      of: .entry(.string, .variant),
      [.entry(key: .string("OnBattery"), value: .variant(.boolean(true)))])
    bus.send(.signal(member), [.string(upower), lie, .array(of: .string, [])])
    // Twice each: at the start, and for the signal.
    await hasAsked(bus, 4)
    bus.set("Metered", of: networkManager, .uint32(1))
    bus.tellChange(of: networkManager)
    #expect(await reports.next() == [.mainsPower])
    watch.stop()
  }

  @Test(
    arguments: [
      .silent, .refusing, .endlessLine, .mute, .babbling([]), .babbling([1, 2, 3]),
      .babbling([UInt8](repeating: 0x6C, count: 4096)),
    ] as [ScriptedBus.Manner])
  func `a misbehaving bus counts as unknown, and the kernel is read`(manner: ScriptedBus.Manner)
    async throws
  {
    try tree.put("BAT0", ["type": "Battery", "status": "Discharging"])
    let bus = try ScriptedBus(manner)
    var (watch, reports) = await watch(bus.addresses) { $0.timeout = .milliseconds(50) }
    #expect(await reports.next() == [.unmeteredNetwork])
    watch.stop()
  }

  @Test func `properties of the wrong type count as unknown`() async throws {
    let bus = try ScriptedBus()
    bus.set("OnBattery", of: upower, .string("true"))
    bus.set("Metered", of: networkManager, .int32(1))
    var (watch, reports) = await watch(bus.addresses)
    #expect(await reports.next() == both)
    watch.stop()
  }

  @Test func `a closed bus leaves conditions unknown and is reconnected when needed`()
    async throws
  {
    let bus = try ScriptedBus()
    bus.set("Metered", of: networkManager, .uint32(1))
    var (watch, reports) = await watch(bus.addresses) { $0.interval = .milliseconds(300) }
    #expect(await reports.next() == [.mainsPower])
    // It would be reconnected at once, but it is gone.
    bus.behave(.refusing)
    bus.drop()
    #expect(await reports.next() == both)
    bus.behave(.polite)
    await watch.setNeeded(true)
    #expect(await reports.next() == [.mainsPower])
    watch.stop()
  }

  @Test func `a bus that disconnects us is not flooded with reconnections`() async throws {
    let bus = try ScriptedBus()
    bus.set("Metered", of: networkManager, .uint32(1))
    var (watch, reports) = await watch(bus.addresses)
    #expect(await reports.next() == [.mainsPower])
    // It would accept us at once and disconnect us again.
    bus.drop()
    #expect(await reports.next() == both)
    watch.stop()
  }

  @Test func `unreported conditions are polled while needed`()
    async throws
  {
    try tree.put("BAT0", ["type": "Battery", "status": "Charging"])
    var (watch, reports) = await watch([]) { $0.interval = .milliseconds(20) }
    #expect(await reports.next() == both)
    await watch.setNeeded(true)
    try tree.put("BAT0", ["status": "Discharging"])
    #expect(await reports.next() == [.unmeteredNetwork])
    try tree.put("BAT0", ["status": "Full"])
    #expect(await reports.next() == both)
    watch.stop()
  }

  @Test func `preset conditions are not checked`() async throws {
    try tree.put("BAT0", ["type": "Battery", "status": "Discharging"])
    let bus = try ScriptedBus()
    bus.set("Metered", of: networkManager, .uint32(1))
    var (known, reports) = await watch(bus.addresses) {
      $0.mains = .preset(true)
      $0.unmetered = .preset(false)
    }
    #expect(await reports.next() == [.mainsPower])
    #expect(bus.rules.isEmpty)
    known.stop()
    (known, reports) = await watch(bus.addresses) { $0.unmetered = .preset(true) }
    #expect(await reports.next() == [.unmeteredNetwork])
    known.stop()
  }
}
