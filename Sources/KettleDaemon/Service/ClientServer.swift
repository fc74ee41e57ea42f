import KettleEngine
import KettleScheduler
import KettleSocket
import Logging

/// Serves the clients that connect, each in a task of its own.
struct ClientServer: Sendable {
  let listener: ControlListener
  let handler: RequestHandler
  let dropped: DroppedClientLog
  let logger: Logger
  /// nil for a service that runs without clients.
  let abandonment: AbandonmentWatch?

  /// Serves clients while `work` runs.
  func run(until work: () async -> Void) async {
    abandonment?.begin()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await serveAll() }
      await work()
      group.cancelAll()
    }
  }

  private func serveAll() async {
    await withDiscardingTaskGroup { group in
      for await connection in listener.connections {
        group.addTask {
          abandonment?.arrived()
          await serve(connection)
          abandonment?.left()
        }
      }
      group.cancelAll()
    }
  }

  private func serve(_ connection: ControlConnection) async {
    let session = ClientSession(
      connection: connection, broadcaster: handler.broadcaster, logger: logger,
      dropped: dropped,
      whenLeft: { id in
        handler.sessions.disconnect(id)
        handler.presence.leave(id)
      },
      explain: { await handler.explained($0, .shown) }
    ) { request, id, client, decided in
      await handler.handle(request, id: id, for: client, whenDecided: decided)
    }
    await session.run()
    await handler.engine.setCadence(handler.broadcaster.cadence)
  }
}
