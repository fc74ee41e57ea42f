import Foundation
import Glibc
import KettleSystem
import Testing

struct FileReplacementTests {
  private let directory: String

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(
      atPath: directory + "/dotfiles", withIntermediateDirectories: true)
  }

  private func text(_ name: String) -> String? {
    try? String(contentsOfFile: directory + "/" + name, encoding: .utf8)
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: directory + "/" + name, withDestinationPath: target)
  }

  // Fault 181
  @Test(arguments: ["dotfiles/a", "DIRECTORY/dotfiles/a", "second"])
  func `a link that leads to no file stays, and its file is made`(target: String) throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try link("second", to: "dotfiles/a")
    try link("link", to: target.replacing("DIRECTORY", with: directory))
    try FileReplacement.write([65], to: directory + "/link", mode: 0o600)
    #expect(text("dotfiles/a") == "A")
    var status = stat()
    #expect(lstat(directory + "/link", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    try FileReplacement.write([66], to: directory + "/link", mode: 0o600)
    #expect(text("dotfiles/a") == "B")
  }

  // Fault 181
  @Test(arguments: ["missing/a", "link"])
  func `a link that leads nowhere is not replaced`(target: String) throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try link("link", to: target)
    #expect(throws: SystemError.self) {
      try FileReplacement.write([65], to: directory + "/link", mode: 0o600)
    }
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: directory + "/link") == target)
  }

  @Test func `a lock has one holder`() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/lock"
    let first = try FileLock(path: path, budget: .zero)
    #expect(throws: SystemError(EWOULDBLOCK)) { try FileLock(path: path, budget: .zero) }
    withExtendedLifetime(first) {}
    _ = try FileLock(path: directory + "/other", budget: .zero)
  }
}
