import BackgroundTransfer
import Foundation
import KettleControl
import KettleModel
import KettleSocket
import TestSupport
import Testing

/// A service whose program is a script that writes a line at each launch.
struct LaunchWorld {
  let home: SessionHome
  let origin: ScriptedOrigin
  let body = SeededBody(seed: 9, byteCount: 1000)
  static let session = SessionID(rawValue: "org.example.app")

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
    for name in ["/a", "/b"] { origin.serve(OriginBehavior(body), at: name) }
  }

  func attach(
    _ command: String, _ service: ServiceConnection, sendsEvents: Bool = true
  ) async throws {
    let options = SessionOptions(
      launch: LaunchCommand(executablePath: command, directory: home.path),
      sendsLaunchEvents: sendsEvents)
    _ = try await service.call(
      AttachSession.self, .init(session: Self.session, options: options))
  }

  /// Attaches as a program that is not launched.
  static func attach(_ service: ServiceConnection, _ session: SessionID) async throws {
    _ = try await service.call(
      AttachSession.self, .init(session: session, options: SessionOptions(launch: nil)))
  }

  static func add(_ spec: TransferSpec, _ service: ServiceConnection) async throws {
    _ = try await service.call(AddTransfers.self, .init(transfers: [spec]))
  }

  func add(
    _ path: String, _ service: ServiceConnection, _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws {
    var spec = TransferSpec(url: try origin.url(path))
    spec.session = Self.session
    spec.task = TaskOptions(kind: .download)
    change(&spec)
    try await Self.add(spec, service)
  }

  /// Attaches as a program that adds downloads and disconnects.
  func leave(_ command: String, _ paths: String..., sendsEvents: Bool = true) async throws {
    #expect(try await home.kettle("daemon", "start").code == 0)
    let service = try await home.connect()
    try await attach(command, service, sendsEvents: sendsEvents)
    for path in paths { try await add(path, service) }
    await service.close()
  }

  var launches: [String] {
    let text = try? String(contentsOfFile: home.path + "/launches", encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  /// The service's notice about the session, as soon as something went wrong with its program.
  func notice() async throws -> String {
    let deadline = ContinuousClock.now + .seconds(45)
    while ContinuousClock.now < deadline {
      let list = try await home.kettle("session", "list").said
      let status = try await home.kettle("daemon", "status").said
      if let line = list.split(separator: "\n").first(where: { $0.contains("The program ") }) {
        let sentence = line.trimmingCharacters(in: .whitespaces)
        #expect(status.contains("Notice: " + sentence))
        return sentence
      }
      // There is no event for a notice, and each look starts two processes.
      _ = try? await Monitor(false).wait(for: "the next look", budgetMilliseconds: 200) { $0 }
    }
    throw BudgetSpent(what: "a notice", budgetMilliseconds: 45_000, state: "\(launches)")
  }

  func expectLaunches(_ count: Int) async throws {
    let lines = try FileLines(home.path + "/launches", in: home.path)
    #expect(try await lines.wait(count: count).count == count)
  }
}
