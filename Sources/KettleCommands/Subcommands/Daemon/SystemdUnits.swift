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
