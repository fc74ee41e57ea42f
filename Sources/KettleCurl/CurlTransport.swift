import KettleEngine
import KettleModel
import KettleSystem

/// A transport on libcurl, for HTTP and servers of files.
///
/// Each has a thread of its own, because libcurl waits for servers of files in places: for the
/// reply after the data of FTP, at the end of an SSH session, and for the ssh-agent. The one for
/// files is started when it is needed. The calls of `Transport` only queue a command. `events` is
/// called on these threads, in order for each attempt, must return soon, and may call back into the
/// transport, except `shutDown`.
package final class CurlTransport: Transport {
  private enum FileLane {
    case notNeeded
    case running(CurlLane)
    /// nil if it was never needed.
    case shutDown(CurlLane?)

    var lane: CurlLane? {
      switch self {
      case .notNeeded: nil
      case .running(let lane): lane
      case .shutDown(let lane): lane
      }
    }
  }

  private let web: CurlLane
  private let files = Mutex(FileLane.notNeeded)
  private let settings: CurlSettings
  private let limits = SharedSpeedLimits()
  private let events: @Sendable (TransportEvent) -> Void

  /// Fails only when the system has no thread or descriptor left.
  package init(
    events: @escaping @Sendable (TransportEvent) -> Void, settings: CurlSettings
  ) throws(TransferFailure) {
    self.events = events
    self.settings = settings
    web = try CurlLane(settings: settings, limits: limits, events: events)
  }

  /// Queues a new attempt. After `shutDown` it is ignored without any event.
  package func begin(_ request: AttemptRequest) {
    switch request.url.scheme.family {
    case .http: web.queue.send(.begin(request))
    case .ftp, .sftp:
      do throws(TransferFailure) {
        try fileLane()?.queue.send(.begin(request))
      } catch {
        events(.ended(request.id, .failed(error)))
      }
    }
  }

  /// Starts the thread for servers of files. Returns nil after `shutDown`.
  private func fileLane() throws(TransferFailure) -> CurlLane? {
    try files.withLock { files throws(TransferFailure) in
      switch files {
      case .running(let lane): return lane
      case .shutDown: return nil
      case .notNeeded:
        let lane = try CurlLane(settings: settings, limits: limits, events: events)
        files = .running(lane)
        return lane
      }
    }
  }

  /// Only the thread that has the attempt acts on its commands.
  private func send(_ command: Command) {
    web.queue.send(command)
    files.withLock { $0.lane }?.queue.send(command)
  }

  package func accept(_ attempt: AttemptID, into sink: any ByteSink) {
    send(.accept(attempt, sink))
  }

  package func resumeReceiving(_ attempt: AttemptID) { send(.resumeReceiving(attempt)) }

  package func cancel(_ attempt: AttemptID) { send(.cancel(attempt)) }

  package func limit(_ transfer: TransferID, toBytesPerSecond limit: Int64?) {
    send(.limit(transfer, limit))
  }

  package func limitAll(toBytesPerSecond limit: Int64?) { send(.limitAll(limit)) }

  /// Returns after the last event. So does a second call, even a concurrent one.
  package func shutDown() {
    web.shutDown()
    let lane = files.withLock { files in
      let lane = files.lane
      files = .shutDown(lane)
      return lane
    }
    lane?.shutDown()
  }
}
