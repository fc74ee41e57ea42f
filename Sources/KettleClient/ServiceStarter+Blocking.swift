import KettleControl
import KettleSocket
import Glibc
import KettleSystem

/// The way to the service for a thread of its own: a program may hold all the threads that tasks
/// run on, and wait for the service meanwhile.
extension ServiceStarter {
  /// Opens a socket to the service on the calling thread; starts the service first when nothing
  /// answers. The socket does not block, and nothing has been sent on it.
  package func openSocket() throws(ClientError) -> OwnedDescriptor {
    if let socket = try openSocketIfRunning() { return socket }
    let readiness = try ServiceProcess.start(self).readinessBlocking(within: budget)
    let deadline = ContinuousClock.now + readiness.patience
    var pause: Int32 = 5
    while true {
      if let socket = try openSocketIfRunning() { return socket }
      guard ContinuousClock.now < deadline else { break }
      // There is no event for "another process listens by now" that could be waited for.
      poll(nil, 0, pause)
      pause = min(pause * 2, 200)
    }
    throw .didNotStart(detail: readiness.detail(budget: budget), logPath: places.logPath)
  }

  /// nil when nothing answers at the usual place, nor where the service wrote down that it does.
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
