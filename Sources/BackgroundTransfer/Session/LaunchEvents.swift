import Dispatch
import Foundation
import Synchronization

/// That this process was started for a session, and who wants to know.
final class LaunchEvents: Sendable {
  static let shared = LaunchEvents(
    identifier: ProcessInfo.processInfo.environment["KETTLE_SESSION_EVENTS"])

  private enum Handling {
    case unregistered, registered
  }

  let identifier: String?
  private let handling = Mutex(Handling.unregistered)

  init(identifier: String?) { self.identifier = identifier }

  /// Whether the program calls the handler by itself.
  var isRegistered: Bool { handling.withLock { $0 == .registered } }

  func register(
    _ body: @escaping @MainActor (String, @escaping @Sendable () -> Void) -> Void
  ) {
    guard let identifier else { return }
    let isFirst = handling.withLock { handling in
      defer { handling = .registered }
      return handling == .unregistered
    }
    guard isFirst else { return }
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        body(identifier) { SessionRegistry.shared.eventsWereHandled(identifier) }
      }
    }
  }
}
