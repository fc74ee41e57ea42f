import KettleControl
import KettleSystem

/// The unread notifications, bounded and coalesced by the same rules as on the service's side
/// (`ClientOutbox`). A reader that falls too far behind receives `resynchronise` in place of the
/// events.
final class NotificationInbox: Sendable {
  private enum State {
    case open(ClientOutbox, reader: CheckedContinuation<ControlNotification?, Never>?)
    /// Notifications that arrived before the end can still be read.
    case ended(ClientOutbox)
  }

  private let state: Mutex<State>

  init(limits: ClientOutbox.Limits = ClientOutbox.Limits()) {
    state = Mutex(.open(ClientOutbox(limits: limits, lag: .resynchronises), reader: nil))
  }

  func enqueue(_ notification: ControlNotification) {
    let reader: CheckedContinuation<ControlNotification?, Never>? = state.withLock { state in
      guard case .open(var waiting, let reader) = state else { return nil }
      if let reader {
        state = .open(waiting, reader: nil)
        return reader
      }
      // Keep the queue uniquely referenced, so that it is changed in place.
      state = .ended(ClientOutbox())
      defer { state = .open(waiting, reader: nil) }
      switch notification {
      case .viewport(let window): _ = waiting.enqueue(viewport: window)
      case .event(let event): _ = waiting.enqueue(event: event)
      case .completed(let completed): _ = waiting.enqueue(completed: completed.runs)
      case .resynchronise: waiting.enqueueGap()
      }
      return nil
    }
    reader?.resume(returning: notification)
  }

  /// Returns the next notification, or nil after the end. There is one reader.
  func next() async -> ControlNotification? {
    await withCheckedContinuation { continuation in
      let available: ControlNotification?? = state.withLock { state in
        switch state {
        case .open(var waiting, let reader):
          state = .ended(ClientOutbox())
          if let notification = Self.dequeue(from: &waiting) {
            state = .open(waiting, reader: reader)
            return .some(notification)
          }
          guard reader == nil else {
            state = .open(waiting, reader: reader)
            return .some(nil)
          }
          state = .open(waiting, reader: continuation)
          return nil
        case .ended(var waiting):
          state = .ended(ClientOutbox())
          defer { state = .ended(waiting) }
          return .some(Self.dequeue(from: &waiting))
        }
      }
      if let available { continuation.resume(returning: available) }
    }
  }

  func end() {
    let reader: CheckedContinuation<ControlNotification?, Never>? = state.withLock { state in
      guard case .open(let waiting, let reader) = state else { return nil }
      state = .ended(waiting)
      return reader
    }
    reader?.resume(returning: nil)
  }

  private static func dequeue(from waiting: inout ClientOutbox) -> ControlNotification? {
    waiting.next()?.notification
  }
}
