import Foundation
import KettleModel

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

/// What to do when the name of the destination is already taken.
///
/// ```swift
/// let task = session.downloadTask(with: url, to: file, onConflict: .replace)
/// ```
public enum DestinationConflict: String, Hashable, Sendable {
  /// The new file is named `NAME (2).EXT`.
  case rename
  /// The new file replaces the old one.
  case replace
  /// The existing file stays, and nothing is fetched.
  case skip

  var policy: ConflictPolicy {
    switch self {
    case .rename: .rename
    case .replace: .replace
    case .skip: .skip
    }
  }
}

/// What to do when a program requests a download that its session already has.
///
/// Downloads are the same when their URL, method, headers, body and destination are equal.
///
/// ```swift
/// session.duplicatePolicy = .coalesce
/// let first = session.downloadTask(with: url)
/// let second = session.downloadTask(with: url)
/// print(first == second)
/// ```
public enum DuplicatePolicy: String, Hashable, Sendable {
  /// Returns the existing task.
  case coalesce
  /// Both run, as on Apple's systems.
  case separate
  /// The new task fails with `DuplicateTask`.
  case reject
}

/// The error of a task that `DuplicatePolicy.reject` rejected.
///
/// ```swift
/// if let duplicate = task.error as? DuplicateTask {
///   print("Task \(duplicate.taskIdentifier) fetches it already")
/// }
/// ```
public struct DuplicateTask: Error, Hashable, Sendable {
  /// The identifier of the existing task.
  public var taskIdentifier: Int
}

extension DuplicateTask: LocalizedError {
  /// A message for people.
  public var errorDescription: String? {
    "The session already has this download as task \(taskIdentifier)"
  }
}
