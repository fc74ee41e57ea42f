import Glibc
import KettleControl
import KettleSocket
import KettleSystem

/// Connects from a dedicated thread: a program may occupy all threads of the task pool while it
/// waits for the service.
extension ServiceStarter {
  /// Opens a socket to the service on the calling thread, and starts the service first when nothing
  /// answers. The socket is non-blocking, and nothing has been sent on it.
  package func openSocket() throws(ClientError) -> OwnedDescriptor {
    if let socket = try openSocketIfRunning() { return socket }
    let readiness = try ServiceProcess.start(self).readinessBlocking(within: budget)
    let deadline = ContinuousClock.now + readiness.patience
    var pause: Int32 = 5
    while true {
      if let socket = try openSocketIfRunning() { return socket }
      guard ContinuousClock.now < deadline else { break }
      // No event reports that another process now listens, so poll.
      poll(nil, 0, pause)
      pause = min(pause * 2, 200)
    }
    throw .didNotStart(detail: readiness.detail(budget: budget), logPath: places.logPath)
  }

  /// Returns nil when nothing answers at the usual path or at the one that the service recorded.
  func openSocketIfRunning() throws(ClientError) -> OwnedDescriptor? {
    do throws(ControlSocketError) {
      return try ControlConnection.connectedSocket(places.socketPath)
    } catch ControlSocketError.notListening {
      guard let recorded = ServiceLock.recordedSocketPath(at: places.lockPath),
        recorded != places.socketPath
      else { return nil }
      return try? ControlConnection.connectedSocket(recorded)
    } catch {
      throw ClientError(error)
    }
  }
}
