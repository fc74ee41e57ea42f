import KettleDesktop
import KettleModel
import ScriptedBus
import Testing
import TestSupport

/// The real service on a scripted bus.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RealAlertTests {
  private let bus: ScriptedBus
  private let home: KettleHome
  private let origin: ScriptedOrigin

  init() throws {
    bus = try ScriptedBus()
    bus.setCapabilities(["body", "body-markup"])
    home = try KettleHome(
      environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=" + bus.path])
    origin = try ScriptedOrigin()
  }

  /// Waits for a desktop notification.
  private func told() async {
    for await method in bus.heard where method == "Notify" { return }
  }

  @Test func `a transfer that finishes unobserved shows a desktop notification`() async throws {
    origin.serve(OriginBehavior(SeededBody(seed: 1, byteCount: 1000)), at: "/a.bin")
    let added = try await home.kettle("add", "-t", "<b>A & B</b>", origin.url("/a.bin").text)
    #expect(added.code == 0)
    await told()
    #expect(
      bus.shown.first?.dropFirst(3).prefix(2)
        == [.string("Download finished"), .string("&lt;b&gt;A &amp; B&lt;/b&gt;")])
  }
}
