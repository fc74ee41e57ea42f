import Foundation
import Glibc
import KettleModel
import TestSupport

/// A file to send, in its own directory.
final class UploadFile {
  let directory: URL
  let path: String
  let byteCount: Int64

  init(_ content: SeededBody) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("kettle-upload-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let file = directory.appendingPathComponent("file.bin")
    path = file.path
    byteCount = content.byteCount
    try Data(content.bytes).write(to: file)
  }

  /// Zeros that take no space.
  init(holeOf byteCount: Int64) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("kettle-upload-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.appendingPathComponent("hole.bin").path
    self.byteCount = byteCount
    try Data().write(to: URL(fileURLWithPath: path))
    truncate(to: byteCount)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func truncate(to byteCount: Int64) { _ = Glibc.truncate(path, off_t(byteCount)) }

  var body: RequestContent.Body { .file(path: path, byteCount: byteCount) }
}
