import KettleModel
import KettleScheduler
import Testing

@Suite struct SessionTableTests {
  private var world = SessionWorld()

  /// A program that queued two tasks and disconnected.
  private mutating func leaveTwo() {
    world.attach()
    world.task(1, .queued)
    world.task(2, .queued)
    world.detach()
  }

  /// As `leaveTwo`; both tasks have finished, so the program was launched.
  private mutating func launchForTwo() {
    leaveTwo()
    world.task(1, .completed)
    world.task(2, .failed)
  }

  // MARK: When it is launched

  @Test mutating func `a program is launched when its last task finishes`() {
    leaveTwo()
    world.task(1, .completed)
    #expect(world.launches.isEmpty)
    world.task(2, .failed)
    #expect(world.launches.count == 1)
    #expect(world.record?.launch == .spent)
  }

  @Test mutating func `a connected program is not launched`() {
    world.attach()
    world.task(1, .completed)
    #expect(world.launches.isEmpty)
    // It exits without acknowledging the task.
    world.detach()
    #expect(world.launches.count == 1)
  }

  @Test mutating func `acknowledged tasks cause no launch`() {
    world.attach()
    world.task(1, .completed)
    world.acknowledge(1)
    world.detach()
    #expect(world.launches.isEmpty)
    #expect(world.table.tally(of: SessionWorld.app).counts == [:])
  }

  @Test mutating func `a challenge launches the program while other tasks are unfinished`() {
    leaveTwo()
    world.task(1, .waiting, asking: 0)
    #expect(world.launches.count == 1)
  }

  @Test(arguments: [
    SessionOptions(launch: nil),
    SessionOptions(launch: SessionWorld.command, sendsLaunchEvents: false),
  ])
  mutating func `a program that declines launches is not launched`(_ options: SessionOptions) {
    world.attach(options: options)
    world.task(1, .queued)
    world.detach()
    world.task(1, .completed)
    world.pass(100_000)
    #expect(world.launches.isEmpty)
  }

  @Test mutating func `a task kept as resume data neither causes nor delays a launch`() {
    leaveTwo()
    world.task(1, .paused, aside: true)
    #expect(world.launches.isEmpty)
    world.task(2, .completed)
    #expect(world.launches.count == 1)
    #expect(world.table.tally(of: SessionWorld.app).unreportedCount == 1)
  }

  @Test mutating func `the user's own transfers cause no launch`() {
    world.attach()
    world.detach()
    var snapshot = world.snapshot(1, .completed)
    snapshot.task = nil
    world.perform(world.table.observe(snapshot))
    #expect(world.launches.isEmpty)
    #expect(world.table.session(of: snapshot.id) == nil)
  }

  // MARK: At most once

  @Test
  mutating func `a program that acknowledges nothing is not launched again for the same tasks`() {
    launchForTwo()
    for connection: UInt64 in 2..<6 {
      world.attach(connection)
      world.detach(connection)
      world.pass(60_000)
    }
    #expect(world.launches.count == 1)
  }

  @Test mutating func `a task that finishes after a launch causes exactly one more launch`() {
    launchForTwo()
    world.attach(2)
    world.task(3, .queued)
    world.detach(2)
    world.perform(
      world.table.launchEnded(of: SessionWorld.app, world.launches[0], how: "exit 0", at: world.now)
    )
    #expect(world.launches.count == 1)
    world.pass(1000)
    world.task(3, .completed)
    #expect(world.launches.count == 2)
    world.pass(100_000)
    #expect(world.launches.count == 2)
  }

  @Test mutating func `a task that is restarted and finishes causes another launch`() {
    launchForTwo()
    world.pass(40_000)
    world.task(2, .queued)
    #expect(world.record?.launch == .armed)
    world.task(2, .completed)
    #expect(world.launches.count == 2)
  }

  @Test mutating func `a new challenge causes another launch, and a repeated one does not`() {
    leaveTwo()
    world.task(1, .waiting, asking: 0)
    world.pass(40_000)
    world.task(1, .waiting, asking: 0)
    #expect(world.launches.count == 1)
    world.attach(2)
    world.task(1, .running)
    world.detach(2)
    world.task(1, .waiting, asking: 1)
    #expect(world.launches.count == 2)
  }

  @Test mutating func `a recorded launch is not repeated after a restart`() {
    launchForTwo()
    let tasks = [world.snapshot(1, .completed), world.snapshot(2, .failed)]
    world.restart(tasks)
    world.pass(100_000)
    #expect(world.launches.count == 1)
  }

