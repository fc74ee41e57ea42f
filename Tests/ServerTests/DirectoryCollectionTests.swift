import Foundation
import Testing
import TestSupport

/// Directories of vsftpd and OpenSSH as collections.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: geteuid() == 0, "vsftpd needs root"))
struct DirectoryCollectionTests {
  private let body = SeededBody(seed: 51, byteCount: 100_000)
  private static let paths = ["a b.bin", "s ü#%41/c.bin", "s ü#%41/deep/d & e.bin", "empty.bin"]

  /// Makes the files below the directory of a server's file.
  private func makeFiles(beside path: String) throws -> URL {
    let root = URL(filePath: path).deletingLastPathComponent().appending(path: "pub")
    for (index, name) in Self.paths.enumerated() {
      let url = root.appending(path: name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      let count = name == "empty.bin" ? 0 : 5000 + index
      try Data(body.bytes.prefix(count)).write(to: url)
    }
    try FileManager.default.createSymbolicLink(
      at: root.appending(path: "latest"), withDestinationURL: root.appending(path: "a b.bin"))
    return root
  }

  /// Fetches a directory while the service is killed, and compares every file.
  private func expectCollection(_ url: String, is root: URL, in home: ServerHome) async throws {
    let data = home.path + "/data"
    let added = try await home.kettle("add", "--to", data, url)
    #expect(added.code == 0, "\(added.text)")
    try await home.killService()
    let outcome = try await home.kettle("wait", "--all", "--timeout", "60")
    #expect(outcome.code == 0, "\(outcome.text)")
    for name in Self.paths {
      let found = FileManager.default.contents(atPath: data + "/" + name)
      #expect(found == FileManager.default.contents(atPath: root.path + "/" + name), "\(name)")
    }
    let collections = try await home.kettle("collections").text
    #expect(collections.contains("4 of 4 files, 1 left out"), "\(collections)")
  }

  @Test func `a directory comes from an FTP server`() async throws {
    let home = try ServerHome()
    let server = try await VsftpdServer(body, home: home)
    let root = try makeFiles(beside: server.path)
    let url = server.url.replacing("file.bin", with: "pub/")
    try await expectCollection(url, is: root, in: home)
  }

  @Test func `a directory comes from an SFTP server`() async throws {
    let home = try ServerHome()
    let server = try await SSHServer(body, home: home)
    try server.trust(server.hostKey)
    let root = try makeFiles(beside: server.path)
    let url = server.url.replacing("file.bin", with: "pub/")
    try await expectCollection(url, is: root, in: home)
  }
}
