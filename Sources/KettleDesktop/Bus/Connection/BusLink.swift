import Dispatch
import Glibc

/// The implementation of a connection. It is Sendable because all its mutable state is used on
/// `queue` alone.
final class BusLink: @unchecked Sendable {
  typealias Answer = Result<[BusValue], BusError>

  private enum State {
    case new
    case shakingHands(BusHandshake, CheckedContinuation<Answer, Never>)
    /// Messages are exchanged; the observer is not notified yet.
    case joining
    case open
    case ended(BusError)
  }

  private enum Pace {
    /// Read when the source reports readable data.
    case asTold
    /// Read the next piece without waiting for the source.
    case goingOn
  }

  /// The limit on bytes that the bus has not accepted, so that a stalled bus does not fill the
  /// memory.
  private static let unsentByteCountMax = 2 * BusLimits.messageByteCountMax

  private let socket: BusSocket
  private let queue = DispatchQueue(label: "kettle.bus")
  private let observer: @Sendable (BusEvent) -> Void
  // All used on `queue` only.
  private var state = State.new
  private var cutter = BusMessageSplitter()
  private var waiting: [UInt32: CheckedContinuation<Answer, Never>] = [:]
  private var lastSerial: UInt32 = 0
  private var unsent: ArraySlice<UInt8> = []
  private var pace = Pace.asTold
  private var reading: (any DispatchSourceRead)?
  private var writing: (any DispatchSourceWrite)?

  init(_ socket: BusSocket, observer: @escaping @Sendable (BusEvent) -> Void) {
    self.socket = socket
    self.observer = observer
  }

  // MARK: From any thread

  func begin(timeout: Duration) async throws(BusError) {
    _ = try await answer { continuation in
      self.state = .shakingHands(BusHandshake(), continuation)
      self.read()
      self.send(BusHandshake.greeting(userID: geteuid()))
      self.later(timeout) {
        if case .shakingHands = self.state { self.end(.timedOut) }
      }
    }
  }

  /// From now on the observer is notified of the end.
  func announce() async throws(BusError) {
    _ = try await answer { continuation in
      switch self.state {
      case .ended(let reason): continuation.resume(returning: .failure(reason))
      case .new, .shakingHands, .joining, .open:
        self.state = .open
        continuation.resume(returning: .success([]))
      }
    }
  }

  func call(_ call: BusCall, timeout: Duration) async throws(BusError) -> [BusValue] {
    try await answer { continuation in
      if case .ended(let reason) = self.state {
        continuation.resume(returning: .failure(reason))
        return
      }
      let message = call.message(serial: self.nextSerial())
      let bytes: [UInt8]
      do throws(BusFault) {
        bytes = try message.encoded()
      } catch {
        continuation.resume(returning: .failure(.fault(error)))
        return
      }
      self.waiting[message.serial] = continuation
      self.later(timeout) { self.settle(message.serial, .failure(.timedOut)) }
      self.send(bytes)
    }
  }

  func end() {
    queue.async {
      // The caller that closes the connection needs no event.
      if case .open = self.state { self.state = .joining }
      self.end(.ended)
    }
  }

  private func answer(
    _ body: @escaping @Sendable (CheckedContinuation<Answer, Never>) -> Void
  ) async throws(BusError) -> [BusValue] {
    let answer: Answer = await withCheckedContinuation { continuation in
      queue.async { body(continuation) }
    }
    return try answer.get()
  }

  // MARK: On the queue

  private func later(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
    let (seconds, attoseconds) = delay.components
    let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    queue.asyncAfter(
      deadline: .now() + .nanoseconds(Int(clamping: Int64(min(nanoseconds, 1e18)))), execute: body)
  }

  /// 0 is not a valid serial.
  private func nextSerial() -> UInt32 {
    lastSerial = lastSerial == .max ? 1 : lastSerial + 1
    return lastSerial
  }

  private func settle(_ serial: UInt32, _ answer: Answer) {
    waiting.removeValue(forKey: serial)?.resume(returning: answer)
  }

  private func end(_ reason: BusError) {
    let before = state
    if case .ended = before { return }
    state = .ended(reason)
    reading?.cancel()
    writing?.cancel()
    (reading, writing, unsent) = (nil, nil, [])
    socket.leave()
    for serial in waiting.keys.sorted() { settle(serial, .failure(reason)) }
    switch before {
    case .shakingHands(_, let continuation): continuation.resume(returning: .failure(reason))
    case .open: observer(.ended(reason))
    case .new, .joining, .ended: break
    }
  }

  private func read() {
    let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
    source.setEventHandler { [weak self] in
      if let self, self.pace == .asTold { self.readPiece() }
    }
    // The descriptor must live until the source is done with it.
    source.setCancelHandler { [socket] in withExtendedLifetime(socket) {} }
    reading = source
    source.activate()
  }

  /// Reads until there is nothing more, because the source does not report again what arrived
  /// together with a hangup. One piece at a time: a bus that never stops sending must not keep the
  /// timeouts off the queue.
  private func readPiece() {
    if case .ended = state { return }
    switch socket.receive() {
    case .nothing: pace = .asTold
    case .ended: end(.ended)
    case .bytes(let bytes):
      pace = .goingOn
      take(bytes)
      queue.async { self.readPiece() }
    }
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    switch state {
    case .new, .ended: break
    case .shakingHands(var handshake, let continuation):
      switch handshake.take(bytes) {
      case .wait: state = .shakingHands(handshake, continuation)
      case .refused: end(.refused)
      case .begin(let words, let rest):
        state = .joining
        send(words)
        continuation.resume(returning: .success([]))
        takeMessages(rest[...])
      }
    case .joining, .open: takeMessages(bytes)
    }
  }

  private func takeMessages(_ bytes: ArraySlice<UInt8>) {
    cutter.take(bytes)
    do throws(BusFault) {
      while let message = try cutter.next() { take(message) }
    } catch {
      end(.fault(error))
    }
  }

  private func take(_ message: BusMessage) {
    switch message.kind {
    case .reply(let serial): settle(serial, .success(message.body))
    case .failure(let name, let serial):
      let text: String = if case .string(let text)? = message.body.first { text } else { "" }
      settle(serial, .failure(.failed(name: name, text: text)))
    case .signal(let member):
      if case .open = state { observer(.signal(member, message.body)) }
    case .call: refuse(message)
    case .unknown: break
    }
  }

  /// We provide no methods. The error reply spares the caller the wait.
  private func refuse(_ message: BusMessage) {
    guard !message.flags.contains(.noReplyExpected) else { return }
    var answer = BusMessage(
      .failure(name: "org.freedesktop.DBus.Error.UnknownMethod", to: message.serial),
      serial: nextSerial())
    answer.destination = message.sender
    // A reply that cannot be encoded is dropped.
    if let bytes = try? answer.encoded() { send(bytes) }
  }

  // MARK: Sending

  private func send(_ bytes: [UInt8]) {
    guard unsent.count + bytes.count <= Self.unsentByteCountMax else {
      end(.fault(.tooLarge))
      return
    }
    unsent += bytes
    if writing == nil { sendPiece() }
  }

  private func sendPiece() {
    if case .ended = state { return }
    guard let count = socket.send(unsent) else {
      end(.ended)
      return
    }
    unsent = unsent.dropFirst(count)
    if unsent.isEmpty {
      writing?.cancel()
      writing = nil
    } else if writing == nil {
      let source = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue)
      source.setEventHandler { [weak self] in self?.sendPiece() }
      source.setCancelHandler { [socket] in withExtendedLifetime(socket) {} }
      writing = source
      source.activate()
    }
  }
}