  @Test mutating func `an unrecorded launch is made after a restart`() {
    leaveTwo()
    world.task(1, .completed)
    world.restart([world.snapshot(1, .completed), world.snapshot(2, .completed)])
    #expect(world.launches.isEmpty)
    world.pass(SessionMachine.returnMilliseconds)
    #expect(world.launches.count == 1)
  }

  @Test mutating func `a program that reconnects after a restart is not launched`() {
    leaveTwo()
    world.restart([world.snapshot(1, .completed), world.snapshot(2, .completed)])
    world.pass(SessionMachine.returnMilliseconds - 1)
    world.attach(7)
    world.pass(100_000)
    #expect(world.launches.isEmpty)
  }

  @Test mutating func `a launch that cannot be recorded is not made and is retried later`() {
    leaveTwo()
    world.task(1, .completed)
    world.perform(world.table.observe(world.snapshot(2, .completed)), isKept: false)
    #expect(world.launches.isEmpty)
    world.pass(59_999)
    #expect(world.launches.isEmpty)
    world.pass(1)
    #expect(world.launches.count == 1)
  }

  @Test mutating func `a task restarted while its launch is being recorded cancels the launch`() {
    leaveTwo()
    world.task(1, .completed)
    let actions = world.table.observe(world.snapshot(2, .completed))
    world.task(2, .queued)
    world.perform(actions)
    #expect(world.launches.isEmpty)
    world.task(2, .completed)
    #expect(world.launches.count == 1)
  }

  // MARK: Connections

