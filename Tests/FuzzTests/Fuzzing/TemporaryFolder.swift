import Glibc
import KettleModel
import Testing

enum TemporaryFolder {
  /// Thousands of stores and downloads that are synced one by one would measure the disk.
  private static let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  /// Makes an empty folder; the caller removes it.
  static func make(_ name: String) throws -> String {
    var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
    }
    return try #require(made)
  }
}

enum FuzzURL {
  /// A URL that no request goes to.
  static func at(_ path: String) -> TransferURL {
    guard case .success(let parsed) = TransferURL.parse("https://example.org" + path) else {
      preconditionFailure("\(path) is no path")
    }
    return parsed.url
  }
}
