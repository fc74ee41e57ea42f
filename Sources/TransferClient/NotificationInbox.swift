import ControlProtocol
import KettleSystem

/// What the service said by itself and was not read yet: bounded and joined by the same rules as
/// on the service's side (`ClientOutbox`).
final class NotificationInbox: Sendable {
  private enum State {
    case open(ClientOutbox, reader: CheckedContinuation<ControlNotification?, Never>?)
    /// What came before the end is still read.
    case ended(ClientOutbox)
  }

  private let state = Mutex(State.open(ClientOutbox(), reader: nil))

  /// Answers false when the reader is so far behind that the connection has to end.
  func put(_ notification: ControlNotification) -> Bool {
    let (isKept, reader) = state.withLock { state in
      guard case .open(var waiting, let reader) = state else {
        return (true, CheckedContinuation<ControlNotification?, Never>?.none)
      }
      if let reader {
        state = .open(waiting, reader: nil)
        return (true, reader)
      }
      // So that the queue has one owner and is changed in place.
      state = .ended(ClientOutbox())
      defer { state = .open(waiting, reader: nil) }
      let result =
        switch notification {
        case .viewport(let window): waiting.put(viewport: window)
        case .event(let event): waiting.put(event: event)
        case .completed(let completed): waiting.put(completed: completed.runs)
        }
      return (result == .kept, nil)
    }
    reader?.resume(returning: notification)
    return isKept
  }

  /// The next notification; nil after the end. There is one reader.
  func next() async -> ControlNotification? {
    await withCheckedContinuation { continuation in
      let answer: ControlNotification?? = state.withLock { state in
        switch state {
        case .open(var waiting, let reader):
          state = .ended(ClientOutbox())
          if let notification = Self.take(&waiting) {
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
          return .some(Self.take(&waiting))
        }
      }
      if let answer { continuation.resume(returning: answer) }
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

  private static func take(_ waiting: inout ClientOutbox) -> ControlNotification? {
    switch waiting.next() {
    case .notification(let notification)?: notification
    case .reply?, nil: nil
    }
  }
}
