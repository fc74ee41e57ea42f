import FoundationEssentials
import Glibc
import Testing

/// The directories of one test for its files and its store. They are deleted after the test.
final class WireHome: Sendable {
  let root: String
  var documents: String { root + "/Downloads" }
  var storePath: String { root + "/state/store.sqlite" }
  var unrecordedFilesPath: String { root + "/unrecorded" }

  init() throws {
    var template = Array("/tmp/kettle-wire-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
    }
    root = try #require(made)
    try #require(mkdir(documents, 0o755) == 0)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// The names of the files in the documents directory, sorted.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: documents)) ?? []).sorted()
  }

  /// The partial files in it, whatever their base names.
  var partialNames: [String] { names.filter { $0.hasSuffix(".part") } }

  /// The files with a final name; read once, because a partial file may be about to be deleted.
  var finalNames: [String] { names.filter { !$0.hasSuffix(".part") } }

  func put(_ bytes: [UInt8], as name: String) throws {
    let path = documents + "/" + name
    try #require(FileManager.default.createFile(atPath: path, contents: Data(bytes)), "\(path)")
  }

  func bytes(of name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: documents + "/" + name).map { [UInt8]($0) }
  }
}

/// What other programs do to a file without the engine's knowledge.
enum Meddling {
  static func truncate(_ path: String, to byteCount: Int64) throws {
    try #require(Glibc.truncate(path, off_t(byteCount)) == 0)
  }

  static func write(_ bytes: [UInt8], into path: String, at offset: Int64) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    try #require(pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count)
  }

  static func append(_ bytes: [UInt8], to path: String) throws {
    let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    try #require(file >= 0)
    defer { close(file) }
    try #require(Glibc.write(file, bytes, bytes.count) == bytes.count)
  }

  static func delete(_ path: String) throws { try #require(unlink(path) == 0) }

  static func move(_ path: String, to other: String) throws {
    try #require(rename(path, other) == 0)
  }
}
