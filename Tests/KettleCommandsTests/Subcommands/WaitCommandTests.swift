import KettleControl
import KettleModel
import KettleSocket
import KettleStarter
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct WaitCommandTests {
  private func context(_ rows: TransferSnapshot...) -> FakeContext {
    var context = FakeContext()
    context.service = FakeService(rows)
    // The clock is stopped: a timeout is reached only if a test lets time pass.
    context.clock = FakeClock(stands: true)
    return context
  }

  @Test func `with nothing unfinished wait prints a message and exits`() async {
    let context = context(snapshot(1, .completed), snapshot(2, .failed))
    #expect(
      await context.run("wait", "--all")
        == .init(
          code: 1, output: "",
          error: """
            Nothing to wait for: no transfer is unfinished
            kettle: 1 of 2 transfers failed; "kettle list" shows all

            """))
    #expect(
      await self.context(snapshot(1, .completed)).run("wait", "--all")
        == .init(
          code: 0, output: "",
          error: "Nothing to wait for: no transfer is unfinished\n"))
  }

  @Test func `a collection whose files wait for the user alone counts as failed`() async throws {
    let url = try TransferURL.parse("https://example.org/pub/").get().url
    var request = CollectionRequest(CollectionSource(.index, name: url.text, url: url))
    var list = CollectionList()
    list.memberCount = 3
    request.list = list
    var row = snapshot(1, .waiting)
    row.reason = .members
    row.collection = CollectionProgress(request)
    row.collection?.completedCount = 2
    row.collection?.needsUserCount = 1
    let outcome = await context(row).run("wait", "1")
    #expect(outcome.code == 1)
    #expect(
      outcome.error.contains("needs you: 2 of 3 files, 1 waiting for you"), "\(outcome.error)")
  }

  @Test func `without ids an earlier failure counts, and with ids only the named ones`() async {
    func context() -> FakeContext {
      let context = self.context(snapshot(1, .running), snapshot(2, .failed))
      context.service.onWatch([event(snapshot(1, .completed))])
      return context
    }
    #expect(
      await context().run("wait", "--all")
        == .init(
          code: 1, output: "",
          error: "kettle: 1 of 2 transfers failed; \"kettle list\" shows all\n"))
    #expect(await context().run("wait", "1") == .init(code: 0, output: "", error: ""))
  }

  @Test func `without ids wait covers all transfers unfinished at the start`() async {
    let context = context(snapshot(1, .running), snapshot(2, .queued), snapshot(3, .completed))
    context.service.onWatch([
      event(snapshot(1, .completed)), event(snapshot(9, .failed)), event(snapshot(2, .completed)),
    ])
    #expect(await context.run("wait", "--all") == .init(code: 0, output: "", error: ""))
  }

  @Test func `finished transfers are reported by id, and active ones are not read`() async {
    let context = context(snapshot(1, .running), snapshot(2, .queued), snapshot(3, .scheduled))
    var failed = snapshot(3, .failed)
    failed.error = TransferFailure(.hostNotFound, on: "example.org")
    func completed(_ ids: Int64...) -> ControlNotification {
      .completed(CompletedTransfers(runs: IDRuns(ids.map(TransferID.init(rawValue:)))))
    }
    context.service.onWatch([completed(2, 9), .event(event(failed)), completed(1)])
    let outcome = await context.run("wait", "--all")
    #expect(outcome.code == 1)
    #expect(
      outcome.error
        == """
        Transfer 3 is scheduled and starts later; waiting for it
        kettle: The host "example.org" was not found; check its name and the network
        kettle: 1 of 3 transfers failed; "kettle list" shows all

        """)
    let lists = context.service.asked.compactMap { asked -> [TransferState]? in
      if case .list(let viewport) = asked, viewport.count > 0 {
        viewport.filter.states
      } else {
        nil
      }
    }
    #expect(lists == [[.idle, .scheduled, .waiting, .paused], [.queued]])
    #expect(context.service.asked.contains(.watch(includesProgress: false, gathersCompleted: true)))
  }

  // Fault 201
  @Test func `waiting for many ids takes as few requests as for a handful`() async {
    let rows = (1...3000).map { snapshot($0, $0 % 2 == 0 ? .queued : .completed) }
    var context = FakeContext()
    context.service = FakeService(rows + [snapshot(3001, .failed), snapshot(3002, .paused)])
    context.clock = FakeClock(stands: true)
    context.service.onWatch([
      .completed(CompletedTransfers(runs: IDRuns(rows.map(\.id)))),
      .event(event(snapshot(3002, .completed))),
    ])
    let outcome = await context.run(["wait"] + (1...3002).map(String.init))
    #expect(outcome.code == 1)
    #expect(
      outcome.error
        == """
        kettle: Transfer 3001 failed; start it again with "kettle start 3001"
        Transfer 3002 is paused and will not resume by itself; waiting until it is started with \
        "kettle start 3002"

        """)
    #expect(context.service.asked.count < 10)
  }

  @Test func `unknown ids among many exit with 2`() async {
    var context = FakeContext()
    context.service = FakeService((1...200).map { snapshot($0, .queued) })
    let outcome = await context.run(["wait"] + (1...201).map(String.init))
    #expect(outcome.code == 2)
    #expect(
      outcome.error == "kettle: There is no transfer 201; \"kettle list\" shows all transfers\n")
  }

  @Test func `many that stand still are read page by page`() async {
    var context = FakeContext()
    context.service = FakeService((1...500).map { snapshot($0, .failed) })
    let outcome = await context.run(["wait"] + (1...500).map(String.init))
    #expect(outcome.code == 1)
    #expect(context.service.asked.count < 10)
  }

  @Test func `missing events cause the state to be read again`() async {
    let context = context(snapshot(1, .running))
    // The completion of the transfer is not among the received events.
    context.service.describe([snapshot(1, .running), snapshot(1, .completed)])
    context.service.onWatch([ControlNotification.resynchronise])
    #expect(await context.run("wait", "1") == .init(code: 0, output: "", error: ""))
  }

  @Test func `a transfer that pauses after the start is not waited for`() async {
    let context = context(snapshot(1, .running))
    context.service.afterList { $0.append(snapshot(2, .paused)) }
    context.service.onWatch([event(snapshot(1, .completed))])
    #expect(await context.run("wait", "--all") == .init(code: 0, output: "", error: ""))
  }

  @Test func `a failure exits with 1 after all are finished`() async {
    let context = context(snapshot(1, .running), snapshot(2, .queued))
    var failed = snapshot(1, .failed)
    failed.error = TransferFailure(.hostNotFound, on: "example.org")
    context.service.onWatch([event(failed), event(snapshot(2, .completed))])
    #expect(
      await context.run("wait", "1", "2", "1")
        == .init(
          code: 1, output: "",
          error: "kettle: The host \"example.org\" was not found; "
            + "check its name and the network\n"))
  }

  @Test func `a named transfer that has already failed exits with 1`() async {
    #expect(await context(snapshot(1, .failed)).run("wait", "1").code == 1)
  }

  @Test func `an unknown id exits with 2`() async {
    let outcome = await context(snapshot(1, .running)).run("wait", "1", "8", "9")
    #expect(
      outcome
        == .init(
          code: 2, output: "",
          error: """
            kettle: There is no transfer 8; "kettle list" shows all transfers
            kettle: There is no transfer 9; "kettle list" shows all transfers

            """))
  }

  @Test func `a paused transfer is reported once and waited for`() async {
    let context = context(snapshot(1, .paused), snapshot(2, .idle))
    context.service.onWatch([
      event(snapshot(1, .paused)), event(snapshot(1, .queued)), event(snapshot(1, .completed)),
      event(snapshot(2, .completed)),
    ])
    #expect(
      await context.run("wait", "--all")
        == .init(
          code: 0, output: "",
          error: """
            Transfer 1 is paused and will not resume by itself; waiting until it is started with \
            "kettle start 1"
            Transfer 2 is idle and will not resume by itself; waiting until it is started with \
            "kettle start 2"

            """))
  }

  @Test func `a transfer that needs the user, or is removed, counts as failed`() async {
    var stuck = snapshot(1, .waiting)
    stuck.reason = .needsLink
    let context = context(stuck, snapshot(2, .running))
    context.service.onWatch([event(snapshot(2, .running), .removed)])
    #expect(
      await context.run("wait", "--all")
        == .init(
          code: 1, output: "",
          error: """
            kettle: Transfer 1 needs you: its link has expired; give a new one with \
            "kettle start 1 --url URL"
            kettle: Transfer 2 was removed from the list before it was done
            kettle: 2 of 2 transfers failed; "kettle list" shows all

            """))
  }

  @Test func `a timeout exits with 4`() async {
    var context = context(snapshot(1, .running))
    context.clock = FakeClock()
    let outcome = await context.run("wait", "--all", "--timeout", "2.5")
    #expect(
      outcome
        == .init(
          code: 4, output: "",
          error: "kettle: Timed out with 1 transfer unfinished; it continues in the background\n"))
    // The clock adds up all that is waited for, also the time between two looks at collections.
    #expect(context.clock.elapsedMilliseconds % 2000 == 500)
  }

  @Test(arguments: ["-1", "nan", "inf", "31536001", "x"])
  func `an invalid timeout is rejected`(text: String) async {
    let context = context(snapshot(1, .running))
    #expect(await context.run("wait", "--all", "--timeout=\(text)").code == 2)
    #expect(context.service.asked.isEmpty)
  }

  @Test func `Ctrl-C exits with 130`() async {
    var context = context(snapshot(1, .running))
    context.interruptions = [.interrupt]
    #expect(await context.run("wait", "--all") == .init(code: 130, output: "", error: ""))
  }

  @Test func `after a lost connection the current state is requested`() async {
    var context = FakeContext()
    context.service = FakeService([snapshot(1, .running), snapshot(2, .running)])
    context.service.onWatch([], thenEnd: true)
    context.connector = FakeConnector([
      .success(context.service), .failure(.connectionLost),
      .success(FakeService([snapshot(1, .completed), snapshot(3, .running)])),
    ])
    let outcome = await context.run("wait", "--all")
    #expect(outcome.code == 1)
    #expect(
      outcome.error
        == "kettle: Transfer 2 was removed from the list before it was done\n"
        + "kettle: 1 of 2 transfers failed; \"kettle list\" shows all\n")
  }

  // Fault 188
  @Test func `an empty list of ids is an error`() async {
    for arguments in [["wait"], ["wait", "--timeout", "5"]] {
      let context = context(snapshot(1, .running))
      #expect(
        await context.run(arguments)
          == .init(
            code: 2, output: "",
            error: "kettle: Nothing to wait for was named; give the ids of transfers, or --all\n"))
      #expect(context.service.asked.isEmpty)
    }
    #expect(await context().run("wait", "1", "--all").code == 2)
  }

  // Fault 188
  @Test func `scheduled transfers and closed queues are named with their times`() async throws {
    var later = snapshot(1, .scheduled)
    later.heldBack = HeldBack(.scheduled, until: WallTime(millisecondsSince1970: FakeClock.start))
    let night = try #require(QueueName("night"))
    let context = context(later, snapshot(2, .queued))
    context.service.have([
      QueueSnapshot(
        name: night, isOpen: false, until: WallTime(millisecondsSince1970: FakeClock.start),
        queuedCount: 3)
    ])
    context.service.onWatch([event(snapshot(1, .completed)), event(snapshot(2, .completed))])
    let outcome = await context.run("wait", "--all")
    #expect(outcome.code == 0)
    #expect(
      outcome.error == """
        Transfer 1 is scheduled and starts at 14:00:00; waiting for it
        3 transfers wait in the queue "night", which opens at 14:00:00; waiting for them

        """)
  }
}
