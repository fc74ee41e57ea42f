import BackgroundTransfer
import Foundation
import KettleControl
import KettleModel
import KettleSocket
import TestSupport
import Testing

/// Misbehaving programs that the real service launches. A program writes a line at each launch.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LaunchTests {
  private let world: LaunchWorld
  private var home: SessionHome { world.home }

  init() throws { world = try LaunchWorld() }

  @Test func `a launch command that does not exist causes a notice`() async throws {
    try await world.leave("/nonexistent/app", "/a")
    #expect(
      try await world.notice()
        == "The program \"/nonexistent/app\" of the session \"org.example.app\" could not be "
        + "launched (ENOENT); check that it exists and is executable")
    // The file is kept for the program.
    #expect(home.heldFiles.count == 1)
  }

  @Test func `a program that exits without collecting anything is launched once`() async throws {
    let app = try home.script("app", "echo $KETTLE_SESSION_EVENTS >> launches; exit 1")
    try await world.leave(app, "/a", "/b")
    #expect(
      try await world.notice()
        == "The program \"\(app)\" of the session \"org.example.app\" exited before it had "
        + "collected everything (exit 1); its output is in the log of the service")
    #expect(world.launches == ["org.example.app"])
    // Another completion causes another launch, and a restart of the service does not.
    #expect(try await home.kettle("daemon", "stop").code == 0)
    try await world.leave(app, "/b")
    try await world.expectLaunches(2)
    #expect(home.heldFiles.count == 3)
  }

  @Test func `a program that connects and exits without collecting anything is not relaunched`()
    async throws
  {
    try #require(mkfifo(home.path + "/leave", 0o600) == 0)
    let app = try home.script("app", "echo launched >> launches; read line < leave")
    try await world.leave(app, "/a")
    try await world.expectLaunches(1)
    // It connects like the library, collects nothing and disconnects; then the process exits, too.
    let service = try await home.connect()
    try await world.attach(app, service)
    await service.close()
    try FileHandle(forWritingTo: URL(filePath: home.path + "/leave")).close()
    #expect(try await home.kettle("daemon", "status").code == 0)
    #expect(world.launches.count == 1)
    // A new completion causes one more launch.
    try await world.leave(app, "/b")
    try await world.expectLaunches(2)
    try FileHandle(forWritingTo: URL(filePath: home.path + "/leave")).close()
  }

  @Test func `a session without launch events launches nothing`() async throws {
    let app = try home.script("app", "echo launched >> launches")
    try await world.leave(app, "/a", sendsEvents: false)
    let wait = try await home.kettle("wait", "--all", "--timeout", "20")
    #expect(wait.code == 0)
    // A stopped service has made all its launches.
    #expect(try await home.kettle("daemon", "stop").code == 0)
    #expect(world.launches.isEmpty)
    #expect(home.heldFiles.count == 1)
  }

  @Test func `a connected program is not launched`() async throws {
    let app = try home.script("app", "echo launched >> launches; exit 1")
    #expect(try await home.kettle("daemon", "start").code == 0)
    let service = try await home.connect()
    try await world.attach(app, service)
    try await world.add("/a", service)
    #expect(try await home.kettle("wait", "--all", "--timeout", "20").code == 0)
    #expect(world.launches.isEmpty)
    await service.close()
    // What it did not collect causes a launch as soon as it has disconnected.
    _ = try await world.notice()
    #expect(world.launches == ["launched"])
  }

  @Test func `a challenge also launches the program`() async throws {
    world.origin.serve(
      OriginBehavior(world.body).with { $0.login = Login(user: "me", password: "secret") }, at: "/a"
    )
    let app = try home.script("app", "echo launched >> launches; exit 1")
    try await world.leave(app, "/a")
    _ = try await world.notice()
    #expect(world.launches == ["launched"])
    #expect(try await home.rows().first?["reason"] as? String == "needsLogin")
    #expect(try await home.kettle("list").said.contains("its program must answer the server"))
  }

  @Test func `a delayed task launches its program, and begins if that fails`() async throws {
    let app = try home.script("app", "echo launched >> launches; exit 1")
    #expect(try await home.kettle("daemon", "start").code == 0)
    let service = try await home.connect()
    try await world.attach(app, service)
    try await world.add("/a", service) {
      $0.notBefore = WallTime(
        millisecondsSince1970: Int64(Date.now.timeIntervalSince1970 * 1000) + 1500)
      $0.task?.asksBeforeBeginning = true
    }
    await service.close()
    try await world.expectLaunches(1)
    #expect(try await home.kettle("wait", "--all", "--timeout", "20").code == 0)
    #expect(world.origin.requests.count == 1)
  }
}

/// A suite of its own, because it takes long.
@Suite(.timeLimit(.minutes(5)))
struct SilentLaunchTests {
  private let world: LaunchWorld

  init() throws { world = try LaunchWorld() }

  @Test func `a program that hangs causes a notice after 30 seconds`() async throws {
    // Nothing ever writes to the pipe.
    let app = try world.home.script(
      "app", "echo launched >> launches; mkfifo hang; echo $$ > pid; exec cat hang")
    try await world.leave(app, "/a")
    #expect(
      try await world.notice()
        == "The program \"\(app)\" of the session \"org.example.app\" was launched but did not "
        + "report within 30 seconds that it is done; check whether it hangs")
    #expect(world.launches == ["launched"])
    let text = try String(contentsOfFile: world.home.path + "/pid", encoding: .utf8)
    kill(try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))), SIGKILL)
  }
}
