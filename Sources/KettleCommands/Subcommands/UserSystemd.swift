import FoundationEssentials
import Glibc
import KettleControl
import KettleSocket
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

/// The units with which systemd runs the service for one user (systemd.socket(5),
/// systemd.service(5)). The packages have the same ones in `assets/systemd`.
enum SystemdUnits {
  static let socketName = "kettle.socket"
  static let serviceName = "kettle.service"

  static let socket = """
    [Unit]
    Description=Control socket of Kettle
    Documentation=man:kettle(1)

    [Socket]
    ListenStream=%t/kettle/control.sock
    SocketMode=0600
    DirectoryMode=0700

    [Install]
    WantedBy=sockets.target

    """

  /// - Parameter program: the absolute path of the program.
  static func service(program: String) -> String {
    """
    [Unit]
    Description=Kettle, the background transfer service
    Documentation=man:kettle(1)
    Requires=kettle.socket
    After=kettle.socket

    [Service]
    Type=notify
    ExecStart=\(quoted(program)) daemon run
    ExecReload=/bin/kill -HUP $MAINPID
    Restart=on-failure
    WatchdogSec=2min
    TimeoutStopSec=30s
    # Programs that the service starts go on without it.
    KillMode=process
    # Those programs inherit these.
    NoNewPrivileges=yes
    LockPersonality=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    SystemCallArchitectures=native
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

    [Install]
    WantedBy=default.target

    """
  }

  /// A path as a word of a command line; percent and dollar signs stand for themselves.
  private static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      switch byte {
      case 48...57, 65...90, 97...122: true
      default: "/._-+".utf8.contains(byte)
      }
    }
    if isPlain { return path }
    let escaped = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("%", with: "%%").replacing("$", with: "$$")
    return "\"\(escaped)\""
  }
}
