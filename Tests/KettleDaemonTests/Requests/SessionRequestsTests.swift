import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import Logging
import Testing
import TestSupport

@testable import KettleDaemon

private let app = SessionID(rawValue: "org.example.app")

/// Requests of programs, handled by the service's parts over fakes.
@Suite(.timeLimit(.minutes(5)))
struct SessionRequestsTests {
  @Test func `an attached session is recorded and listed`() async throws {
    let world = try await HandlerWorld()
    let client = world.connect(processID: 4711)
    let result = try await world.attach(client)
    #expect(result.tasks.isEmpty && result.lastTaskIdentifier == 0)
    let listed = try await world.send(ListSessions.self, .listSessions, as: client).sessions
    #expect(listed.map(\.id) == [app] && listed.map(\.processID) == [4711])
    world.registry.disconnect(client.id)
    let later = try await world.send(ListSessions.self, .listSessions, as: world.connect()).sessions
    #expect(later.map(\.processID) == [nil])
  }

  @Test func `only the attached program adds tasks`() async throws {
    let world = try await HandlerWorld()
    let (program, other) = (world.connect(processID: 5), world.connect())
    await #expect(throws: ControlError(.unknownSession, app.rawValue)) {
      try await world.add(other)
    }
    _ = try await world.attach(program)
    await #expect(throws: ControlError(.sessionInUse, "5")) { try await world.attach(other) }
    await #expect(throws: ControlError(.notAttached, app.rawValue)) {
      try await world.add(other)
    }
    _ = try await world.add(program)
    // A person's transfer may have the session's name without being a task.
    _ = try await world.add(other, isTask: false)
  }

  @Test func `a transfer that is not a task is unknown to a program`() async throws {
    let world = try await HandlerWorld()
    let program = world.connect()
    _ = try await world.attach(program)
    let id = try await world.add(program, isTask: false)
    let result = try await world.send(
      CancelTasks.self, .cancelTasks(.init(ids: [id], keepsBytes: false)), as: program)
    #expect(result.applied.isEmpty && result.refused == [.init(id: id, why: .unknown)])
    await #expect(throws: ControlError(.unknownTransfer, id.description)) {
      try await world.send(UpdateTask.self, .updateTask(.init(id: id)), as: program)
    }
    let tokens = try await world.send(
      AcknowledgeTasks.self, .acknowledgeTasks(.init(ids: [id], keepsResumeData: true)), as: program
    )
    #expect(tokens.tokens.isEmpty)
    let answer = try await world.send(
      AnswerChallenge.self,
      .answerChallenge(
        .init(
          id: id, challenge: ServerChallenge(kind: .basic, origin: "o", failureCount: 0),
          answer: .standard)), as: program)
    #expect(answer.refused == [.init(id: id, why: .unknown)])
    #expect(await world.engine.details(of: id) != nil)
  }

  @Test func `anyone may drop a session without a program`() async throws {
    let world = try await HandlerWorld()
    let (program, person) = (world.connect(processID: 5), world.connect())
    _ = try await world.attach(program)
    await #expect(throws: ControlError(.sessionInUse, "5")) {
      try await world.send(DropSession.self, .dropSession(.init(session: app)), as: person)
    }
    await #expect(throws: ControlError(.sessionInUse, "5")) {
      try await world.send(AdoptSession.self, .adoptSession(.init(session: app)), as: person)
    }
    world.registry.disconnect(program.id)
    _ = try await world.send(DropSession.self, .dropSession(.init(session: app)), as: person)
    #expect(
      try await world.send(ListSessions.self, .listSessions, as: person).sessions.isEmpty)
    await #expect(throws: ControlError(.unknownSession, app.rawValue)) {
      try await world.send(AdoptSession.self, .adoptSession(.init(session: app)), as: person)
    }
  }

  @Test func `only the attached program may finish events`() async throws {
    let world = try await HandlerWorld()
    let program = world.connect()
    await #expect(throws: ControlError(.unknownSession, app.rawValue)) {
      try await world.send(FinishEvents.self, .finishEvents(.init(session: app)), as: program)
    }
    _ = try await world.attach(program)
    _ = try await world.send(FinishEvents.self, .finishEvents(.init(session: app)), as: program)
    await #expect(throws: ControlError(.notAttached, app.rawValue)) {
      try await world.send(
        FinishEvents.self, .finishEvents(.init(session: app)), as: world.connect())
    }
  }

  @Test func `a client that watches a session receives no events of others`() async throws {
    let world = try await HandlerWorld()
    let (program, person) = (world.connect(), world.connect())
    _ = try await world.attach(program)
    _ = try await world.send(
      WatchEvents.self, .watch(.init(includesProgress: false, session: app)), as: program)
    var spec = TransferSpec(url: try TransferURL.parse("https://example.org/b").get().url)
    spec.beginning = .idle
    _ = try await world.send(AddTransfers.self, .add(.init(transfers: [spec])), as: person)
    let id = try await world.add(program)
    var heard: [TransferID] = []
    while let item = program.mailbox.nextItem() {
      if case .event(let event)? = item.notification { heard.append(event.id) }
    }
    #expect(heard == [id])
  }

  // Fault 191
  @Test func `each event is in the list of tasks or behind it`() async throws {
    let world = try await HandlerWorld()
    let program = world.connect()
    _ = try await world.attach(program)
    let first = try await world.add(program)
    while program.mailbox.nextItem() != nil {}
    _ = try await world.send(
      WatchEvents.self, .watch(.init(includesProgress: false, session: app)), as: program)
    let request = ControlRequest.attachSession(
      .init(session: app, options: SessionOptions(launch: nil)))
    let line = await world.handler.handle(request, id: .number(2), for: program)
    // This event happens after the tasks were read and before the reply is sent.
    let second = try await world.engine.add([Self.task()])
    #expect(program.mailbox.nextItem()?.reply != nil, "the reply to the request to watch")
    #expect(program.mailbox.nextItem() == nil)
    program.mailbox.send(reply: line)
    let reply = try #require(program.mailbox.nextItem()?.reply)
    guard case .result(_, let result) = ReplyCoder().decode(reply) else {
      throw ControlError(.internalError, "attach")
    }
    let tasks = try result.decode(AttachSession.Result.self).tasks
    #expect(tasks.map(\.snapshot.id) == [first])
    guard case .event(let event)? = program.mailbox.nextItem()?.notification else {
      throw ControlError(.internalError, "event")
    }
    #expect([event.id] == second)
  }

  private static func task() throws -> TransferSpec {
    var spec = TransferSpec(url: try TransferURL.parse("https://example.org/a").get().url)
    spec.session = app
    spec.beginning = .idle
    spec.task = TaskOptions(kind: .download)
    return spec
  }
}

extension ClientOutbox.Item {
  fileprivate var reply: [UInt8]? {
    if case .reply(let line) = self { line } else { nil }
  }
}

extension HandlerWorld {
  func attach(_ client: ConnectedClient) async throws -> AttachSession.Result {
    try await send(
      AttachSession.self,
      .attachSession(.init(session: app, options: SessionOptions(launch: nil))), as: client)
  }

  func add(_ client: ConnectedClient, isTask: Bool = true) async throws -> TransferID {
    var spec = TransferSpec(
      url: try TransferURL.parse("https://example.org/a").get().url)
    spec.session = app
    spec.beginning = .idle
    spec.task = isTask ? TaskOptions(kind: .download) : nil
    return try await send(AddTransfers.self, .add(.init(transfers: [spec])), as: client).ids[0]
  }
}
