import Foundation
import Glibc
import KettleStarter
import KettleSystem

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
