import Foundation
import Glibc
import KettleClient

/// Finds the program whose service carries out the transfers.
package enum ServiceExecutable {
  static let environmentName = "KETTLE_EXECUTABLE"

  static var ownPath: String { ServiceProcess.ownExecutablePath() }

  /// The first of these that can be run: what the configuration says, the environment, `PATH`,
  /// `/usr/local/bin`, `/usr/bin`. What is said and cannot be run is not passed over in silence.
  package static func find(
    configured: String?, environment: [String: String],
    canRun: (String) -> Bool = { $0.hasPrefix("/") && access($0, X_OK) == 0 }
  ) -> Result<String, Missing> {
    for (path, source) in [
      (configured, "serviceExecutable"), (environment[environmentName], environmentName),
    ] {
      guard let path, !path.isEmpty else { continue }
      return canRun(path) ? .success(path) : .failure(Missing(path: path, source: source))
    }
    let directories =
      (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map(
        String.init)
      + ["/usr/local/bin", "/usr/bin"]
    let found = directories.lazy.map { $0 + "/kettle" }.first(where: canRun)
    return found.map(Result.success) ?? .failure(Missing(path: nil, source: "PATH"))
  }

  package struct Missing: Error, Hashable, Sendable {
    package var path: String?
    package var source: String

    package var sentence: String {
      guard let path else {
        return "There is no program \"kettle\" in PATH; install it, or name it in "
          + environmentName
      }
      return "The program \"\(path)\" that \(source) names cannot be run; give its absolute path"
    }
  }
}
