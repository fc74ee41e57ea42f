import BackgroundTransfer
import Foundation
import KettleControl
import KettleSocket
import KettleStarter
import TestSupport
import Testing

/// A home directory for the real service, which the library in this process finds and starts.
final class SessionHome: Sendable {
  let path: String
  let environment: [String: String]
  let paths: ServicePaths
  private let sessions = Monitor<[URLSession]>([])

  /// - Parameter variables: Additional environment variables of the service.
  init(configuration: String? = nil, variables: [String: String] = [:]) throws {
    // Short, because the path of a socket must be short.
    var template = Array("/tmp/kettle-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
    path = String(cString: made)
    var environment = [
      "HOME": path, "XDG_RUNTIME_DIR": path + "/run", "LANG": "C.UTF-8", "TZ": "UTC",
      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ].merging(variables) { $1 }
    environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
    environment["KETTLE_EXECUTABLE"] = path + "/kettle"
    self.environment = environment
    paths = ServicePaths.of(environment: environment)
    for folder in ["run", "files", ".config/kettle"] {
      try FileManager.default.createDirectory(
        atPath: path + "/" + folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    if let configuration { try configure(configuration) }
    // The service inherits the environment of the process that starts it, and the tests share
    // theirs.
    let variables = environment.map { "\($0.key)='\($0.value)'" }.sorted().joined(separator: " ")
    try script(
      "kettle", "exec env -i \(variables) '\(BuiltProgram.path(of: "kettle"))' \"$@\"")
  }

  deinit {
    // Without the script nothing can start the service again.
    try? FileManager.default.removeItem(atPath: path + "/kettle")
    for session in sessions.read({ $0 }) { session.invalidateAndCancel() }
    if let stop = try? Running(
      BuiltProgram.path(of: "kettle"), ["daemon", "stop"], environment, output: path + "/stop")
    {
      _ = stop.waitForEnd()
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The directory for the tests' own files.
  var files: String { path + "/files" }
  func file(_ name: String) -> URL { URL(filePath: files + "/" + name) }

  func configure(_ text: String) throws {
    try text.write(toFile: paths.configPath, atomically: true, encoding: .utf8)
  }

  /// Writes a program into the home, and returns its path.
  @discardableResult
  func script(_ name: String, _ body: String) throws -> String {
    try ShellProgram.write(body, to: path + "/" + name)
    return path + "/" + name
  }

  func configuration(_ identifier: String = UUID().uuidString) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.servicePaths = paths
    configuration.serviceExecutable = path + "/kettle"
    configuration.sessionSendsLaunchEvents = false
    // A download that the origin stalls must not continue over another connection.
    configuration.httpMaximumConnectionsPerHost = 1
    return configuration
  }

  func session(
    _ told: Told, _ identifier: String = UUID().uuidString,
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = configuration(identifier)
    change(configuration)
    let session = URLSession(configuration: configuration, delegate: told, delegateQueue: nil)
    sessions.update { $0.append(session) }
    return session
  }

  /// Runs a command to its end, and returns its exit code and its output.
  @discardableResult
  func kettle(_ arguments: String...) async throws -> (code: Int32, said: String) {
    try await kettle(arguments)
  }

  @discardableResult
  func kettle(_ arguments: [String]) async throws -> (code: Int32, said: String) {
    let output = path + "/said-" + UUID().uuidString
    let code = try await Running(
      BuiltProgram.path(of: "kettle"), arguments, environment, output: output
    ).end()
    let said = FileManager.default.contents(atPath: output) ?? Data()
    return (code, String(decoding: said, as: UTF8.self))
  }

  /// The rows of `kettle list --json`.
  func rows() async throws -> [[String: Any]] {
    let said = try await kettle("list", "--json").said
    return try #require(
      try JSONSerialization.jsonObject(with: Data(said.utf8)) as? [[String: Any]])
  }

  /// The transfer ID of a task, as the user sees it.
  func id(of task: URLSessionTask) async throws -> String {
    let row = try #require(
      try await rows().first { $0["taskIdentifier"] as? Int == task.taskIdentifier })
    return String(try #require(row["id"] as? Int))
  }

  func servicePID() async throws -> Int32 {
    let said = try await kettle("daemon", "status", "--json").said
    let status = try JSONSerialization.jsonObject(with: Data(said.utf8)) as? [String: Any]
    return Int32(try #require(status?["processID"] as? Int))
  }

  /// A separate connection, like that of another program.
  func connect() async throws -> ServiceConnection {
    try await ServiceConnection.connect(paths: paths, clientName: "test")
  }

  /// The files that the service holds for its programs.
  var heldFiles: [String] {
    (try? FileManager.default.subpathsOfDirectory(atPath: paths.heldDirectory)) ?? []
  }
}

extension ScriptedOrigin {
  /// The URL of a path on this origin, as a Foundation value.
  func address(_ path: String) throws -> URL {
    try #require(URL(string: "http://\(host):\(port)\(path)"))
  }
}
