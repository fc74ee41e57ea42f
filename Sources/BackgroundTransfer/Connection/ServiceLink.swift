import Foundation
import Glibc
import KettleControl
import KettleModel
import KettleStarter
import KettleSystem

/// The thread on which one session talks to the service.
///
/// It is a thread with a blocking socket instead of a Swift task, so that a program that blocks the
/// main thread or every thread of the cooperative pool can still wait for its session.
struct ServiceLink: Sendable {
  let core: SessionCore

  /// Pauses in milliseconds between consecutive attempts to connect. When the attempt after the
  /// last pause fails too, the tasks of the session are lost.
  static let pauses: [Int32] = [50, 200, 500, 1000, 2000]
  /// A conversation longer than this was healthy: it resets the count of failures.
  static let steadyTime = Duration.seconds(1)
  /// The time limit for the service to attach the session.
  static let attachBudget = Duration.seconds(10)

  /// Why a connection ended.
  enum End: Error {
    /// The connection attached no session. Not retried.
    case refused(SessionFailure)
    case unreachable(String)
    /// The connection ended after the session was attached.
    case lost
    /// The session needs no connection any more.
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

  /// Pauses, or gives up after too many failures.
  private func retry(_ failureCount: inout Int, _ sentence: String) {
    guard failureCount < Self.pauses.count else {
      failureCount = 0
      return core.gaveUp(.noService(sentence))
    }
    // Wakes do not shorten the pause: more requests do not make a service start sooner.
    poll(nil, 0, Self.pauses[failureCount])
    failureCount += 1
  }

  private func connectAndTalk() -> End {
    let place = ServicePlace(core.configuration)
    let found = place.executable(configured: core.configuration.serviceExecutable)
    var starter = ServiceStarter(
      paths: core.configuration.servicePaths ?? place.paths, clientName: clientName,
      // A service that is already running needs no executable.
      executablePath: (try? found.get()) ?? "")
    starter.environment = place.environment
    do throws(ClientError) {
      var conversation = ServiceConversation(
        core: core, socket: LineSocket(try starter.openSocket()))
      return conversation.run()
    } catch {
      return end(after: error, found)
    }
  }

  /// Returns why there is no connection. Without a service and without an executable, retrying is
  /// useless, unless the session was attached before: the executable may be about to be replaced.
  private func end(
    after error: ClientError, _ found: Result<String, ServiceExecutable.Missing>
  ) -> End {
    guard case .failure(let missing) = found else { return .unreachable(error.sentence) }
    return core.wasAttached
      ? .unreachable(missing.sentence) : .refused(.noService(missing.sentence))
  }

  private var clientName: String { "\(ProcessInfo.processInfo.processName) \(core.identifier)" }
}

/// Where the service of a session has its files, and its environment.
struct ServicePlace: Sendable {
  let paths: ServicePaths
  /// nil is that of this process.
  let environment: [String: String]?
  private let executableDirectory: String?

  init(
    _ configuration: URLSessionConfiguration,
    own: [String: String] = ProcessInfo.processInfo.environment
  ) {
    switch configuration.service {
    case .ofUser:
      paths = .of(environment: own)
      environment = nil
      executableDirectory = nil
    case .embedded(let directory):
      let root = directory.standardizedFileURL.path
      var variables = own
      // The socket is with the other files: a container has no directory for it.
      variables["XDG_RUNTIME_DIR"] = nil
      variables["XDG_STATE_HOME"] = root + "/state"
      variables["XDG_CONFIG_HOME"] = root + "/config"
      variables["XDG_DOWNLOAD_DIR"] = root + "/files"
      if variables["HOME"]?.hasPrefix("/") != true { variables["HOME"] = root }
      paths = .of(environment: variables)
      environment = variables
      let program = URL(fileURLWithPath: ServiceExecutable.ownPath)
      executableDirectory = program.deletingLastPathComponent().path
    }
  }

  func executable(configured: String?) -> Result<String, ServiceExecutable.Missing> {
    ServiceExecutable.find(
      configured: configured, environment: environment ?? ProcessInfo.processInfo.environment,
      in: executableDirectory)
  }
}

/// Finds the program whose service performs the transfers.
package enum ServiceExecutable {
  static let environmentName = "KETTLE_EXECUTABLE"

  static var ownPath: String { ServiceProcess.ownExecutablePath() }

  /// Returns the first of these that is executable: the configured path, the environment variable,
  /// then `kettle` in `directory`, `PATH`, `/usr/local/bin`, `/usr/bin`. A configured path or a
  /// variable that is not executable is an error; the search does not skip it.
  package static func find(
    configured: String?, environment: [String: String], in directory: String? = nil,
    canRun: (String) -> Bool = { $0.hasPrefix("/") && access($0, X_OK) == 0 }
  ) -> Result<String, Missing> {
    for (path, source) in [
      (configured, "serviceExecutable"), (environment[environmentName], environmentName),
    ] {
      guard let path, !path.isEmpty else { continue }
      return canRun(path) ? .success(path) : .failure(Missing(path: path, source: source))
    }
    var path = SearchPath(environment["PATH"] ?? "")
    if let directory { path.directories.insert(directory, at: 0) }
    path.directories += ["/usr/local/bin", "/usr/bin"]
    let found = path.path(of: "kettle", canRun: canRun)
    return found.map(Result.success) ?? .failure(Missing(path: nil, source: "PATH"))
  }

  package struct Missing: Error, Hashable, Sendable {
    package var path: String?
    package var source: String

    package var sentence: String {
      guard let path else {
        return
          "The program \"kettle\" is not in PATH; install it, or set \(environmentName) to its path"
      }
      return "The program \"\(path)\" given by \(source) cannot be run; give its absolute path"
    }
  }
}
