import Glibc
import KettleModel
import KettleSystem

/// A file of the user's with headers for a host, one `Name: value` on each line. They may be
/// secrets, so a failure says which line is wrong, and never what it contains.
enum HostHeadersFile {
  private static let byteCountMax = 1 << 20
  private static let headerCountMax = 100

  /// Reads the file, which must not be readable by others. Blocks.
  @Sendable
  static func read(_ path: String) -> Result<[HeaderField], TransferFailure> {
    do throws(Problem) {
      return .success(try headers(path))
    } catch {
      return .failure(TransferFailure(.headersFileUnusable, on: path, detail: error.detail))
    }
  }

  private struct Problem: Error {
    var detail: String
  }

  private static func headers(_ path: String) throws(Problem) -> [HeaderField] {
    guard path.hasPrefix("/") else {
      throw Problem(detail: "its value in the configuration file is not a path")
    }
    switch FileContents.readPrivate(path: path, byteCountMax: byteCountMax) {
    case .bytes(let bytes): return try headers(in: bytes)
    case .missing: throw Problem(detail: SystemError(ENOENT).message)
    case .unreadable(let detail): throw Problem(detail: detail)
    }
  }

  private static func headers(in bytes: [UInt8]) throws(Problem) -> [HeaderField] {
    var fields: [HeaderField] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = String(decoding: line, as: UTF8.self).trimmingBlanks()
      if text.isEmpty || text.hasPrefix("#") { continue }
      guard let field = HeaderField(text),
        !HeaderField.namesOfTransport.contains(field.name.lowercased())
      else {
        throw Problem(detail: "line \(index + 1) is no header that can be sent")
      }
      fields.append(field)
    }
    guard fields.count <= headerCountMax else {
      throw Problem(detail: "it has more than \(headerCountMax) headers")
    }
    guard !fields.isEmpty else { throw Problem(detail: "it has no headers") }
    return fields
  }
}
