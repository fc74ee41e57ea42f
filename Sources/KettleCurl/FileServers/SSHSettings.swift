import Glibc
import KettleModel
import KettleSystem

/// The user's own SSH, as the service sees it.
package struct SSHSettings: Sendable, Hashable {
  /// `~/.ssh`; nil when unknown.
  package var directory: String?
  /// The user for URLs that name none.
  package var user: String

  package init(directory: String?, user: String) {
    self.directory = directory
    self.user = user
  }

  /// Reads `HOME`, and `LOGNAME` and `USER` (environ(7)).
  package init(environment: [String: String]) {
    func named(_ variable: String) -> String? {
      environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
    self.init(
      directory: named("HOME").map { $0 + "/.ssh" },
      user: named("LOGNAME") ?? named("USER") ?? Self.accountName ?? "")
  }

  private static var accountName: String? {
    getpwuid(geteuid()).flatMap { $0.pointee.pw_name.map { String(cString: $0) } }
  }

  /// nil if the file cannot be read. libcurl would wait for the writer of a pipe.
  var knownHostsPath: String? {
    directory.map { $0 + "/known_hosts" }.flatMap { Self.isReadable($0) ? $0 : nil }
  }

  /// No file of ssh(1) is larger.
  private static let fileByteCountMax = 16 << 20

  private static func isReadable(_ path: String) -> Bool {
    FileContents.obstacle(path: path, byteCountMax: fileByteCountMax) == nil
  }

  /// The private keys with the names of ssh(1) that can be read. libcurl tries one of them for each
  /// connection.
  var keyFiles: [String] {
    guard let directory else { return [] }
    return ["id_ed25519", "id_ecdsa", "id_rsa"].map { directory + "/" + $0 }.filter {
      Self.isReadable($0)
    }
  }
}
