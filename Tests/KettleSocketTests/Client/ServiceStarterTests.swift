import Dispatch
import Glibc
import KettleControl
import KettleSocket
import KettleStarter
import TestSupport
import Testing

/// The service is a shell script; the test answers in its place.
@Suite(.timeLimit(.minutes(5)))
struct ServiceStarterTests {
  /// A starter whose executable is a script. `$WORLD` is the directory of the test.
  private func starter(_ world: ClientWorld, _ script: String) throws -> ServiceStarter {
    let path = world.root + "/service"
    try ShellProgram.write(script, to: path)
    var starter = ServiceStarter(paths: world.paths, clientName: "test", executablePath: path)
    starter.environment = world.environment
    // Longer than in the product, because hundreds of tests share the processors.
    starter.budget = .seconds(60)
    return starter
  }

  /// The two pipes on which the script reports that it runs and is allowed to continue. Both ends
  /// are open here, so that opening one never blocks.
  private final class Meeting: Sendable {
    private let started, go: Int32

    static let script = """
      echo >"$WORLD/started"
      read word <"$WORLD/go"

      """

    init(in world: ClientWorld) throws {
      func pipe(_ name: String) throws -> Int32 {
        let path = world.root + name
        try #require(mkfifo(path, 0o600) == 0)
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        return descriptor
      }
      started = try pipe("/started")
      go = try pipe("/go")
    }

    deinit {
      close(started)
      close(go)
    }

