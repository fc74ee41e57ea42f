import Foundation
import KettleModel
import Testing
import TestSupport

/// How the real service starts, stays and ends.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealServiceLifeTests {
  private let home: KettleHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try KettleHome()
    origin = try ScriptedOrigin()
  }

  /// A transfer that is under way and takes its time.
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
  func `a signal ends it in good order and soon, while bytes come in`(signal: Int32) async throws {
    let service = try await ChildService(home)
    let id = try await addSlow()
    service.send(signal)
    let end = await service.end()
    #expect(end.status == 0)
    // Two seconds are promised; the machine that tests may be busy with other things.
    #expect(end.after < .seconds(6), "\(end.after)")
    #expect(!FileManager.default.fileExists(atPath: home.path + "/run/kettle/control.sock"))
    // The next service goes on by itself.
    #expect(["running", "queued"].contains(try await home.state(of: id)))
  }

  // Fault 106
  @Test func `the second signal ends it at once`() async throws {
    let atOnce = [128 + SIGTERM, 128 + SIGINT]
    var statuses: [Int32] = []
    // One that has nothing to do may be done with ending in good order before the second comes.
    while statuses.count < 20, !statuses.contains(where: atOnce.contains) {
      let service = try await ChildService(home)
      // Stopped, it finds both signals waiting when it goes on.
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
  @Test func `neither a hung up terminal nor a client that left ends it`() async throws {
    let service = try await ChildService(home)
    service.send(SIGHUP)
    service.send(SIGPIPE)
    for _ in 0..<50 { SilentClient(home).askAndLeave() }
    #expect(try await home.servicePID() == service.processID)
    service.send(SIGTERM)
    #expect(await service.end().status == 0)
  }

  // Fault 96
  @Test func `a lock file of another life is no obstacle, and its number means nothing`()
    async throws
  {
    let state = home.path + "/.local/state/kettle"
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    // The id of a process that lives, and a place where nobody answers.
    try Data("\(getpid())\n/tmp/nobody.sock".utf8).write(
      to: URL(filePath: state + "/service.lock"))
    #expect(try await home.rows().isEmpty)
  }

  // Fault 97
  @Test func `a second service finds the lock taken and leaves the first alone`() async throws {
    let first = try await ChildService(home)
    let second = try await home.kettle("daemon", "run")
    #expect(second.code == 75)
    #expect(second.errors.contains("A service is already running"))
    #expect(try await home.servicePID() == first.processID)
    first.send(SIGTERM)
    #expect(await first.end().status == 0)
  }

  @Test func `the socket comes back after its directory was deleted, and nothing stops`()
    async throws
  {
    let service = try await ChildService(home)
    let id = try await addSlow()
    // The service notices at once and puts it back, also amid the deletion: what is deleted must
    // not be in its place any more.
    try FileManager.default.moveItem(atPath: home.path + "/run", toPath: home.path + "/gone")
    try FileManager.default.createDirectory(
      atPath: home.path + "/run", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    try FileManager.default.removeItem(atPath: home.path + "/gone")
    // A client that finds nobody starts another service, which finds the lock taken, and tries for
    // ten seconds.
    #expect(try await home.rows().count == 1)
    #expect(try await home.servicePID() == service.processID)
    #expect(try await home.state(of: id) == "running")
    service.send(SIGTERM)
    #expect(await service.end().status == 0)
  }

  // Fault 112
  @Test func `after three crashes in a row it starts with everything paused and says so`()
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
    // A clean end forgets them.
    #expect(try await home.kettle("daemon", "stop").code == 0)
    #expect(!(try await home.kettle("list").output.isEmpty))
    #expect(!(try await home.kettle("daemon", "status").output.contains("crashed")))
  }

  // Fault 103
  @Test func `with 64 descriptors it still answers, while it fetches and clients crowd in`()
    async throws
  {
    let service = try await ChildService(home, setting: "ulimit -n 64")
    for number in 0..<30 { _ = try await addSlowQueued("/\(number).bin") }
    let clients = (0..<60).map { _ in SilentClient(home) }
    // Those who find no place are told so at once.
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
