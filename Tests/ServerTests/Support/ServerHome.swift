import Foundation
import Testing
import TestSupport

/// A home of its own for the real program, with the directories of the servers that it downloads
/// from.
final class ServerHome: Sendable {
  struct Outcome: Sendable {
    var code: Int32
    /// Standard output and standard error, as they came.
    var text: String
  }

  struct Row: Hashable, Sendable {
    var state: String
    var reason: String?
    var connections: Int
    var error: String?
  }

  let path: String
  private let environment: [String: String]
  private let kept = Monitor<[any AnyObject & Sendable]>([])

  static let program = BuiltProgram.path(of: "kettle")

  /// - Parameters:
  ///   - configuration: The content of `config.toml`.
  ///   - authority: The file of the authorities that are trusted.
  ///   - variables: More of the environment, with `HOME/` for the path of the home.
  init(
    configuration: String = "", authority: String? = nil, variables: [String: String] = [:]
  ) throws {
    // Short, because the path of a socket must be.
    var template = Array("/tmp/kserve-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
    path = String(cString: made)
    var environment = [
      "HOME": path, "XDG_RUNTIME_DIR": path + "/run", "LANG": "C.UTF-8", "TZ": "UTC",
      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ].merging(
      ProcessInfo.processInfo.environment.filter { $0.key == "LD_LIBRARY_PATH" }
    ) { own, _ in own }
    environment["SSL_CERT_FILE"] = authority
    for (name, value) in variables {
      environment[name] = value.replacing("HOME/", with: path + "/")
    }
    self.environment = environment
    let files = FileManager.default
    try files.createDirectory(atPath: path + "/.config/kettle", withIntermediateDirectories: true)
    try files.createDirectory(
      atPath: path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try configuration.write(
      toFile: path + "/.config/kettle/config.toml", atomically: false, encoding: .utf8)
    // Servers that root starts run as other users.
    chmod(path, 0o755)
  }

  deinit {
    if let process = try? start([Self.program, "daemon", "stop"], output: "/dev/null") {
      _ = process.waitForEnd()
    }
    kept.update { $0 = [] }
    try? FileManager.default.removeItem(atPath: path)
  }

  var downloads: String { path + "/Downloads" }

  /// Keeps a server or a disk alive until the home is removed: a test may not mention it to its
  /// end.
  func keep(_ server: any AnyObject & Sendable) { kept.update { $0.append(server) } }

  /// Makes a directory below the home that every user may write to.
  func directory(_ name: String) throws -> String {
    let made = path + "/" + name
    try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
    chmod(made, 0o777)
    return made
  }

  func start(_ words: [String], output: String) throws -> Running {
    try Running("/usr/bin/env", words, environment, output: output)
  }

  /// Runs the program to its end.
  @discardableResult
  func kettle(_ arguments: String...) async throws -> Outcome {
    try await run([Self.program] + arguments)
  }

  /// Runs any program in this home to its end.
  func run(_ words: [String]) async throws -> Outcome {
    let output = path + "/output-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: output) }
    let code = await (try start(words, output: output)).end()
    return Outcome(code: code, text: try String(contentsOfFile: output, encoding: .utf8))
  }

  /// Adds a list of URLs, and more options of `kettle add`.
  func add(_ urls: [String], _ options: String...) async throws {
    let list = path + "/list-" + UUID().uuidString
    try (urls.joined(separator: "\n") + "\n").write(
      toFile: list, atomically: false, encoding: .utf8)
    let outcome = try await run([Self.program, "add", "-i", list] + options)
    try #require(outcome.code == 0, "\(outcome.text)")
  }

  /// Lets the service work for so many seconds, in which not everything may be finished.
  func letWork(seconds: Int) async throws {
    let outcome = try await kettle("wait", "--all", "--timeout", "\(seconds)")
    #expect(outcome.code == 4, "\(outcome.text)")
  }

  func rows() async throws -> [Row] {
    let outcome = try await kettle("list", "--json")
    let parsed = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8))
    return try #require(parsed as? [[String: Any]], "\(outcome.text)").map(Row.init)
  }

  /// The number of transfers by state, and by reason where they wait: "waiting: proxy".
  func counts() async throws -> [String: Int] {
    try await rows().reduce(into: [:]) { counts, row in
      counts[[row.state, row.reason].compactMap { $0 }.joined(separator: ": "), default: 0] += 1
    }
  }
}

extension ServerHome.Row {
  init(_ object: [String: Any]) {
    state = object["state"] as? String ?? ""
    reason = object["reason"] as? String
    connections = object["connections"] as? Int ?? 0
    error = (object["error"] as? [String: Any])?["message"] as? String
  }
}