  @Test mutating func `a second program is refused with the process ID of the first`() {
    world.attach(1, processID: 4711)
    let other = SessionHolder(connection: 2, processID: 5, processSession: nil)
    #expect(
      world.table.attach(
        other, to: SessionWorld.app, SessionOptions(launch: nil), at: world.now)
        == .inUse(processID: 4711))
    #expect(world.table.remove(SessionWorld.app, by: 2) == .inUse(processID: 4711))
    #expect(world.table.isHeld(SessionWorld.app, by: 1))
    #expect(!world.table.isHeld(SessionWorld.app, by: 2))
    world.detach()
    world.attach(2)
    #expect(world.table.isHeld(SessionWorld.app, by: 2))
  }

  @Test mutating func `a second call on the same connection changes the options`() {
    world.attach()
    world.attach(options: SessionOptions(launch: nil, connectionsPerHostMax: 2))
    #expect(world.record?.options == SessionOptions(launch: nil, connectionsPerHostMax: 2))
  }

  @Test mutating func `the time of the last connection is recorded`() {
    world.attach()
    world.pass(9000)
    world.detach()
    #expect(world.record?.lastSeenAt == world.now.wall)
    #expect(world.record?.createdAt == WallTime(millisecondsSince1970: 5000))
  }

  @Test mutating func `a session can be removed by its own program`() {
    world.attach()
    #expect(world.table.remove(SessionWorld.app, by: 1) == .removed)
    #expect(world.table.remove(SessionWorld.app, by: 1) == .unknown)
    #expect(world.table.sessions.isEmpty)
  }

  // MARK: Responses

  @Test mutating func `a launched program that reports completion leaves no problem behind`() {
    launchForTwo()
    world.perform(
      world.table.launchStarted(of: SessionWorld.app, world.launches[0], processID: 200))
    world.attach(2, processID: 201, processSession: 200)
    world.perform(world.table.finishEvents(of: SessionWorld.app))
    world.pass(100_000)
    #expect(world.trouble == nil)
    #expect(world.table.nextWakeUp == nil)
  }

  @Test mutating func `a launched program silent for 30 seconds is reported and keeps running`() {
    launchForTwo()
    world.perform(
      world.table.launchStarted(of: SessionWorld.app, world.launches[0], processID: 200))
    world.attach(2, processID: 200, processSession: 200)
    world.pass(29_999)
    #expect(world.trouble == nil)
    world.pass(1)
    #expect(world.trouble == .silent)
    #expect(world.table.isHeld(SessionWorld.app, by: 2))
    // It finally reports completion.
    world.perform(world.table.finishEvents(of: SessionWorld.app))
    #expect(world.trouble == nil)
  }

  @Test mutating func `a program that connects on its own counts as the response to the launch`() {
    launchForTwo()
    world.perform(
      world.table.launchStarted(of: SessionWorld.app, world.launches[0], processID: 200))
    world.attach(2, processID: 300, processSession: 299)
    // The launched program finds the session in use and exits.
    world.perform(
      world.table.launchEnded(of: SessionWorld.app, world.launches[0], how: "exit 1", at: world.now)
    )
    world.pass(100_000)
    #expect(world.trouble == nil)
  }

  @Test
  mutating func `an early connection is matched with the launched process once its ID is known`() {
    launchForTwo()
    world.attach(2, processID: 300, processSession: 299)
    world.perform(
      world.table.launchStarted(of: SessionWorld.app, world.launches[0], processID: 200))
    #expect(
      world.program
        == .connected(SessionHolder(connection: 2, processID: 300, processSession: 299)))
  }

  @Test mutating func `a program that cannot be run is reported with its errno`() {
    launchForTwo()
    world.perform(
      world.table.launchFailed(
        of: SessionWorld.app, world.launches[0], errno: "ENOENT", at: world.now))
    #expect(world.trouble == .notRun("ENOENT"))
    world.pass(1000)
    #expect(world.program == .away)
  }

  @Test mutating func `a program that exits before it reports completion is reported`() {
    launchForTwo()
    world.attach(2)
    world.perform(
      world.table.launchEnded(
        of: SessionWorld.app, world.launches[0], how: "signal 11", at: world.now))
    // Its child process still has the connection.
    #expect(world.trouble == nil)
    world.detach(2)
    #expect(world.trouble == .ended("signal 11"))
  }

  @Test mutating func `reports of an earlier launch do not affect the current one`() {
    launchForTwo()
    world.pass(30_000)
    world.task(2, .queued)
    world.task(2, .completed)
    world.perform(
      world.table.launchEnded(of: SessionWorld.app, world.launches[0], how: "exit 9", at: world.now)
    )
    #expect(world.launches.count == 2)
    #expect(world.trouble == nil)
  }

  @Test func `a failed task with a resume token still causes a launch`() {
    var world = SessionWorld()
    world.attach()
    world.task(1, .failed, aside: true)
    world.detach()
    #expect(world.launches.count == 1)
  }

  @Test func `a program without a preference is consulted only while it is connected`() throws {
    var world = SessionWorld()
    let findsOut = SessionOptions(
      launch: SessionWorld.command, asksServerTrust: true, asksServerTrustWhenAway: false)
    func asks(_ world: SessionWorld, isConnected: Bool) throws -> Bool {
      SessionPolicy(try #require(world.record).options, isConnected: isConnected).asksServerTrust
    }
    world.attach(options: findsOut)
    #expect(try asks(world, isConnected: true))
    #expect(try !asks(world, isConnected: false))
    // It set the preference once, so its next run is consulted before it sets it again.
    world.attach(options: SessionOptions(launch: SessionWorld.command, asksServerTrust: true))
    world.detach()
    world.attach(options: findsOut)
    #expect(try asks(world, isConnected: false))
    world.attach(options: SessionOptions(launch: SessionWorld.command, asksServerTrust: false))
    #expect(try !asks(world, isConnected: true))
    world.attach(options: findsOut)
    #expect(try !asks(world, isConnected: false))
  }

  @Test func `a program is asked about delayed tasks if it is connected or can be launched`() {
    var world = SessionWorld()
    world.attach()
    #expect(world.asksBeforeBeginning)
    world.detach()
    #expect(world.asksBeforeBeginning)
    world.task(1, .waiting, asking: 0)
    #expect(world.launches.count == 1)
    world.perform(
      world.table.launchFailed(
        of: SessionWorld.app, world.launches[0], errno: "ENOENT", at: world.now))
    #expect(!world.asksBeforeBeginning)
  }

  @Test func `a program that cannot be launched is asked only while it is connected`() {
    for options in [
      SessionOptions(launch: nil),
      SessionOptions(launch: SessionWorld.command, sendsLaunchEvents: false),
      SessionOptions(launch: SessionWorld.command, asksBeforeBeginningWhenAway: false),
    ] {
      var world = SessionWorld()
      world.attach(options: options)
      #expect(world.asksBeforeBeginning)
      world.detach()
      #expect(!world.asksBeforeBeginning)
    }
  }

  @Test func `what is known about the answers of a program survives its next run`() {
    var world = SessionWorld()
    world.attach(
      options: SessionOptions(launch: SessionWorld.command, asksBeforeBeginningWhenAway: false))
    world.detach()
    world.attach(2)
    world.detach(2)
    #expect(!world.asksBeforeBeginning)
    world.attach(
      3, options: SessionOptions(launch: SessionWorld.command, asksBeforeBeginningWhenAway: true))
    world.detach(3)
    #expect(world.asksBeforeBeginning)
  }
}

extension SessionWorld {
  fileprivate var asksBeforeBeginning: Bool {
    table.sessions[Self.app]?.policy.asksBeforeBeginning ?? false
  }
}
