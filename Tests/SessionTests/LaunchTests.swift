import BackgroundTransfer
import ControlProtocol
import Foundation
import TestSupport
import Testing
import TransferClient
import TransferModel

/// Programs that do not come back as they should, launched by the real service. A program writes a
/// line each time that it is launched.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct LaunchTests {
  private let home: SessionHome
  private let origin: ScriptedOrigin
  private let body = SeededBody(seed: 9, byteCount: 1000)
  private static let session = SessionID(rawValue: "org.example.app")

  init() throws {
    home = try SessionHome()
    origin = try ScriptedOrigin()
    for name in ["/a", "/b"] { origin.serve(OriginBehavior(body), at: name) }
  }

  private func attach(
    _ command: String, _ service: ServiceConnection, sendsEvents: Bool = true
  ) async throws {
    let options = SessionOptions(
      launch: LaunchCommand(executablePath: command, directory: home.path),
      sendsLaunchEvents: sendsEvents)
    _ = try await service.call(
      AttachSession.self, .init(session: Self.session, options: options))
  }

  private func add(_ path: String, _ service: ServiceConnection) async throws {
    var spec = TransferSpec(url: try origin.url(path))
    spec.session = Self.session
    spec.task = TaskOptions(kind: .download)
    _ = try await service.call(AddTransfers.self, .init(transfers: [spec]))
  }

  /// Attaches as a program that asks for files and goes.
  private func leave(_ command: String, _ paths: String..., sendsEvents: Bool = true) async throws {
    #expect(try await home.kettle("daemon", "start").code == 0)
    let service = try await home.connect()
    try await attach(command, service, sendsEvents: sendsEvents)
    for path in paths { try await add(path, service) }
    await service.close()
  }

  private var launches: [String] {
    let text = try? String(contentsOfFile: home.path + "/launches", encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  /// What the service says of the session, as soon as something went wrong with its program.
  private func notice() async throws -> String {
    let deadline = ContinuousClock.now + .seconds(45)
    while ContinuousClock.now < deadline {
      let list = try await home.kettle("session", "list").said
      let status = try await home.kettle("daemon", "status").said
      if let line = list.split(separator: "\n").first(where: { $0.contains("The program ") }) {
        let sentence = line.trimmingCharacters(in: .whitespaces)
        #expect(status.contains("Notice: " + sentence))
        return sentence
      }
    }
    throw BudgetSpent(what: "a notice", budgetMilliseconds: 45_000, state: "\(launches)")
  }

  @Test func `a launch command that does not exist is a notice`() async throws {
    try await leave("/nonexistent/app", "/a")
    #expect(
      try await notice()
        == "The program \"/nonexistent/app\" of the session \"org.example.app\" could not be "
        + "launched (ENOENT); look whether it is still there and can be run")
    // The file stays for the program.
    #expect(home.heldFiles.count == 1)
  }

  @Test func `a program that ends without taking anything is launched once`() async throws {
    let app = try home.script("app", "echo $KETTLE_SESSION_EVENTS >> launches; exit 1")
    try await leave(app, "/a", "/b")
    #expect(
      try await notice()
        == "The program \"\(app)\" of the session \"org.example.app\" ended before it had taken "
        + "everything (exit 1); the log of the service has what it said")
    #expect(launches == ["org.example.app"])
    // Another completion is another launch, and a restart of the service is none.
    #expect(try await home.kettle("daemon", "stop").code == 0)
    try await leave(app, "/b")
    try await expectLaunches(2)
    #expect(home.heldFiles.count == 3)
  }

  private func expectLaunches(_ count: Int) async throws {
    let lines = try FileLines(home.path + "/launches", in: home.path)
    #expect(try await lines.wait(count: count).count == count)
  }

  @Test func `a program that comes and goes without taking anything does not loop`() async throws {
    // It attaches as the session's program, as the library does, takes nothing and goes.
    let greeting =
      #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocolVersion":"#
      + #"\#(ProtocolVersion.current),"client":"loop"}}"#
    let attach =
      #"{"jsonrpc":"2.0","id":2,"method":"sessions.attach","params":{"session":"#
      + #""org.example.app","options":{"launch":{"executablePath":"\#(home.path)/app","#
      + #""arguments":[],"directory":"\#(home.path)"},"sendsLaunchEvents":true,"#
      + #""asksServerTrust":false}}}"#
    let app = try home.script(
      "app",
      """
      echo launched >> launches
      exec /usr/bin/env python3 -c '
      import socket
      s = socket.socket(socket.AF_UNIX); s.connect("\(home.places.socketPath)")
      f = s.makefile("rw")
      for line in ['"'"'\(greeting)'"'"', '"'"'\(attach)'"'"']:
          f.write(line + "\\n"); f.flush(); f.readline()
      '
      """)
    try await leave(app, "/a")
    #expect(try await notice().contains("ended before it had taken everything (exit 0)"))
    #expect(launches == ["launched"])
  }

  @Test func `a program that hangs is a notice after 30 seconds`() async throws {
    // Nothing ever writes into the pipe.
    let app = try home.script(
      "app", "echo launched >> launches; mkfifo hang; echo $$ > pid; exec cat hang")
    try await leave(app, "/a")
    #expect(
      try await notice()
        == "The program \"\(app)\" of the session \"org.example.app\" was launched and did not say "
        + "within 30 seconds that it is done; look whether it hangs")
    #expect(launches == ["launched"])
    let text = try String(contentsOfFile: home.path + "/pid", encoding: .utf8)
    kill(try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))), SIGKILL)
  }

  @Test func `nothing is launched when the session does not want it`() async throws {
    let app = try home.script("app", "echo launched >> launches")
    try await leave(app, "/a", sendsEvents: false)
    let wait = try await home.kettle("wait", "--timeout", "20")
    #expect(wait.code == 0)
    // A service that has stopped has launched what it was to launch.
    #expect(try await home.kettle("daemon", "stop").code == 0)
    #expect(launches.isEmpty)
    #expect(home.heldFiles.count == 1)
  }

  @Test func `nothing is launched while the program is connected`() async throws {
    let app = try home.script("app", "echo launched >> launches; exit 1")
    #expect(try await home.kettle("daemon", "start").code == 0)
    let service = try await home.connect()
    try await attach(app, service)
    try await add("/a", service)
    #expect(try await home.kettle("wait", "--timeout", "20").code == 0)
    #expect(launches.isEmpty)
    await service.close()
    // What it did not take is news as soon as it has gone.
    _ = try await notice()
    #expect(launches == ["launched"])
  }

  @Test func `a challenge launches the program, too`() async throws {
    origin.serve(
      OriginBehavior(body).with { $0.login = Login(user: "me", password: "secret") }, at: "/a")
    let app = try home.script("app", "echo launched >> launches; exit 1")
    try await leave(app, "/a")
    _ = try await notice()
    #expect(launches == ["launched"])
    #expect(try await home.rows().first?["reason"] as? String == "needsLogin")
    #expect(try await home.kettle("list").said.contains("its program is to answer the server"))
  }
}
