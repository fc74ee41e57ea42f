import KettleAria2
import KettleConfiguration
import KettleControl

/// How the interface of aria2's RPC is set up.
struct RPCSettings: Hashable, Sendable {
  var port: Int
  var secretPath: String
  var door: RequestDoor
  /// Absolute paths below which clients may store files.
  var roots: [String]
  /// For downloads that name no directory.
  var directory: String
  var homeDirectory: String

  /// aria2's port.
  static let defaultPort = 6800

  /// Returns nil if it is disabled.
  init?(_ file: ServiceConfiguration.RPC, _ paths: ServicePaths, documentsDirectory: String) {
    guard file.isEnabled else { return nil }
    port = file.port ?? Self.defaultPort
    secretPath = paths.rpcSecretPath
    door = RequestDoor(allowedOrigins: Set(file.allowedOrigins))
    directory = documentsDirectory
    homeDirectory = paths.homeDirectory
    roots = [documentsDirectory] + file.directories(home: paths.homeDirectory)
  }
}
