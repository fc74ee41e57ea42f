import Foundation

/// What replaces `https://example.org`, and the directories at the root, in the programs of the
/// documentation.
enum Place {
  static let origin = value("EXAMPLE_ORIGIN")
  static let root = value("EXAMPLE_ROOT")

  private static func value(_ name: String) -> String {
    ProcessInfo.processInfo.environment[name] ?? "/nonexistent"
  }
}

/// The body of an example that begins with its imports.
enum DocumentedProgram: Sendable {
  case plain(@MainActor @Sendable () throws -> Void)
  case waiting(@MainActor @Sendable () async throws -> Void)
}
