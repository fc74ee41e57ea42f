import KettleControl
import KettleEngine
import KettleModel
import KettleSocket
import KettleStarter
import Logging

/// One connected client, from its first line to its last.
///
/// Requests are answered one after the other, in order, and read one ahead (`RequestReader`). Of
/// requests that add, the next is decided while the store commits the previous one. Sending is
/// separate from answering, so a client that does not read delays no other client: its own requests
/// wait until it has read the replies, and its rows are refreshed once it has read the last ones.
struct ClientSession: Sendable {
  /// Calling `decided` means that another request to add may begin before the reply is ready.
  typealias Handler =
    @Sendable (
      _ request: ControlRequest, _ id: RequestID, _ client: ConnectedClient,
      _ decided: @escaping @Sendable () -> Void
    ) async -> [UInt8]

  let connection: ControlConnection
  let broadcaster: Broadcaster
  let logger: Logger
  let dropped: DroppedClientLog
  /// The time limit for the last replies to a client that has finished sending.
  var farewellBudget = Duration.seconds(10)
  /// Called one or more times when the client sends no more requests.
  var whenLeft: @Sendable (ClientID) -> Void = { _ in }
  /// Fills in what only the engine knows of displayed rows.
  var explain: @Sendable (RowWindow) async -> RowWindow = { $0 }
  /// Returns the reply line for a request.
  let answer: Handler

  /// Lines are gathered up to this size for one write. A write for each event would cost more than
  /// the event itself.
  static let writeByteCount = 32 << 10
  /// The minimum interval between two windows sent to a client.
  static let viewportInterval = Duration.milliseconds(100)
  /// How long ids of completed transfers are gathered.
  static let gatheringInterval = Duration.milliseconds(20)
  /// The delay before a retry when the store could not be read.
  static let viewportRetry = Duration.seconds(2)

  private enum Greeting: Sendable {
    case missing
    case done
  }

  /// The part of a session that ended.
  private enum Part: Sendable {
    /// The client sends no more; its requests are answered.
    case receiving
    /// The client cannot be reached, or everything was sent.
    case sending(Delivery)
    /// The client is dropped because it reads too slowly.
    case showing, gathering
  }

  /// How the delivery to a client ended.
  private enum Delivery: Sendable {
    case complete
    case broken
  }

  /// The time limit for the last replies when the service shuts down.
  static let endingBudget = Duration.milliseconds(500)

  func run() async {
    await withTaskCancellationHandler {
      await serve()
    } onCancel: {
      // A client that does not read must not delay the shutdown.
      _ = connection.close(after: Self.endingBudget)
    }
  }

  private func serve() async {
    let (id, mailbox) = broadcaster.connect(processID: connection.peerProcessID)
    let client = ConnectedClient(
      id: id, processID: connection.peerProcessID, mailbox: mailbox)
    await withTaskGroup(of: Part.self) { group in
      group.addTask {
        await receiveRequests(of: client)
        return .receiving
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
      case .receiving?:
        // Perhaps only its sending half is closed: it must still get the replies.
        let deadline = connection.close(after: farewellBudget)
        disconnect(id)
        waiting: while let part = await group.next() {
          switch part {
          case .sending: break waiting
          case .receiving, .showing, .gathering: continue
          }
        }
        deadline.cancel()
      case .sending(.broken)? where !mailbox.isOverflowed && !Task.isCancelled:
        dropped.log(.writeFailed, processID: client.processID)
      case .sending?, .showing?, .gathering?, nil: break
      }
      if mailbox.isOverflowed { dropped.log(.overflow, processID: client.processID) }
      disconnect(id)
      await connection.close()
      group.cancelAll()
    }
    // The last request may have been in progress until now.
    whenLeft(id)
  }

  private func disconnect(_ id: ClientID) {
    broadcaster.disconnect(id)
    whenLeft(id)
  }

  private func receiveRequests(of client: ConnectedClient) async {
    let reader = RequestReader(connection.lines)
    async let reading: Void = reader.run()
    var greeting = Greeting.missing
    var last: Task<Void, Never>?
    for await received in reader.requests {
      guard await client.mailbox.waitForReplyRoom() else { break }
      reader.readOn()
      last = await handle(received, of: client, &greeting, after: last)
    }
    await last?.value
    do {
      try await reading
    } catch {
      refuse(error, client)
    }
  }

  /// The client violated the protocol; nothing more is read from it.
  private func refuse(_ error: any Error, _ client: ConnectedClient) {
    switch error {
    case ControlSocketError.lineTooLong(let byteCountMax):
      dropped.log(.lineTooLong(byteCountMax: byteCountMax), processID: client.processID)
      let refusal = ControlError(.invalidRequest, "line")
      client.mailbox.send(reply: ReplyCoder().encode(error: refusal, to: nil))
    case ControlSocketError.lineNotFinished:
      dropped.log(.lineNotFinished, processID: client.processID)
    default: logger.info("A client's requests cannot be read", metadata: ["error": "\(error)"])
    }
  }

