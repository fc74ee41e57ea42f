import Foundation
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct DaemonCommandTests {
  @Test func `status without a service exits with 3 and starts nothing`() async {
    var context = FakeContext()
    let connector = FakeConnector([.failure(.notRunning(socketPath: "/run/k"))])
    context.connector = connector
    for arguments in [["daemon", "status"], ["daemon", "status", "--json"]] {
      context.console = FakeConsole()
      #expect(
        await context.run(arguments)
          == .init(
            code: 3, output: "",
            error: "kettle: No service is running at \"/run/k\"; "
              + "start it with \"kettle daemon start\"\n"))
    }
    #expect(connector.attempts.allSatisfy { !$0.startIfNeeded })
  }

  @Test func `status shows the service and its transfers`() async {
    var context = FakeContext()
    context.service = FakeService([snapshot(1, .running), snapshot(2, .failed)])
    #expect(
      await context.run("daemon", "status")
        == .init(
          code: 0,
          output: """
            Kettle 0.1.0, process 4711, since 2026-11-21 14:00:00
            Transfers: 1 running, 1 failed
            Speed: 0 B/s
            Free: 182 GiB
            Store: /home/anna/.local/state/kettle/store.sqlite
            Socket: /run/user/1000/kettle/control.sock

            """, error: ""))
  }

  @Test func `status shows the overall limit`() {
    var totals = Totals()
    totals.limitBytesPerSecond = 3 << 19
    let lines = Sentences.status(
      ServiceStatus.Result(
        processID: 1, startedAt: WallTime(millisecondsSince1970: 0), storePath: "/s",
        totals: totals, notices: []),
      notices: [], socketPath: "/k", clock: FakeClock())
    #expect(lines.contains("Limit: 1.5 MiB/s in total"))
  }

  @Test(
    arguments: [
      (ProxiesInUse(), "Proxy: none"),
      (ProxiesInUse(http: "http://p:3128", https: "http://p:3128"), "Proxy: http://p:3128"),
      (ProxiesInUse(http: "http://p:3128"), "Proxy: http://p:3128 for http, none for https"),
      (
        ProxiesInUse(unusable: ["http_proxy"]),
        "Proxy: unusable, because http_proxy is not the address of a proxy"
      ),
    ])
  func `status says which proxy the service uses`(proxies: ProxiesInUse, line: String) {
    let lines = Sentences.status(
      ServiceStatus.Result(
        processID: 1, startedAt: WallTime(millisecondsSince1970: 0), storePath: "/s",
        totals: Totals(), notices: [], proxies: proxies),
      notices: [], socketPath: "/k", clock: FakeClock())
    #expect(lines.contains(line))
  }

  @Test func `status --json is one object`() async throws {
    let outcome = await FakeContext().run("daemon", "status", "--json")
    #expect(
      outcome.output == """
        {"serviceVersion": "0.1.0", "processID": 4711, "startedAt": "2026-11-21T12:00:00Z", \
        "socketPath": "/run/user/1000/kettle/control.sock", \
        "storePath": "/home/anna/.local/state/kettle/store.sqlite", "logPath": null, \
        "configPath": null, "downloadsDirectory": null, "bytesPerSecond": 0, \
        "freeBytes": 195421011968, "proxy": null, "start": null, "counts": {"idle": 0, \
        "scheduled": 0, "queued": 0, "running": 0, "waiting": 0, "paused": 0, "verifying": 0, "completed": 0, "failed": 0}, \
        "notices": []}

        """)
  }

  @Test func `start waits until the service replies`() async {
    let context = FakeContext()
    #expect(
      await context.run("daemon", "start")
        == .init(code: 0, output: "The service is running (process 4711)\n", error: ""))
  }

  @Test func `start prints the notices of the service`() async {
    let context = FakeContext()
    context.service.have(notices: ["Line 3 of \"c\" cannot be read\u{1B}"])
    #expect(
      await context.run("daemon", "start")
        == .init(
          code: 0,
          output: """
            The service is running (process 4711)
            Notice: Line 3 of "c" cannot be read\u{FFFD}

            """, error: ""))
  }

  @Test func `stop waits until the socket disappears`() async {
    var context = FakeContext()
    let connector = FakeConnector([
      .success(context.service), .failure(.notRunning(socketPath: "/s")),
    ])
    connector.socket(true, true, false)
    context.connector = connector
    #expect(
      await context.run("daemon", "stop")
        == .init(code: 0, output: "The service has stopped\n", error: ""))
    #expect(context.service.asked == [.stop])
    #expect(context.clock.elapsedMilliseconds == 100)
  }

  @Test func `stop without a service succeeds`() async {
    var context = FakeContext()
    context.connector = FakeConnector([.failure(.notRunning(socketPath: "/s"))])
    #expect(
      await context.run("daemon", "stop")
        == .init(code: 0, output: "No service is running\n", error: ""))
  }

  @Test func `a service that does not stop in time is reported`() async {
    let context = FakeContext()
    let outcome = await context.run("daemon", "stop")
    #expect(outcome.code == 4)
    #expect(outcome.error.contains("did not stop within 30 seconds"))
    #expect(context.clock.elapsedMilliseconds >= 30_000)
  }

  @Test func `run returns the exit code of the service`() async {
    #expect(await FakeContext().run("daemon", "run").code == 42)
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    let outcome = await FakeContext().run("daemon", "run", "--ready-fd", "\(descriptor)")
    #expect(outcome.code == 40 + descriptor)
    let demo = await FakeContext().run("demo-service", "--ready-fd", "\(descriptor)")
    #expect(demo.code == 60 + descriptor)
  }

  @Test(arguments: ["-1", "99999"])
  func `a --ready-fd that is not open is rejected`(text: String) async {
    let outcome = await FakeContext().run("daemon", "run", "--ready-fd=\(text)")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("of --ready-fd is not open"))
  }

  final class FakeProcess: RunningService {
    private let answers: Mutex<[Bool]>
    private let asked = Mutex(0)
    var terminations: Int { asked.withLock { $0 } }

    init(hasEnded answers: Bool...) { self.answers = Mutex(answers) }

    var hasEnded: Bool { answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? true } }

    func terminate() -> Bool {
      asked.withLock { $0 += 1 }
      return true
    }
  }

  // Fault 189
  @Test func `stop waits until the process has ended, not only its socket`() async {
    var context = FakeContext()
    let connector = FakeConnector([.success(context.service)])
    connector.run(as: FakeProcess(hasEnded: false, false, true))
    context.connector = connector
    #expect(
      await context.run("daemon", "stop")
        == .init(code: 0, output: "The service has stopped\n", error: ""))
    #expect(context.service.asked == [.stop])
    #expect(context.clock.elapsedMilliseconds == 100)
  }

  // Fault 189
  @Test func `stop ends a service of another protocol version by its process`() async {
    var context = FakeContext()
    let connector = FakeConnector([.failure(.versionMismatch(ours: 1, theirs: "2"))])
    context.connector = connector
    #expect(await context.run("daemon", "stop").code == 3)
    let process = FakeProcess(hasEnded: true)
    connector.run(as: process)
    var next = FakeContext()
    next.connector = connector
    #expect(
      await next.run("daemon", "stop")
        == .init(code: 0, output: "The service has stopped\n", error: ""))
    #expect(process.terminations == 1)
  }

  @Test func `status says where everything is, and that the versions differ`() {
    var status = ServiceStatus.Result(
      serviceVersion: "0.0.9", processID: 1, startedAt: WallTime(millisecondsSince1970: 0),
      storePath: "/s", totals: Totals(), notices: [])
    status.places = .init(
      logPath: "/l", configPath: "/c", downloadsDirectory: "/d", socketPath: "/k")
    let lines = Sentences.status(status, notices: [], socketPath: "/k", clock: FakeClock())
    #expect(
      lines.suffix(5) == [
        "Downloads: /d", "Configuration: /c", "Store: /s", "Log: /l", "Socket: /k",
      ])
    #expect(Sentences.otherVersion(status)?.hasPrefix("The service is of version 0.0.9") == true)
    status.serviceVersion = ProductVersion.text
    #expect(Sentences.otherVersion(status) == nil)
  }
}
