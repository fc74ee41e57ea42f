import KettleControl
import KettleSocket
import Logging
import KettleEngine
import KettleModel

/// One connected client, from its first line to its last.
///
/// Requests are answered one after the other, in their order, and read one ahead
/// (`RequestReader`). Of those that add, one is decided on while the one before it is on its way to
/// the store. Sending is apart from answering, so a client that does not read holds up nobody: its
/// own requests wait until it has taken the replies, and its rows are read again when it has taken
/// the last ones.
struct ClientSession: Sendable {
  /// `decided` says that another request to add may be begun before the reply is there.
  typealias Answer =
    @Sendable (
      _ request: ControlRequest, _ id: RequestID, _ client: ConnectedClient,
      _ decided: @escaping @Sendable () -> Void
    ) async -> [UInt8]

  let connection: ControlConnection
  let broadcaster: Broadcaster
  let logger: Logger
  let dropped: DroppedClients
  /// How long the last replies may take to a client that has said everything.
  var farewellBudget = Duration.seconds(10)
  /// Told once or more when the client asks nothing any more.
  var left: @Sendable (ClientID) -> Void = { _ in }
  /// Answers a request with the line of the reply.
  let answer: Answer

  /// No client is sent rows more often than this.
  static let viewportInterval = Duration.milliseconds(100)
  /// Ids of the completed are gathered for so long.
  static let gatheringInterval = Duration.milliseconds(20)
  /// So long after the store could not be read it is tried again.
  static let viewportRetry = Duration.seconds(2)

  private enum Greeting: Sendable {
    case missing
    case done
  }

  /// What ended.
  private enum Part: Sendable {
    /// The client says no more; what it asked is answered.
    case asking
    /// The client cannot be sent to, or everything was sent.
    case sending(Delivery)
    /// The client is dropped, because it reads too slowly.
    case showing, gathering
  }

  /// How sending to a client ended.
  private enum Delivery: Sendable {
    case complete
    case broken
  }

  /// How long the last replies may take when it is the service that ends.
  static let endingBudget = Duration.milliseconds(500)

  func run() async {
    await withTaskCancellationHandler {
      await serve()
    } onCancel: {
      // A client that does not read must not hold up the end of the service.
      _ = connection.close(after: Self.endingBudget)
    }
  }

  private func serve() async {
    let (id, mailbox) = broadcaster.join()
    let client = ConnectedClient(
      id: id, processID: connection.peerProcessID, mailbox: mailbox)
    await withTaskGroup(of: Part.self) { group in
      group.addTask {
        await answer(client)
        return .asking
      }
      group.addTask { .sending(await deliver(mailbox)) }
      group.addTask {
        await showViewport(client)
        return .showing
      }
      group.addTask {
        await sendGathered(mailbox)
        return .gathering
      }
      switch await group.next() {
      case .asking?:
        // Only its sending half may be closed: it is still owed the replies.
        let deadline = connection.close(after: farewellBudget)
        leave(id)
        waiting: while let part = await group.next() {
          switch part {
          case .sending: break waiting
          case .asking, .showing, .gathering: continue
          }
        }
        deadline.cancel()
      case .sending(.broken)? where !mailbox.isOverflowed && !Task.isCancelled:
        dropped.log(.writeFailed, processID: client.processID)
      case .sending?, .showing?, .gathering?, nil: break
      }
      if mailbox.isOverflowed { dropped.log(.overflow, processID: client.processID) }
      leave(id)
      await connection.close()
      group.cancelAll()
    }
  }

  private func leave(_ id: ClientID) {
    broadcaster.leave(id)
    left(id)
  }

  private func answer(_ client: ConnectedClient) async {
    let reader = RequestReader(connection.lines)
    async let reading: Void = reader.run()
    var greeting = Greeting.missing
    var last: Task<Void, Never>?
    for await received in reader.requests {
      guard await client.mailbox.room() else { break }
      reader.readOn()
      last = await answer(received, &greeting, client, after: last)
    }
    await last?.value
    do {
      try await reading
    } catch {
      refuse(error, client)
    }
  }

  /// The client broke a rule; nothing more is read from it.
  private func refuse(_ error: any Error, _ client: ConnectedClient) {
    switch error {
    case ControlSocketError.lineTooLong(let byteCountMax):
      dropped.log(.lineTooLong(byteCountMax: byteCountMax), processID: client.processID)
      let refusal = ControlError(.invalidRequest, "line")
      client.mailbox.send(reply: ReplyCoder().encode(error: refusal, to: nil))
    case ControlSocketError.lineNotFinished:
      dropped.log(.lineNotFinished, processID: client.processID)
    default: logger.info("A client cannot be read", metadata: ["error": "\(error)"])
    }
  }