    /// Waits for the script, does `work` while it waits, and lets it continue.
    func hold(_ work: () async throws -> Void) async throws {
      let started = started
      let isThere = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          var wanted = pollfd(fd: started, events: Int16(POLLIN), revents: 0)
          continuation.resume(returning: poll(&wanted, 1, 60_000) == 1)
        }
      }
      try #require(isThere)
      try await work()
      #expect(write(go, "\n", 1) == 1)
    }
  }

  @Test func `a running service is used and nothing is started`() async throws {
    let world = try ClientWorld()
    let service = try await ScriptedService(world)
    let client = try await starter(world, #"echo >"$WORLD/was-started""#)
      .connect(startingIfNeeded: true)
    #expect(world.read(world.root + "/was-started") == nil)
    await client.close()
    await service.close()
  }

  @Test func `no service is started unless requested`() async throws {
    let world = try ClientWorld()
    let starter = try starter(world, #"echo >"$WORLD/was-started""#)
    await #expect(throws: ClientError.notRunning(socketPath: world.paths.socketPath)) {
      try await starter.connect(startingIfNeeded: false)
    }
    #expect(world.read(world.root + "/was-started") == nil)
  }

  @Test func `a service that ends during the greeting counts as not running`() async throws {
    let world = try ClientWorld()
    let meeting = try Meeting(in: world)
    let dying = try await ScriptedService(
      at: world.paths.socketPath, lockPath: world.root + "/dying.lock", answersHello: false
    ) { await $0.connection.close() }
    let starter = try starter(world, Meeting.script + "echo >&3")
    async let client = starter.connect(startingIfNeeded: true)
    var service: ScriptedService?
    try await meeting.hold {
      await dying.close()
      service = try await ScriptedService(world)
    }
    try await client.close()
    await service?.close()
  }

  @Test func `the client connects once the service is ready`() async throws {
    let world = try ClientWorld()
    let meeting = try Meeting(in: world)
    let starter = try starter(world, Meeting.script + "echo >&3")
    async let client = starter.connect(startingIfNeeded: true)
    var service: ScriptedService?
    try await meeting.hold { service = try await ScriptedService(world) }
    try await client.close()
    await service?.close()
  }

  // Fault 97
  @Test func `if the started service loses the race the client connects to the winner`()
    async throws
  {
    let world = try ClientWorld()
    let meeting = try Meeting(in: world)
    let starter = try starter(world, Meeting.script + "exit 75")
    async let client = starter.connect(startingIfNeeded: true)
    var service: ScriptedService?
    try await meeting.hold { service = try await ScriptedService(world) }
    try await client.close()
    await service?.close()
  }

  // Fault 97
  @Test func `while one program starts the service, others wait for that one`() async throws {
    let world = try ClientWorld()
    let meeting = try Meeting(in: world)
    let first = try starter(world, Meeting.script + "echo >&3")
    var others = first
    others.executablePath = world.root + "/other-service"
    try ShellProgram.write(#"echo >"$WORLD/was-started"; exit 3"#, to: others.executablePath)
    let waiting = others
    async let client = first.connect(startingIfNeeded: true)
    var service: ScriptedService?
    var clients: [ServiceConnection] = []
    try await meeting.hold {
      #expect(try waiting.acquireStartLock() == nil)
      async let other = waiting.connect(startingIfNeeded: true)
      service = try await ScriptedService(world)
      clients.append(try await other)
    }
    clients.append(try await client)
    #expect(world.read(world.root + "/was-started") == nil)
    for client in clients { await client.close() }
    await service?.close()
  }

  // Fault 107
  @Test func `the service has its own session and inherits nothing`()
    async throws
  {
    let world = try ClientWorld()
    let leaked = open("/dev/null", O_RDONLY)
    try #require(leaked >= 0)
    defer { close(leaked) }
    var starter = try starter(
      world,
      #"""
      echo "$@" >"$WORLD/arguments"
      ls /proc/$$/fd >"$WORLD/descriptors"
      readlink /proc/self/fd/0 /proc/self/fd/2 >"$WORLD/targets"
      read pid name state parent group session rest </proc/$$/stat
      [ "$pid" = "$session" ] && echo leader >"$WORLD/session"
      pwd >"$WORLD/directory"
      grep -E '^Sig(Blk|Ign)' /proc/self/status >"$WORLD/signals"
      echo "said something"
      echo "and complained" >&2
      exit 3
      """#)
    starter.arguments = ["demo-service"]
    let given = starter
    await #expect(throws: ClientError.self) { try await given.connect(startingIfNeeded: true) }
    func result(_ name: String) -> String? { world.read(world.root + "/" + name) }
    #expect(result("arguments") == "demo-service --ready-fd 3\n")
    // Descriptors of the shell: 10 and above are the script itself.
    let descriptors = result("descriptors")?.split(separator: "\n").compactMap { Int($0) }
    #expect(descriptors?.filter { $0 < 10 } == [0, 1, 2, 3])
    #expect(descriptors?.contains(Int(leaked)) == false || leaked == 10)
    let log = world.paths.logPath
    #expect(result("targets") == "/dev/null\n\(log)\n")
    #expect(result("session") == "leader\n")
    #expect(result("directory") == "/\n")
    let signals = result("signals")?.split(whereSeparator: \.isWhitespace)
      .compactMap { UInt64($0, radix: 16) }
    // The shell itself ignores the two signals that the C library reserves.
    #expect(signals?.map { $0 & ~0x1_8000_0000 } == [0, 0])
    #expect(world.read(log) == "said something\nand complained\n")
    var status = stat()
    #expect(stat(log, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `a service that exits is reported with its status and its log`() async throws {
    let world = try ClientWorld()
    let logPath = world.paths.logPath
    await #expect(
      throws: ClientError.didNotStart(detail: "it exited with status 3", logPath: logPath)
    ) { try await starter(world, "exit 3").connect(startingIfNeeded: true) }
  }

  @Test func `a service that says why it exits is quoted`() async throws {
    let world = try ClientWorld()
    let logPath = world.paths.logPath
    func detail(_ script: String) async -> String? {
      do {
        _ = try await starter(world, script).connect(startingIfNeeded: true)
      } catch ClientError.didNotStart(let detail, logPath) {
        return detail
      } catch {
        Issue.record(error)
      }
      return nil
    }
    #expect(
      await detail("echo started; echo 'kettle: The disk is full' >&2; exit 1")
        == "The disk is full")
    // What an earlier one said is not why this one ended.
    #expect(await detail("exit 3") == "it exited with status 3")
    #expect(
      await detail("echo 'kettle: no' >&2; echo trace >&2; exit 3") == "it exited with status 3")
  }

  @Test func `a service killed by a signal is reported with the signal`() async throws {
    let world = try ClientWorld()
    let logPath = world.paths.logPath
    await #expect(
      throws: ClientError.didNotStart(detail: "it was killed by signal 9", logPath: logPath)
    ) { try await starter(world, "kill -9 $$").connect(startingIfNeeded: true) }
  }

  @Test func `a service that is not ready within the budget is an error`() async throws {
    let world = try ClientWorld()
    var starter = try starter(world, "exec sleep 5")
    starter.budget = .seconds(1)
    let logPath = world.paths.logPath
    await #expect(
      throws: ClientError.didNotStart(
        detail: "it was not ready within 1 s", logPath: logPath)
    ) { try await starter.connect(startingIfNeeded: true) }
  }

  @Test func `a missing program is named`() async throws {
    let world = try ClientWorld()
    let path = world.root + "/missing"
    let starter = ServiceStarter(paths: world.paths, clientName: "test", executablePath: path)
    await #expect(
      throws: ClientError.didNotStart(
        detail: "\"\(path)\" cannot be run: No such file or directory",
        logPath: world.paths.logPath)
    ) { try await starter.connect(startingIfNeeded: true) }
  }

  @Test func `the running program finds its own executable`() {
    let path = ServiceProcess.ownExecutablePath()
    #expect(path.hasPrefix("/") && access(path, X_OK) == 0)
  }
}
