import Foundation

/// A certificate authority in its own directory, created with openssl(1).
package final class TestAuthority {
  /// A certificate and its key, as PEM files.
  package struct Identity {
    package var certificatePath: String
    package var keyPath: String
  }

  /// A defect of the certificate for a server on 127.0.0.1, also called localhost.
  package enum Flaw: String, CaseIterable {
    case expired, notYetValid, otherName, otherAddress, nameInSubjectOnly, zeroByteInName
    case selfSigned, weakKey, forClients
  }

  package struct Unusable: Error { package var said: String }

  package let certificatePath: String
  private let directory: URL

  package init() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("kettle-ca-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    certificatePath = directory.appendingPathComponent("ca.pem").path
    try write(Self.configuration, to: "ca.conf")
    try write("", to: "index.txt")
    try write("01\n", to: "serial")
    try openssl(
      ["req", "-x509", "-config", "ca.conf", "-extensions", "authority", "-nodes", "-days", "2"]
        + Self.strongKey + ["-subj", "/CN=kettle test authority", "-keyout", "ca.key"]
        + ["-out", "ca.pem"])
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// A certificate with this defect, or without any.
  package func identity(_ flaw: Flaw? = nil) throws -> Identity {
    let name = flaw?.rawValue ?? "good"
    try write(extensions(flaw), to: name + ".ext")
    try openssl(
      ["req", "-new", "-config", "ca.conf", "-nodes", "-subj", "/CN=localhost"]
        + (flaw == .weakKey ? ["-newkey", "rsa:1024"] : Self.strongKey)
        + ["-keyout", name + ".key", "-out", name + ".csr"])
    let (start, end) = validity(flaw)
    let signer =
      flaw == .selfSigned
      ? ["-selfsign", "-keyfile", name + ".key"] : ["-cert", "ca.pem", "-keyfile", "ca.key"]
    try openssl(
      ["ca", "-batch", "-notext", "-config", "ca.conf", "-in", name + ".csr"]
        + ["-startdate", start, "-enddate", end, "-extfile", name + ".ext"] + signer
        + ["-out", name + ".pem"])
    return Identity(
      certificatePath: directory.appendingPathComponent(name + ".pem").path,
      keyPath: directory.appendingPathComponent(name + ".key").path)
  }

  /// The first certificate of a PEM file in DER.
  package func der(ofFile path: String) throws -> [UInt8] {
    try openssl(["x509", "-in", path, "-outform", "DER", "-out", "out.der"])
    return [UInt8](try Data(contentsOf: directory.appendingPathComponent("out.der")))
  }

  package func der(of identity: Identity) throws -> [UInt8] {
    try der(ofFile: identity.certificatePath)
  }

  /// The SHA-256 of its SubjectPublicKeyInfo, in hexadecimal.
  package func keyDigest(of identity: Identity) throws -> String {
    try openssl(["pkey", "-in", identity.keyPath, "-pubout", "-outform", "DER", "-out", "out.pub"])
    try openssl(["dgst", "-sha256", "-r", "-out", "out.sum", "out.pub"])
    let sum = try String(
      contentsOf: directory.appendingPathComponent("out.sum"), encoding: .utf8)
    return String(sum.prefix(64))
  }

  /// The SHA-256 of a certificate in lowercase hexadecimal digits.
  package func fingerprint(of identity: Identity) throws -> String {
    try openssl(["x509", "-in", identity.certificatePath, "-outform", "DER", "-out", "out.der"])
    try openssl(["dgst", "-sha256", "-r", "-out", "out.sum", "out.der"])
    let sum = try String(
      contentsOf: directory.appendingPathComponent("out.sum"), encoding: .utf8)
    return String(sum.prefix(64))
  }

  /// The path of an encrypted copy of a key.
  package func lock(_ keyPath: String, password: String) throws -> String {
    let path = keyPath + ".locked"
    try openssl(["pkey", "-in", keyPath, "-aes256", "-passout", "pass:" + password, "-out", path])
    return path
  }

  private static let strongKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]

  private static let configuration = """
    [ca]
    default_ca = here
    [here]
    database = index.txt
    serial = serial
    new_certs_dir = .
    default_md = sha256
    policy = any
    unique_subject = no
    [any]
    commonName = supplied
    [req]
    distinguished_name = none
    [none]
    [authority]
    basicConstraints = critical, CA:true
    keyUsage = keyCertSign
    """

  private func extensions(_ flaw: Flaw?) -> String {
    switch flaw {
    case .otherName: "subjectAltName = DNS:other.test, DNS:localhost.test"
    case .otherAddress: "subjectAltName = IP:127.0.0.2, DNS:127.0.0.1"
    case .nameInSubjectOnly: "subjectAltName = DNS:other.test"
    // A sequence of one dNSName: "localhost", NUL, ".evil".
    case .zeroByteInName:
      "subjectAltName = DER:30:11:82:0f:6c:6f:63:61:6c:68:6f:73:74:00:2e:65:76:69:6c"
    case .forClients: "subjectAltName = IP:127.0.0.1, DNS:localhost\nextendedKeyUsage = clientAuth"
    case .expired, .notYetValid, .selfSigned, .weakKey, nil:
      "subjectAltName = IP:127.0.0.1, DNS:localhost"
    }
  }

  private func validity(_ flaw: Flaw?) -> (start: String, end: String) {
    switch flaw {
    case .expired: ("20200101000000Z", "20210101000000Z")
    case .notYetValid: ("20900101000000Z", "20910101000000Z")
    default: ("20200101000000Z", "20910101000000Z")
    }
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(
      to: directory.appendingPathComponent(name), atomically: false, encoding: .utf8)
  }

  private func openssl(_ arguments: [String]) throws {
    let said = directory.appendingPathComponent("said")
    // The arguments are file names in the directory.
    let process = try Running(
      "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\"", directory.path, TLSServer.program] + arguments,
      [:], output: said.path)
    guard process.waitForEnd() == 0 else {
      throw Unusable(said: try String(contentsOf: said, encoding: .utf8))
    }
  }
}