  /// - Parameter last: replies to the request before it, where that is still to come.
  /// - Returns: the same for this one.
  private func answer(
    _ received: ReceivedRequest, _ greeting: inout Greeting, _ client: ConnectedClient,
    after last: Task<Void, Never>?
  ) async -> Task<Void, Never>? {
    let mailbox = client.mailbox
    switch received {
    case .notification: return last
    case .refused(let id, let error):
      await last?.value
      mailbox.send(reply: ReplyCoder().encode(error: error, to: id))
    case .request(let id, let request):
      if let refusal = greet(request, &greeting, mailbox) {
        await last?.value
        mailbox.send(reply: ReplyCoder().encode(error: refusal, to: id))
      } else if request.adds {
        return await add(request, id, client, after: last)
      } else {
        // It finds what was added before it.
        await last?.value
        mailbox.send(reply: await answer(request, id, client) {})
      }
    }
    return nil
  }

  /// Returns when it is decided on, and the store has what was added before: no more than two are
  /// under way.
  private func add(
    _ request: ControlRequest, _ id: RequestID, _ client: ConnectedClient,
    after last: Task<Void, Never>?
  ) async -> Task<Void, Never> {
    let decided = Completion<Void>()
    let reply = Task(executorPreference: WorkLanes.tasks) {
      let line = await answer(request, id, client) { decided.finish() }
      decided.finish()
      await last?.value
      client.mailbox.send(reply: line)
    }
    await decided.value()
    await last?.value
    return reply
  }

  /// Answers why the request may not be served yet; nil when it may.
  private func greet(
    _ request: ControlRequest, _ greeting: inout Greeting, _ mailbox: ClientMailbox
  ) -> ControlError? {
    switch (greeting, request) {
    case (_, .hello(let params)):
      guard params.protocolVersion == ProtocolVersion.current else {
        return ControlError(.versionMismatch, String(ProtocolVersion.current))
      }
      greeting = .done
      mailbox.greet(isWatchedByPerson: params.isWatchedByPerson == true)
      logger.debug("A client joined", metadata: ["client": "\(params.client)"])
      return nil
    case (.missing, _): return ControlError(.helloMissing, request.method)
    case (.done, _): return nil
    }
  }

  private func deliver(_ mailbox: ClientMailbox) async -> Delivery {
    let coder = ReplyCoder()
    for await _ in mailbox.mail {
      if case .broken = await sendAll(in: mailbox, coder) { return .broken }
    }
    // What came with the last signal, or after it.
    return await sendAll(in: mailbox, coder)
  }

  private func sendAll(in mailbox: ClientMailbox, _ coder: ReplyCoder) async -> Delivery {
    while let line = Self.nextLine(in: mailbox, coder) {
      do { try await connection.send(line) } catch { return .broken }
    }
    return .complete
  }

  /// Returns the next line and keeps nothing else of it: that may wait for long.
  private static func nextLine(in mailbox: ClientMailbox, _ coder: ReplyCoder) -> [UInt8]? {
    while let item = mailbox.next() {
      if let line = item.line(encodedBy: coder) { return line }
    }
    return nil
  }

  private func sendGathered(_ mailbox: ClientMailbox) async {
    for await _ in mailbox.gatherings {
      mailbox.sendGathered()
      do { try await WorkLanes.pause(for: Self.gatheringInterval) } catch { return }
    }
  }

  private func showViewport(_ client: ConnectedClient) async {
    let mailbox = client.mailbox
    // A hash, not the window: that would be kept for as long as the client reads nothing.
    var shownHash: Int?
    for await _ in mailbox.viewportChanges {
      guard let viewport = mailbox.viewport else { continue }
      var pause = Self.viewportInterval
      mailbox.willReadRows()
      do throws(ControlError) {
        // A client that looks elsewhere meanwhile has said so by then.
        guard let hash = try await show(viewport, to: client, unless: shownHash) else { continue }
        shownHash = hash
      } catch {
        pause = Self.viewportRetry
        mailbox.refreshViewport()
      }
      do { try await WorkLanes.pause(for: pause) } catch { return }
      guard mailbox.hasWindow else { continue }
      broadcaster.rest(client.id)
      await mailbox.windowTaken()
    }
  }

  /// Sends the rows of a viewport unless they are those that were sent last. Returns their hash;
  /// nil when the client does not look there any more.
  private func show(
    _ viewport: Viewport, to client: ConnectedClient, unless shownHash: Int?
  ) async throws(ControlError) -> Int? {
    guard let window = try await broadcaster.shown(viewport, to: client.id) else { return nil }
    let hash = window.hashValue
    if hash != shownHash { client.mailbox.send(window: window) }
    return hash
  }
}
