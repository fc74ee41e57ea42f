import FoundationEssentials
import Glibc
import KettleClient
import KettleControl
import KettleStarter
import KettleSystem

/// The user's systemd, and the units of Kettle in the user's own directory.
struct UserSystemd {
  /// `~/.config/systemd/user`
  let directory: String
  private let program: String
  private let environment: [String: String]

  /// Throws if no systemd runs for this user.
  init(in context: CommandContext) throws {
    environment = context.environment
    let runtime = environment["XDG_RUNTIME_DIR"] ?? ""
    // systemd's own check (sd_booted(3)), and the socket of the user's systemd.
    guard !runtime.isEmpty, FileManager.default.fileExists(atPath: runtime + "/systemd/private")
    else { throw SystemdError(.noManager) }
    let config = ServicePaths.of(environment: environment).configPath
    // Beside `kettle/config.toml`.
    directory =
      URL(filePath: config).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "systemd/user").path
    program = ServiceProcess.ownExecutablePath()
  }

  private var units: [(name: String, text: String)] {
    [
      (SystemdUnits.socketName, SystemdUnits.socket),
      (SystemdUnits.serviceName, SystemdUnits.service(program: program)),
    ]
  }

  func write() throws {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
      for unit in units {
        try FileReplacement.write(
          Array(unit.text.utf8), to: directory + "/" + unit.name, mode: 0o644)
      }
    } catch {
      throw SystemdError(.unwritable(directory))
    }
  }

  func remove() throws {
    for unit in units { try? FileManager.default.removeItem(atPath: directory + "/" + unit.name) }
  }

  /// Runs systemctl(1) for the user, and waits for its end. Throws if it fails.
  func run(_ words: String...) throws {
    let call = ["systemctl", "--user"] + words
    guard let path = SearchPath(environment: environment).path(of: "systemctl"),
      let opened = OwnedDescriptor(opened: open("/dev/null", O_WRONLY | O_CLOEXEC)),
      let nowhere = ProcessSpawn.highDescriptor(opened)
    else { throw SystemdError(.noManager) }
    var spawn = ProcessSpawn(executablePath: path, arguments: call, log: nowhere.number)
    spawn.environment = environment
    guard case .success(let processID) = spawn.run(),
      let status = ProcessStatus.ofEnded(processID), status.rawValue == 0
    else { throw SystemdError(.refused(call.joined(separator: " "))) }
  }
}

/// Why systemd cannot run the service.
struct SystemdError: Error {
  enum What {
    case noManager
    case unwritable(String)
    /// The words of the call that failed.
    case refused(String)
  }

  var what: What

  init(_ what: What) { self.what = what }
}
