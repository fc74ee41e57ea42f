import Foundation
import KettleModel
import KettleTasks

/// What the service can do for a download beyond Apple's API.
///
/// ```swift
/// var options = DownloadOptions()
/// options.checksum = "sha256:" + digest
/// options.mirrors = mirrors
/// options.bytesPerSecondMax = 2 * 1024 * 1024
/// session.downloadTask(with: request, to: file, options: options).resume()
/// ```
public struct DownloadOptions: Hashable, Sendable {
  /// The expected digest of the file, as `ALGORITHM:HEX` with `md5`, `sha1`, `sha224`, `sha256`,
  /// `sha384` or `sha512`; nil checks nothing. A file with another digest does not get its name,
  /// and the task fails with `URLError.cannotDecodeRawData`. Text that is no digest makes the task
  /// fail with `URLError.badURL`.
  public var checksum: String?
  /// Other http or https URLs of the same file. They serve it when the first one fails, and beside
  /// it if `URLSessionConfiguration.maximumConnectionsPerTask` permits several connections. One
  /// that is slow, fails or serves another file is left out. The request must be a plain GET.
  public var mirrors: [URL] = []
  /// The speed limit in bytes per second; nil means the limit of the service.
  public var bytesPerSecondMax: Int?
  /// From 0 to 1; 0.5 is the default, as for `URLSessionTask.priority`.
  public var priority: Float = 0.5
  /// What to do when the name of the destination is already taken.
  public var onConflict = DestinationConflict.rename

  /// Creates options that change nothing.
  public init() {}
}

extension DownloadOptions {
  /// Adds them to a task. Returns the reason why they cannot be used.
  func apply(to spec: inout TransferSpec) -> TaskRefusal? {
    if let checksum {
      guard let parsed = Checksum(checksum) else { return .badRequest("checksum \(checksum)") }
      spec.checksum = parsed
    }
    for mirror in mirrors {
      guard case .success(let parsed) = TransferURL.parse(mirror.absoluteString),
        parsed.url.scheme.family == .http, parsed.login == nil
      else { return .badRequest("mirror \(mirror.absoluteString)") }
      spec.options.mirrors.append(parsed.url)
    }
    if let bytesPerSecondMax {
      guard bytesPerSecondMax > 0 else {
        return .badRequest("bytesPerSecondMax \(bytesPerSecondMax)")
      }
      spec.limitBytesPerSecond = Int64(bytesPerSecondMax)
    }
    guard let priority = TransferPriority(Double(priority)) else {
      return .badRequest("priority \(priority)")
    }
    spec.priority = priority
    return nil
  }
}
