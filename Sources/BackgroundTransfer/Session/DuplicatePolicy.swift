import Foundation
import KettleModel

/// What happens when something has the name of a destination already.
///
/// ```swift
/// let task = session.downloadTask(with: url, to: file, onConflict: .replace)
/// ```
public enum DestinationConflict: String, Hashable, Sendable {
  /// The file is called `NAME (2).EXT`.
  case rename
  /// The new file takes the place of the old one.
  case replace
  /// The file that is there is left alone and nothing is fetched.
  case skip

  var policy: ConflictPolicy {
    switch self {
    case .rename: .rename
    case .replace: .replace
    case .skip: .skip
    }
  }
}

/// What happens when a session is asked for a download that it already has.
///
/// Downloads are the same when their URL, their headers and their destination are.
///
/// ```swift
/// session.duplicatePolicy = .coalesce
/// let first = session.downloadTask(with: url)
/// let second = session.downloadTask(with: url)
/// print(first == second)
/// ```
public enum DuplicatePolicy: String, Hashable, Sendable {
  /// The task that is there is given back.
  case coalesce
  /// Both are carried out, as on Apple's systems.
  case separate
  /// The new task fails with `DuplicateTask`.
  case reject
}

/// The error of a task that `DuplicatePolicy.reject` refused.
///
/// ```swift
/// if let duplicate = task.error as? DuplicateTask {
///   print("Task \(duplicate.taskIdentifier) fetches it already")
/// }
/// ```
public struct DuplicateTask: Error, Hashable, Sendable {
  /// The task that is there already.
  public var taskIdentifier: Int
}

extension DuplicateTask: LocalizedError {
  /// For people.
  public var errorDescription: String? {
    "The session already has this download, as task \(taskIdentifier)"
  }
}
