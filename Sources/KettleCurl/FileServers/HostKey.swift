import CKettleCurl
import Glibc
import KettleModel
import KettleSystem

/// The key by which an SSH server proves its identity (RFC 4253, section 6.6).
struct HostKey: Hashable {
  /// The SHA-256 of its encoding in hexadecimal digits.
  var fingerprint: String
  /// Such as `ssh-ed25519`.
  var algorithm: String

  /// - Parameter encoding: the algorithm's name and its numbers, each after its length.
  init?(_ encoding: [UInt8]) {
    guard encoding.count > 4, let fingerprint = ServerIdentity.sha256(encoding) else { return nil }
    let length = encoding[..<4].reduce(0) { $0 << 8 | Int($1) }
    let name = encoding.dropFirst(4).prefix(min(length, Self.nameByteCountMax))
    algorithm = String(decoding: name, as: UTF8.self)
      .sanitizedForDisplay(limit: Self.nameByteCountMax)
    self.fingerprint = fingerprint
  }

  /// Reads libcurl's form: raw, or in Base64 with some builds.
  init?(_ key: curl_khkey) {
    guard let start = key.key else { return nil }
    if key.len == 0 {
      guard let bytes = Base64Bytes(String(cString: start)) else { return nil }
      self.init(bytes.bytes)
      return
    }
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: key.len))
    guard bytes.starts(with: "AAAA".utf8) else {
      self.init(bytes)
      return
    }
    guard let decoded = Base64Bytes(String(decoding: bytes, as: UTF8.self)) else { return nil }
    self.init(decoded.bytes)
  }

  private static let nameByteCountMax = 64

  /// `SHA256:` and Base64, as ssh shows it.
  var shownFingerprint: String {
    ServerCertificate.hostKeyFingerprint(ofHexadecimal: fingerprint)
  }

  func certificate(of origin: Origin) -> ServerCertificate {
    ServerCertificate(
      origin: origin.text, fingerprint: fingerprint, key: fingerprint, subject: algorithm,
      issuer: "")
  }
}

/// The verdict on the host key of an SFTP server.
enum HostKeyJudgement: Hashable {
  /// Nothing is sent in this state.
  case pending
  case accepted
  /// The known hosts do not contain the host: the user decides.
  case unknown(HostKey)
  /// They contain it with another key.
  case changed(HostKey)
  case unreadable

  /// - Parameters:
  ///   - match: libcurl's comparison with the known hosts.
  ///   - trusted: the fingerprints that the user has accepted.
  init(_ key: HostKey?, match: curl_khmatch, trusted: Set<String>) {
    guard let key else {
      self = .unreadable
      return
    }
    if trusted.contains(key.fingerprint) {
      self = .accepted
      return
    }
    switch match {
    case CURLKHMATCH_OK: self = .accepted
    case CURLKHMATCH_MISMATCH: self = .changed(key)
    default: self = .unknown(key)
    }
  }
}

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
