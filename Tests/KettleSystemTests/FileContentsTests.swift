import Foundation
import Glibc
import KettleModel
import KettleSystem
import Testing

final class FileContentsTests {
  private static let byteCountMax = 1 << 20
  private let path: String

  init() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.path + "/file"
  }

  deinit {
    try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
  }

  private func read(_ path: String) -> FileContents {
    FileContents.read(path: path, byteCountMax: Self.byteCountMax)
  }

  @Test(arguments: [0, 1, 1 << 20])
  func `a regular file is read in full`(byteCount: Int) throws {
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
    try Data(bytes).write(to: URL(filePath: path))
    #expect(read(path) == .bytes(bytes))
  }

  @Test func `a missing file is not an error`() {
    for path in [path, "/no/such/directory/file", "/dev/null/file"] {
      #expect(read(path) == .missing)
    }
  }

  @Test func `a private file is one that only its user can read`() throws {
    func readPrivate(_ path: String) -> FileContents {
      FileContents.readPrivate(path: path, byteCountMax: Self.byteCountMax)
    }
    #expect(readPrivate(path) == .missing)
    try Data([1, 2]).write(to: URL(filePath: path))
    for mode in [0o644, 0o640, 0o620] as [mode_t] {
      try #require(chmod(path, mode) == 0)
      #expect(readPrivate(path) == .unreadable("others can read it; chmod 600 changes that"))
    }
    try #require(chmod(path, 0o600) == 0)
    #expect(readPrivate(path) == .bytes([1, 2]))
    #expect(
      readPrivate((path as NSString).deletingLastPathComponent)
        == .unreadable("it is not a file of this user"))
  }

  @Test func `a pipe, a directory and a huge file do not block the caller`() throws {
    try #require(mkfifo(path, 0o600) == 0)
    #expect(read(path) == .unreadable("it is not a regular file"))
    #expect(
      read((path as NSString).deletingLastPathComponent)
        == .unreadable("it is not a regular file"))
    unlink(path)
    try #require(FileManager.default.createFile(atPath: path, contents: nil))
    try #require(truncate(path, 1 << 40) == 0)
    #expect(read(path) == .unreadable("it is larger than 1 MiB"))
  }
}
