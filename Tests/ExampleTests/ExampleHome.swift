import CKettleLinux
import Foundation
import Testing
import TestSupport

/// A home directory for the example programs and their service. All their output goes through one
/// named pipe, also that of a program that the service launched, so that a test can wait for a
/// line.
final class ExampleHome: Sendable {
  let path: String
  let environment: [String: String]
  let said = Monitor<[String]>([])
  private let pipe: Int32
  private static let lastLine = "the test is over"

  init() throws {
    // Short, because the path of a socket must be short.
    var template = Array("/tmp/kettle-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
    path = String(cString: made)
    var environment = [
      "HOME": path, "XDG_RUNTIME_DIR": path + "/run", "LANG": "C.UTF-8", "TZ": "UTC",
      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "KETTLE_EXECUTABLE": BuiltProgram.path(of: "kettle"),
    ]
    environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
    self.environment = environment
    for folder in ["run", "files"] {
      try FileManager.default.createDirectory(
        atPath: path + "/" + folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    }
    // Also open for writing, so that it stays open when the last writer exits.
    try #require(mkfifo(path + "/said", 0o600) == 0)
    pipe = open(path + "/said", O_RDWR | O_CLOEXEC)
    try #require(pipe >= 0)
    let (pipe, said) = (pipe, said)
    Thread.detachNewThread { Self.read(pipe, into: said) }
  }

  deinit {
    if let stop = try? Running(
      BuiltProgram.path(of: "kettle"), ["daemon", "stop"], environment, output: path + "/said")
    {
      _ = stop.waitForEnd()
    }
    let line = Array((Self.lastLine + "\n").utf8)
    _ = write(pipe, line, line.count)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path to which the programs write.
  var log: String { path + "/said" }
  var files: String { path + "/files" }

  private static func read(_ pipe: Int32, into said: Monitor<[String]>) {
    var pending: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(pipe, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      pending += piece.prefix(count)
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeSubrange(...end)
        if line == lastLine {
          close(pipe)
          return
        }
        said.update { $0.append(line) }
      }
    }
    close(pipe)
  }

  func start(_ name: String, _ arguments: String...) throws -> Running {
    try start(name, arguments, adding: [:])
  }

  func start(
    _ name: String, _ arguments: [String], adding variables: [String: String]
  ) throws -> Running {
    try Running(
      BuiltProgram.path(of: name), arguments, environment.merging(variables) { $1 }, output: log)
  }

  /// Starts a program of the documentation, whose files are in `files`.
  func startDocumented(_ name: String, origin: String) throws -> Running {
    let variables = environment.merging(["EXAMPLE_ORIGIN": origin, "EXAMPLE_ROOT": files]) { $1 }
    return try Running(
      BuiltProgram.path(of: "documentation-program"), [name], variables, output: log)
  }

  /// Waits for a line, and returns all lines so far.
  @discardableResult
  func wait(for line: String) async throws -> [String] {
    try await said.wait(for: "the line \"\(line)\"", budgetMilliseconds: 60_000) {
      $0.contains(line)
    }
  }

  /// The lines without progress reports.
  var calls: [String] { said.read { $0.filter { !$0.hasPrefix("didWriteData") } } }

  /// Runs `kettle` with these arguments to its end and returns what it prints. Throws if it fails.
  func output(of arguments: String...) async throws -> Data {
    let name = path + "/output"
    try? FileManager.default.removeItem(atPath: name)
    let command = try Running(BuiltProgram.path(of: "kettle"), arguments, environment, output: name)
    try #require(await command.end() == 0)
    return try Data(contentsOf: URL(filePath: name))
  }

  func servicePID() async throws -> Int32 {
    let data = try await output(of: "daemon", "status", "--json")
    let parsed = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    return Int32(try #require(parsed["processID"] as? Int))
  }
}
