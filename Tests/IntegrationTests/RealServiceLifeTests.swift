import Foundation
import KettleModel
import Testing
import TestSupport

/// How the real service starts, runs and stops.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealServiceLifeTests {
  private let home: KettleHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try KettleHome()
    origin = try ScriptedOrigin()
  }

  /// Adds a slow transfer and returns its ID when bytes have been sent.
  private func addSlow(_ path: String = "/slow.bin") async throws -> String {
    let slow = OriginBehavior(SeededBody(seed: 11, byteCount: 50_000_000)).with {
      $0.bytesPerSecond = 200_000
    }
    origin.serve(slow, at: path)
    let id = try await home.kettle("add", origin.url(path).text).output.trimmed
    try await origin.waitForBytesSent(100_000, at: path)
    return id
  }

  // Fault 106
  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal stops the service cleanly and quickly during a download`(signal: Int32)
    async throws
  {
    let service = try await ChildService(home)
    let id = try await addSlow()
    service.send(signal)
    let end = await service.end()
    #expect(end.status == 0)
    // Two seconds are promised; the test machine may be busy.
    #expect(end.after < .seconds(6), "\(end.after)")
    #expect(!FileManager.default.fileExists(atPath: home.path + "/run/kettle/control.sock"))
    // The next service resumes it by itself.
    #expect(["running", "queued"].contains(try await home.state(of: id)))
  }

  // Fault 106
  @Test func `a second signal ends the service immediately`() async throws {
    let atOnce = [128 + SIGTERM, 128 + SIGINT]
    var statuses: [Int32] = []
    // An idle service may have ended cleanly before the second signal arrives.
    while statuses.count < 20, !statuses.contains(where: atOnce.contains) {
      let service = try await ChildService(home)
      // While it is stopped, both signals become pending.
      service.send(SIGSTOP)
      service.send(SIGTERM)
      service.send(SIGINT)
      service.send(SIGCONT)
      statuses.append(await service.end().status)
    }
    #expect(atOnce.contains(try #require(statuses.last)), "\(statuses)")
    #expect(statuses.dropLast().allSatisfy { $0 == 0 }, "\(statuses)")
    #expect(try await home.rows().isEmpty)
  }

  // Fault 107
  // Fault 109
  @Test func `neither a hangup nor a disconnected client ends the service`() async throws {
    let service = try await ChildService(home)
    service.send(SIGHUP)
    service.send(SIGPIPE)
    for _ in 0..<50 { SilentClient(home).askAndLeave() }
    #expect(try await home.servicePID() == service.processID)
    service.send(SIGTERM)
    #expect(await service.end().status == 0)
  }

  // Fault 96
  @Test func `a stale lock file with the ID of a live process does not prevent a start`()
    async throws
  {
    let state = home.path + "/.local/state/kettle"
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // The ID of a live process, and a socket on which nothing listens.
    try Data("\(getpid())\n/tmp/nobody.sock".utf8).write(
      to: URL(filePath: state + "/service.lock"))
    #expect(try await home.rows().isEmpty)
  }

  // Fault 97
  @Test func `a second service finds the lock held and leaves the first one running`() async throws
  {
    let first = try await ChildService(home)
    let second = try await home.kettle("daemon", "run")
    #expect(second.code == 75)
    #expect(second.errors.contains("A service is already running"))
    #expect(try await home.servicePID() == first.processID)
    first.send(SIGTERM)
    #expect(await first.end().status == 0)
  }

  @Test func `the socket is recreated after its directory is deleted, and transfers continue`()
    async throws
  {
    let service = try await ChildService(home)
    let id = try await addSlow()
    // The service notices at once and recreates the socket, even during the deletion: so the
    // directory is moved away before it is deleted.
    try FileManager.default.moveItem(atPath: home.path + "/run", toPath: home.path + "/gone")
    try FileManager.default.createDirectory(
      atPath: home.path + "/run", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try FileManager.default.removeItem(atPath: home.path + "/gone")
    // A client that finds no service starts another one, which finds the lock held, and retries for
    // ten seconds.
    #expect(try await home.rows().count == 1)
    #expect(try await home.servicePID() == service.processID)
    let state = try await home.state(of: id)
    #expect(state == "running")
    service.send(SIGTERM)
    #expect(await service.end().status == 0)
  }

  // Fault 112
  @Test func `after three crashes in a row the service pauses everything and shows a notice`()
    async throws
  {
    var id: String?
    for _ in 1...3 {
      let service = try await ChildService(home)
      if id == nil { id = try await addSlow() }
      service.send(SIGSEGV)
      #expect(await service.end().status == 128 + SIGSEGV)
    }
    #expect(try await home.state(of: try #require(id)) == "paused")
    let status = try await home.kettle("daemon", "status")
    #expect(status.output.contains("Notice: The service crashed 3 times in a row"))
    // A clean stop resets the count.
    #expect(try await home.kettle("daemon", "stop").code == 0)
    #expect(!(try await home.kettle("list").output.isEmpty))
    #expect(!(try await home.kettle("daemon", "status").output.contains("crashed")))
  }

  // Fault 103
  @Test func `with 64 descriptors the service answers during downloads despite many clients`()
    async throws
  {
    let service = try await ChildService(home, setting: "ulimit -n 64")
    for number in 0..<30 { _ = try await addSlowQueued("/\(number).bin") }
    let clients = (0..<60).map { _ in SilentClient(home) }
    // Clients beyond the limit are rejected at once.
    let turnedAway = clients.count { $0.isHungUp(withinMilliseconds: 200) }
    #expect(turnedAway >= 60 - 16)
    for client in clients { client.hangUp() }
    let rows = try await home.rows()
    #expect(rows.count == 30)
    #expect((1...8).contains(rows.count { $0["state"] as? String == "running" }))
    service.send(SIGTERM)
    let end = await service.end()
    #expect(end.status == 0)
    #expect(end.cpuSeconds < 10, "\(end.cpuSeconds)")
  }

  private func addSlowQueued(_ path: String) async throws -> String {
    let slow = OriginBehavior(SeededBody(seed: 12, byteCount: 5_000_000)).with {
      $0.bytesPerSecond = 20_000
    }
    origin.serve(slow, at: path)
    return try await home.kettle("add", origin.url(path).text).output.trimmed
  }
}
