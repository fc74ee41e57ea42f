import Foundation
import Testing
import TestSupport

/// A home directory for the real program. Its methods block: storms run on threads of their own.
final class StormHome: Sendable {
  struct Row: Sendable {
    var id: String
    var url: String
    var state: String
    var reason: String?
    var path: String?
    var bytesReceived: Int64
    var error: String?

    var urlPath: String { URL(string: url)?.path ?? "" }
  }

  let path: String
  let environment: [String: String]

  static let program = BuiltProgram.path(of: "kettle")

  /// - Parameter path: an existing directory; nil makes one.
  init(at path: String? = nil) throws {
    self.path = try path ?? Self.makeDirectory()
    environment = [
      "HOME": self.path, "XDG_RUNTIME_DIR": self.path + "/run", "LANG": "C.UTF-8", "TZ": "UTC",
      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ].merging(
      ProcessInfo.processInfo.environment.filter { $0.key == "LD_LIBRARY_PATH" }
    ) { own, _ in own }
    try FileManager.default.createDirectory(
      atPath: self.path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
  }

  /// Short, because the path of a socket must be short.
  static func makeDirectory() throws -> String {
    var template = Array("/tmp/kstorm-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
    return String(cString: made)
  }

  /// Kills its services and deletes it.
  func close() {
    for id in servicePIDs { kill(id, SIGKILL) }
    try? FileManager.default.removeItem(atPath: path)
  }

  var downloads: String { path + "/Downloads" }
  /// The log of the services.
  var log: String {
    let path = path + "/.local/state/kettle/service.log"
    return (try? String(contentsOfFile: path, encoding: .utf8)) ?? "there is no log"
  }

  func byteCount(ofDownload name: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: downloads + "/" + name)
    return attributes?[.size] as? Int
  }

  /// Runs the program to its end.
  @discardableResult
  func kettle(_ arguments: String..., budgetMilliseconds: Int64 = 60_000) -> StormProcess.Outcome {
    kettle(arguments, budgetMilliseconds: budgetMilliseconds)
  }

  func kettle(_ arguments: [String], budgetMilliseconds: Int64 = 60_000) -> StormProcess.Outcome {
    do {
      return try StormProcess([Self.program] + arguments, environment: environment)
        .outcome(budgetMilliseconds: budgetMilliseconds)
    } catch {
      return StormProcess.Outcome(
        code: StormProcess.Outcome.hungCode, output: "", errors: "\(error)")
    }
  }

  /// Waits until everything is finished. If the service dies during the client's hello, the client
  /// exits with the advice to try again, which this does.
  @discardableResult
  func waitForAll(seconds: Int64) -> StormProcess.Outcome {
    var outcome = StormProcess.Outcome(code: 3, output: "", errors: "")
    for _ in 0..<3 where outcome.code == 3 {
      outcome = kettle(
        "wait", "--all", "--timeout", "\(seconds)", budgetMilliseconds: seconds * 1000 + 15_000)
    }
    return outcome
  }

  /// Starts a service whose process ID the test knows, optionally through another program.
  func startService(
    behind words: [String] = [], limits: String? = nil, with more: [String: String] = [:]
  ) throws -> StormProcess {
    try StormProcess(
      words + [Self.program, "daemon", "run"],
      environment: environment.merging(more) { _, new in new }, limits: limits)
  }

  /// The rows of `kettle list --json`; nil if there was no list.
  func rows() -> [Row]? {
    let outcome = kettle("list", "--json")
    guard outcome.code == 0,
      let parsed = try? JSONSerialization.jsonObject(with: Data(outcome.output.utf8)),
      let objects = parsed as? [[String: Any]]
    else { return nil }
    return objects.map(Row.init)
  }

  /// The processes that are a service of this home, whichever program started them.
  var servicePIDs: [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { id in
      // The first word distinguishes a service from a tracer with the same arguments.
      let words = words(of: id, "cmdline")
      return words.first?.hasSuffix("kettle") == true
        && words.dropFirst().starts(with: Self.serviceWords)
        && self.words(of: id, "environ").contains("HOME=" + path)
    }
  }

  private static let serviceWords = ["daemon", "run"]

  private func words(of id: pid_t, _ file: String) -> [String] {
    let bytes = KernelFile.bytes("/proc/\(id)/\(file)")
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension StormHome.Row {
  init(_ object: [String: Any]) {
    id = (object["id"] as? Int).map(String.init) ?? ""
    url = object["url"] as? String ?? ""
    state = object["state"] as? String ?? ""
    reason = object["reason"] as? String
    path = object["path"] as? String
    bytesReceived = (object["bytesReceived"] as? Int).map { Int64($0) } ?? 0
    error = (object["error"] as? [String: Any])?["message"] as? String
  }
}
