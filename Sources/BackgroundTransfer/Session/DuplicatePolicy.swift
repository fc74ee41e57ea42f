import Foundation
import KettleModel

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
