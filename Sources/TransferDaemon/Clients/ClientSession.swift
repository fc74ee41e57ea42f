import ControlProtocol
import ControlSocket
import Logging
import TransferEngine
import TransferModel

/// One connected client, from its first line to its last.
///
/// Requests are answered one after the other, in their order. Sending is apart from answering, so
/// a client that does not read holds up nobody.
struct ClientSession: Sendable {
  let connection: ControlConnection
  let handler: RequestHandler
  let broadcaster: Broadcaster
  let engine: TransferEngine
  let logger: Logger

  /// No client is sent rows more often than this.
  static let viewportInterval = Duration.milliseconds(100)

  private enum Greeting: Sendable {
    case missing
    case done
  }

  func run() async {
    let (id, mailbox) = broadcaster.join()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await answer(mailbox) }
      group.addTask { await deliver(mailbox) }
      group.addTask { await showViewport(mailbox) }
      // Whichever ends first (the client left, or cannot be sent to) ends the others.
      await group.next()
      broadcaster.leave(id)
      await connection.close()
      group.cancelAll()
    }
    await engine.setCadence(broadcaster.cadence)
  }

  private func answer(_ mailbox: ClientMailbox) async {
    let requests = RequestCoder()
    let replies = ReplyCoder()
    var greeting = Greeting.missing
    do {
      for try await line in connection.lines {
        switch requests.decode(line) {
        case .notification: continue
        case .refused(let id, let error): mailbox.send(reply: replies.encode(error: error, to: id))
        case .request(let id, let request):
          let refusal = greet(request, &greeting)
          if let refusal {
            mailbox.send(reply: replies.encode(error: refusal, to: id))
          } else {
            mailbox.send(reply: await handler.handle(request, id: id, for: mailbox))
          }
        }
      }
    } catch {
      logger.info("A client was dropped", metadata: ["error": "\(error)"])
    }
  }

  /// Answers why the request may not be served yet; nil when it may.
  private func greet(_ request: ControlRequest, _ greeting: inout Greeting) -> ControlError? {
    switch (greeting, request) {
    case (_, .hello(let params)):
      guard params.protocolVersion == ProtocolVersion.current else {
        return ControlError(.versionMismatch, String(ProtocolVersion.current))
      }
      greeting = .done
      logger.debug("A client joined", metadata: ["client": "\(params.client)"])
      return nil
    case (.missing, _): return ControlError(.helloMissing, request.method)
    case (.done, _): return nil
    }
  }

  private func deliver(_ mailbox: ClientMailbox) async {
    let coder = ReplyCoder()
    for await _ in mailbox.mail {
      while let item = mailbox.next() {
        let line: [UInt8]?
        switch item {
        case .reply(let reply): line = reply
        case .notification(let notification): line = coder.encode(notification)
        }
        guard let line else { continue }
        do { try await connection.send(line) } catch { return }
      }
    }
  }

  private func showViewport(_ mailbox: ClientMailbox) async {
    var shown: RowWindow?
    for await _ in mailbox.viewportChanges {
      guard let viewport = mailbox.viewport else { continue }
      let window = broadcaster.window(viewport)
      if window != shown {
        mailbox.send(window: window)
        shown = window
      }
      do { try await Task.sleep(for: Self.viewportInterval) } catch { return }
    }
  }
}
