import KettleModel
import KettleScheduler
import Testing

@Suite struct SessionTableTests {
  private var world = SessionWorld()

  /// A program that queued two tasks and left.
  private mutating func leaveTwo() {
    world.attach()
    world.task(1, .queued)
    world.task(2, .queued)
    world.detach()
  }

  /// The same, and both are done: it was launched.
  private mutating func launchForTwo() {
    leaveTwo()
    world.task(1, .completed)
    world.task(2, .failed)
  }

  // MARK: When it is launched

  @Test mutating func `a program is launched when the last of its tasks is done`() {
    leaveTwo()
    world.task(1, .completed)
    #expect(world.launches.isEmpty)
    world.task(2, .failed)
    #expect(world.launches.count == 1)
    #expect(world.record?.launch == .spent)
  }

  @Test mutating func `nothing is launched while the program is connected`() {
    world.attach()
    world.task(1, .completed)
    #expect(world.launches.isEmpty)
    // It ends before it has taken what is there.
    world.detach()
    #expect(world.launches.count == 1)
  }

  @Test mutating func `acknowledged tasks launch no program`() {
    world.attach()
    world.task(1, .completed)
    world.acknowledge(1)
    world.detach()
    #expect(world.launches.isEmpty)
    #expect(world.table.tally(of: SessionWorld.app).counts == [:])
  }

  @Test mutating func `a challenge launches the program while other tasks are under way`() {
    leaveTwo()
    world.task(1, .waiting, asking: 0)
    #expect(world.launches.count == 1)
  }

  @Test(arguments: [
    SessionOptions(launch: nil),
    SessionOptions(launch: SessionWorld.command, sendsLaunchEvents: false),
  ])
  mutating func `a program that wants no launch is not launched`(_ options: SessionOptions) {
    world.attach(options: options)
    world.task(1, .queued)
    world.detach()
    world.task(1, .completed)
    world.pass(100_000)
    #expect(world.launches.isEmpty)
  }

  @Test mutating func `a task put aside as resume data is neither news nor awaited`() {
    leaveTwo()
    world.task(1, .paused, aside: true)
    #expect(world.launches.isEmpty)
    world.task(2, .completed)
    #expect(world.launches.count == 1)
    #expect(world.table.tally(of: SessionWorld.app).untoldCount == 1)
  }

  @Test mutating func `transfers of the user launch no program`() {
    world.attach()
    world.detach()
    var snapshot = world.snapshot(1, .completed)
    snapshot.task = nil
    world.perform(world.table.observe(snapshot))
    #expect(world.launches.isEmpty)
    #expect(world.table.session(of: snapshot.id) == nil)
  }

  // MARK: At most once

  @Test mutating func `a program that accepts nothing is not launched again for the same news`() {
    launchForTwo()
    for connection: UInt64 in 2..<6 {
      world.attach(connection)
      world.detach(connection)
      world.pass(60_000)
    }
    #expect(world.launches.count == 1)
  }

