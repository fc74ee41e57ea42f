import ScriptedBus
import Testing

@testable import KettleDesktop

@Suite(.timeLimit(.minutes(5)))
struct DesktopNotifierTests {
  private let alert = Alert(
    kind: .trouble, summary: "2 downloads failed", body: "<b>\"a\" & 'b'</b>")

  private func notifier(_ addresses: [BusAddress]) -> DesktopNotifier {
    DesktopNotifier(addresses, timeout: .seconds(600))
  }

  @Test func `an alert is shown with all arguments of the specification`() async throws {
    let bus = try ScriptedBus()
    bus.setCapabilities(["body", "actions"])
    try await notifier(bus.addresses).show(alert)
    let hints: [BusValue] = [
      .entry(key: .string("category"), value: .variant(.string("transfer.error")))
    ]
    #expect(
      bus.shown == [
        [
          .string("Kettle"), .uint32(0), .string("folder-download"),
          .string("2 downloads failed"), .string("<b>\"a\" & 'b'</b>"),
          .array(of: .string, []), .array(of: .entry(.string, .variant), hints), .int32(-1),
        ]
      ])
    await bus.isDeserted()
  }

  @Test(arguments: [["body", "body-markup"], nil])
  func `a name is escaped unless the desktop is known not to interpret markup`(
    capabilities: [String]?
  ) async throws {
    let bus = try ScriptedBus()
    bus.setCapabilities(capabilities)
    try await notifier(bus.addresses).show(alert)
    let body = "&lt;b&gt;&quot;a&quot; &amp; &apos;b&apos;&lt;/b&gt;"
    #expect(bus.shown.first?.dropFirst(4).first == .string(body))
  }

  @Test func `a bracket with an accent is escaped`() {
    #expect(DesktopNotifier.escaped("<\u{301}b") == "&lt;\u{301}b")
  }

  @Test func `a desktop that restarts is notified again`() async throws {
    let bus = try ScriptedBus()
    let notifier = notifier(bus.addresses)
    try await notifier.show(alert)
    bus.drop()
    await bus.isDeserted()
    try await notifier.show(alert)
    #expect(bus.shown.count == 2)
  }

  @Test func `without a bus address showing an alert throws an error`() async {
    await #expect(throws: BusError.unreachable(0)) { try await notifier([]).show(alert) }
  }

  @Test func `a silent bus times out`() async throws {
    let bus = try ScriptedBus(.mute)
    let notifier = DesktopNotifier(bus.addresses, timeout: .milliseconds(100))
    await #expect(throws: BusError.timedOut) { try await notifier.show(alert) }
    await bus.isDeserted()
  }
}
