import Foundation
import KettleControl
import KettleStarter

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