  /// - Parameter last: sends the reply to the previous request, if that is still pending.
  /// - Returns: the same for this request.
  private func handle(
    _ received: ReceivedRequest, of client: ConnectedClient, _ greeting: inout Greeting,
    after last: Task<Void, Never>?
  ) async -> Task<Void, Never>? {
    let mailbox = client.mailbox
    switch received {
    case .notification: return last
    case .refused(let id, let error):
      await last?.value
      mailbox.send(reply: ReplyCoder().encode(error: error, to: id))
    case .request(let id, let request):
      if let refusal = greet(mailbox, with: request, &greeting) {
        await last?.value
        mailbox.send(reply: ReplyCoder().encode(error: refusal, to: id))
      } else if request.adds {
        return await startAdding(request, id: id, client, after: last)
      } else {
        // This request must see everything added before it.
        await last?.value
        mailbox.send(reply: await answer(request, id, client) {})
      }
    }
    return nil
  }

  /// Returns when the request is decided and the store has everything added before it: at most two
  /// are in progress.
  private func startAdding(
    _ request: ControlRequest, id: RequestID, _ client: ConnectedClient,
    after last: Task<Void, Never>?
  ) async -> Task<Void, Never> {
    let decided = Completion<Void>()
    let reply = Task(executorPreference: WorkerPool.tasks) {
      let line = await answer(request, id, client) { decided.finish() }
      decided.finish()
      await last?.value
      client.mailbox.send(reply: line)
    }
    await decided.value()
    await last?.value
    return reply
  }

  /// Handles the greeting. Returns why the request may not be served yet; nil if it may.
  private func greet(
    _ mailbox: ClientMailbox, with request: ControlRequest, _ greeting: inout Greeting
  ) -> ControlError? {
    switch (greeting, request) {
    case (_, .hello(let params)):
      guard params.protocolVersion == ProtocolVersion.current else {
        return ControlError(.versionMismatch, String(ProtocolVersion.current))
      }
      greeting = .done
      mailbox.greet(
        isWatchedByPerson: params.isWatchedByPerson == true, isOfFleet: params.fleet == true)
      logger.debug("A client connected", metadata: ["client": "\(params.client)"])
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
    // Sends what arrived with or after the last signal.
    return await sendAll(in: mailbox, coder)
  }

  private func sendAll(in mailbox: ClientMailbox, _ coder: ReplyCoder) async -> Delivery {
    while let lines = Self.nextLines(in: mailbox, coder) {
      do { try await connection.send(lines: lines) } catch { return .broken }
    }
    return .complete
  }

  /// Returns the next lines and retains nothing else of their items, because sending may take long.
  /// Returns nil when nothing waits.
  private static func nextLines(in mailbox: ClientMailbox, _ coder: ReplyCoder) -> [[UInt8]]? {
    let items = mailbox.next(byteCountMax: writeByteCount)
    return items.isEmpty ? nil : items.compactMap { $0.line(encodedBy: coder) }
  }

  private func sendGathered(_ mailbox: ClientMailbox) async {
    for await _ in mailbox.gatherings {
      mailbox.sendGathered()
      do { try await WorkerPool.pause(for: Self.gatheringInterval) } catch { return }
    }
  }

  private func showViewport(_ client: ConnectedClient) async {
    let mailbox = client.mailbox
    // A hash instead of the window, which would be retained while the client does not read.
    var shownHash: Int?
    for await _ in mailbox.viewportChanges {
      guard let viewport = mailbox.viewport else { continue }
      var pause = Self.viewportInterval
      mailbox.willReadRows()
      do throws(ControlError) {
        // If the client changed its viewport meanwhile, that has already been signalled.
        guard let hash = try await show(viewport, to: client, unless: shownHash) else { continue }
        shownHash = hash
      } catch {
        pause = Self.viewportRetry
        mailbox.refreshViewport()
      }
      do { try await WorkerPool.pause(for: pause) } catch { return }
      guard mailbox.hasWindow else { continue }
      broadcaster.suspendDisplay(of: client.id)
      await mailbox.waitUntilWindowIsRead()
    }
  }

  /// Sends the rows of a viewport unless they equal the last ones sent. Returns their hash; nil if
  /// the client no longer displays that viewport.
  private func show(
    _ viewport: Viewport, to client: ConnectedClient, unless shownHash: Int?
  ) async throws(ControlError) -> Int? {
    guard let rows = try await broadcaster.displayedRows(of: viewport, for: client.id) else {
      return nil
    }
    let window = await explain(rows)
    let hash = window.hashValue
    if hash != shownHash { client.mailbox.send(window: window) }
    return hash
  }
}

/// Reads the requests of one client, and decodes the next one while the previous one is answered:
/// answering usually waits for the store, and a long list is a long line to decode.
///
/// It is at most one request ahead, so a client that sends requests faster than they are answered
/// costs the memory of one decoded request.
struct RequestReader: Sendable {
  /// In order. The single consumer calls `readOn` for each request it takes.
  let requests: AsyncStream<ReceivedRequest>

  private let lines: ControlLines
  private let decoded: AsyncStream<ReceivedRequest>.Continuation
  private let taken: AsyncStream<Void>
  private let takenSignal: AsyncStream<Void>.Continuation

  init(_ lines: ControlLines) {
    self.lines = lines
    (requests, decoded) = AsyncStream.makeStream()
    (taken, takenSignal) = AsyncStream.makeStream()
  }

  /// Called when a request was taken: the next one may be decoded.
  func readOn() { takenSignal.yield() }

  /// Reads until the client has finished sending or exceeds the line limit.
  func run() async throws(ControlSocketError) {
    // Requests already decoded are still answered.
    defer { decoded.finish() }
    let coder = RequestCoder()
    var taken = taken.makeAsyncIterator()
    for try await line in lines {
      decoded.yield(coder.decode(line))
      guard await taken.next() != nil else { return }
    }
  }
}