  @Test mutating func `what finishes after a launch launches again, once`() {
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

  @Test mutating func `a task that is started again and finishes is news again`() {
    launchForTwo()
    world.pass(40_000)
    world.task(2, .queued)
    #expect(world.record?.launch == .armed)
    world.task(2, .completed)
    #expect(world.launches.count == 2)
  }

  @Test mutating func `the next challenge of a task is news, the same is not`() {
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

  @Test mutating func `a launch that is on record is not repeated by the next service`() {
    launchForTwo()
    let tasks = [world.snapshot(1, .completed), world.snapshot(2, .failed)]
    world.restart(tasks)
    world.pass(100_000)
    #expect(world.launches.count == 1)
  }

  @Test mutating func `a launch that is not on record is made up for by the next service`() {
    leaveTwo()
    world.task(1, .completed)
    world.restart([world.snapshot(1, .completed), world.snapshot(2, .completed)])
    #expect(world.launches.isEmpty)
    world.pass(SessionMachine.returnMilliseconds)
    #expect(world.launches.count == 1)
  }

  @Test mutating func `a program that reconnects to a new service is not launched a second time`() {
    leaveTwo()
    world.restart([world.snapshot(1, .completed), world.snapshot(2, .completed)])
    world.pass(SessionMachine.returnMilliseconds - 1)
    world.attach(7)
    world.pass(100_000)
    #expect(world.launches.isEmpty)
  }

  @Test mutating func `a launch that cannot be kept is not made, and tried again later`() {
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

  @Test mutating func `a second program learns which process has the session`() {
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

  @Test mutating func `when the program was seen last is on record`() {
    world.attach()
    world.pass(9000)
    world.detach()
    #expect(world.record?.lastSeenAt == world.now.wall)
    #expect(world.record?.createdAt == WallTime(millisecondsSince1970: 5000))
  }

  @Test mutating func `a session that was removed is forgotten, its own program may ask`() {
    world.attach()
    #expect(world.table.remove(SessionWorld.app, by: 1) == .removed)
    #expect(world.table.remove(SessionWorld.app, by: 1) == .unknown)
    #expect(world.table.sessions.isEmpty)
  }

  // MARK: Responses

  @Test mutating func `a launched program that says it is done leaves no trouble behind`() {
    launchForTwo()
    world.perform(
      world.table.launchStarted(of: SessionWorld.app, world.launches[0], processID: 200))
    world.attach(2, processID: 201, processSession: 200)
    world.perform(world.table.finishEvents(of: SessionWorld.app))
    world.pass(100_000)
    #expect(world.trouble == nil)
    #expect(world.table.nextWakeUp == nil)
  }

  @Test mutating func `a launched program that is silent for 30 seconds is noted and left alone`() {
    launchForTwo()
    world.perform(
      world.table.launchStarted(of: SessionWorld.app, world.launches[0], processID: 200))
    world.attach(2, processID: 200, processSession: 200)
    world.pass(29_999)
    #expect(world.trouble == nil)
    world.pass(1)
    #expect(world.trouble == .silent)
    #expect(world.table.isHeld(SessionWorld.app, by: 2))
    // It says so at last.
    world.perform(world.table.finishEvents(of: SessionWorld.app))
    #expect(world.trouble == nil)
  }

  @Test mutating func `a program that connects on its own counts as the response to the launch`() {
    launchForTwo()
    world.perform(
      world.table.launchStarted(of: SessionWorld.app, world.launches[0], processID: 200))
    world.attach(2, processID: 300, processSession: 299)
    // The launched one finds the session in use and ends.
    world.perform(
      world.table.launchEnded(of: SessionWorld.app, world.launches[0], how: "exit 1", at: world.now)
    )
    world.pass(100_000)
    #expect(world.trouble == nil)
  }

  @Test mutating func `who came before it was known which process was started is found out then`() {
    launchForTwo()
    world.attach(2, processID: 300, processSession: 299)
    world.perform(
      world.table.launchStarted(of: SessionWorld.app, world.launches[0], processID: 200))
    #expect(
      world.program
        == .connected(SessionHolder(connection: 2, processID: 300, processSession: 299)))
  }

  @Test mutating func `a program that cannot be run is noted by its errno`() {
    launchForTwo()
    world.perform(
      world.table.launchFailed(
        of: SessionWorld.app, world.launches[0], errno: "ENOENT", at: world.now))
    #expect(world.trouble == .notRun("ENOENT"))
    world.pass(1000)
    #expect(world.program == .away)
  }

  @Test mutating func `a program that ends before it says that it is done is noted`() {
    launchForTwo()
    world.attach(2)
    world.perform(
      world.table.launchEnded(
        of: SessionWorld.app, world.launches[0], how: "signal 11", at: world.now))
    // What it started holds the connection.
    #expect(world.trouble == nil)
    world.detach(2)
    #expect(world.trouble == .ended("signal 11"))
  }

  @Test mutating func `reports of an earlier launch do not affect the present one`() {
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

  @Test func `a failure whose token was made is still news`() {
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
    // It responded once: its next run is always consulted, although it does not say so yet.
    world.attach(options: SessionOptions(launch: SessionWorld.command, asksServerTrust: true))
    world.detach()
    world.attach(options: findsOut)
    #expect(try asks(world, isConnected: false))
    world.attach(options: SessionOptions(launch: SessionWorld.command, asksServerTrust: false))
    #expect(try !asks(world, isConnected: true))
    world.attach(options: findsOut)
    #expect(try !asks(world, isConnected: false))
  }
}
