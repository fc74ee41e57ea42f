import KettleTasks
import KettleControl
import Foundation
import Glibc
import KettleClient
import KettleModel

/// The thread of one session that talks to the service.
///
/// It is a thread with a blocking socket and no task, so that a program which holds the main thread
/// or all the threads of tasks can still wait for its session.
struct ServiceLink: Sendable {
  let core: SessionCore

  /// How often in a row it is tried before the tasks of the session are lost, and the pauses
  /// between.
  static let pauses: [Int32] = [50, 200, 500, 1000, 2000]
  /// A conversation that lasted longer than this did not end because something is wrong with it.
  static let steadyTime = Duration.seconds(1)
  /// How long the service may take to let the session in.
  static let attachBudget = Duration.seconds(10)

  /// Why a connection ended.
  enum End: Error {
    /// It is as if there had been none.
    case refused(SessionFailure)
    case unreachable(String)
    /// After the session was let in.
    case lost
    /// Nothing more is wanted of it.
    case over
  }

  func run() {
    var failureCount = 0
    while true {
      switch core.want {
      case .end: return
      case .nothing:
        failureCount = 0
        core.wake.wait(milliseconds: -1)
      case .connection:
        let begin = ContinuousClock.now
        let end = connectAndTalk()
        if ContinuousClock.now - begin > Self.steadyTime { failureCount = 0 }
        switch end {
        case .over: return
        case .refused(let failure): core.gaveUp(failure)
        case .lost: retry(&failureCount, ClientError.connectionLost.sentence)
        case .unreachable(let sentence): retry(&failureCount, sentence)
        }
      }
    }
  }

  /// Pauses, or gives up when it has been tried often enough.
  private func retry(_ failureCount: inout Int, _ sentence: String) {
    guard failureCount < Self.pauses.count else {
      failureCount = 0
      return core.gaveUp(.noService(sentence))
    }
    // Wakes do not shorten it: asking for more does not make a service come up sooner.
    poll(nil, 0, Self.pauses[failureCount])
    failureCount += 1
  }

  private func connectAndTalk() -> End {
    let found = ServiceExecutable.find(
      configured: core.configuration.serviceExecutable,
      environment: ProcessInfo.processInfo.environment)
    let starter = ServiceStarter(
      places: core.configuration.servicePlaces ?? .ofThisProcess(), clientName: clientName,
      // A service that runs already is as good.
      executablePath: (try? found.get()) ?? "")
    do throws(ClientError) {
      var conversation = ServiceConversation(
        core: core, socket: LineSocket(try starter.openSocket()))
      return conversation.run()
    } catch {
      return end(after: error, found)
    }
  }

  /// Neither a service nor a program that could be one is nothing to wait for, unless there was one
  /// before: it may be about to be replaced.
  private func end(
    after error: ClientError, _ found: Result<String, ServiceExecutable.Missing>
  ) -> End {
    guard case .failure(let missing) = found else { return .unreachable(error.sentence) }
    return core.wasAttached
      ? .unreachable(missing.sentence) : .refused(.noService(missing.sentence))
  }

  private var clientName: String { "\(ProcessInfo.processInfo.processName) \(core.identifier)" }
}

extension ClientError {
  /// What failed, on what, and what to do.
  var sentence: String {
    switch self {
    case .notRunning(let path):
      "The service of Kettle does not answer at \"\(path)\"; start it with kettle daemon start"
    case .didNotStart(let detail, let logPath):
      "The service of Kettle did not start (\(detail)); look into \"\(logPath)\""
    case .foreignSocket(let path, let owner):
      "The socket \"\(path)\" belongs to user \(owner); remove it"
    case .unsafeDirectory(let path, let detail):
      "The directory of \"\(path)\" cannot be used (\(detail)); check its permissions"
    case .versionMismatch(let ours, let theirs):
      "The service of Kettle speaks version \(theirs) and this program version \(ours); "
        + "build both from the same release"
    case .connectionLost: "The connection to the service of Kettle was lost; try again"
    case .tooManyConnections(let count):
      "\(count) connections to the service of Kettle are open, and it takes no more; close some of "
        + "them"
    case .socketPathTooLong(let path):
      "The path \"\(path)\" is too long for a socket; set XDG_RUNTIME_DIR to a shorter one"
    }
  }
}
