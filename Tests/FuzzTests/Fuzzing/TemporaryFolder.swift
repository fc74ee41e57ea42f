import Glibc
import KettleModel
import Testing

enum TemporaryFolder {
  /// In memory if possible: with thousands of synced stores and downloads a disk would be the
  /// bottleneck.
  private static let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  /// Creates an empty folder; the caller removes it.
  static func make(_ name: String) throws -> String {
    var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
    }
    return try #require(made)
  }
}

enum FuzzURL {
  /// A URL to which no request is sent.
  static func at(_ path: String) -> TransferURL {
    guard case .success(let parsed) = TransferURL.parse("https://example.org" + path) else {
      preconditionFailure("\(path) is no path")
    }
    return parsed.url
  }
}
