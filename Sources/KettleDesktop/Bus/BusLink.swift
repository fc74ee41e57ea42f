import Dispatch
import Glibc

/// The implementation of a connection. It is Sendable because all its mutable state is used on
/// `queue` alone.
final class BusLink: @unchecked Sendable {
  typealias Reply = Result<[BusValue], BusError>

  private enum State {
    case new
    case handshake(BusHandshake, CheckedContinuation<Reply, Never>)
    /// Messages are exchanged; the observer is not notified yet.
    case connecting
    case open
    case ended(BusError)
  }

  private enum Pace {
    /// Read when the source reports readable data.
    case onReadable
    /// Read the next piece without waiting for the source.
    case continuing
  }

  /// The limit on bytes that the bus has not accepted, so that a stalled bus does not fill the
  /// memory.
  private static let unsentByteCountMax = 2 * BusLimits.messageByteCountMax

  private let socket: BusSocket
  private let queue = DispatchQueue(label: "kettle.bus")
  private let observer: @Sendable (BusEvent) -> Void
  // All used on `queue` only.
  private var state = State.new
  private var splitter = BusMessageSplitter()
  private var waiting: [UInt32: CheckedContinuation<Reply, Never>] = [:]
  private var lastSerial: UInt32 = 0
  private var unsent: ArraySlice<UInt8> = []
  private var pace = Pace.onReadable
  private var reading: (any DispatchSourceRead)?
  private var writing: (any DispatchSourceWrite)?

  init(_ socket: BusSocket, observer: @escaping @Sendable (BusEvent) -> Void) {
    self.socket = socket
    self.observer = observer
  }

  // MARK: From any thread

  /// Completes the handshake.
  func connect(timeout: Duration) async throws(BusError) {
    _ = try await onQueue { continuation in
      self.state = .handshake(BusHandshake(), continuation)
      self.read()
      self.send(BusHandshake.greeting(userID: geteuid()))
      self.onQueue(after: timeout) {
        if case .handshake = self.state { self.end(.timedOut) }
      }
    }
  }

  /// From now on the observer is notified of the end.
  func startReportingEnd() async throws(BusError) {
    _ = try await onQueue { continuation in
      switch self.state {
      case .ended(let reason): continuation.resume(returning: .failure(reason))
      case .new, .handshake, .connecting, .open:
        self.state = .open
        continuation.resume(returning: .success([]))
      }
    }
  }

  func call(_ call: BusCall, timeout: Duration) async throws(BusError) -> [BusValue] {
    try await onQueue { continuation in
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
      self.onQueue(after: timeout) { self.complete(message.serial, .failure(.timedOut)) }
      self.send(bytes)
    }
  }

  func end() {
    queue.async {
      // The caller that closes the connection needs no event.
      if case .open = self.state { self.state = .connecting }
      self.end(.ended)
    }
  }

  private func onQueue(
    _ body: @escaping @Sendable (CheckedContinuation<Reply, Never>) -> Void
  ) async throws(BusError) -> [BusValue] {
    let reply: Reply = await withCheckedContinuation { continuation in
      queue.async { body(continuation) }
    }
    return try reply.get()
  }

  // MARK: On the queue

  private func onQueue(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
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

  private func complete(_ serial: UInt32, _ reply: Reply) {
    waiting.removeValue(forKey: serial)?.resume(returning: reply)
  }

  private func end(_ reason: BusError) {
    let before = state
    if case .ended = before { return }
    state = .ended(reason)
    reading?.cancel()
    writing?.cancel()
    (reading, writing, unsent) = (nil, nil, [])
    socket.disconnect()
    for serial in waiting.keys.sorted() { complete(serial, .failure(reason)) }
    switch before {
    case .handshake(_, let continuation): continuation.resume(returning: .failure(reason))
    case .open: observer(.ended(reason))
    case .new, .connecting, .ended: break
    }
  }

  private func read() {
    let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
    source.setEventHandler { [weak self] in
      if let self, self.pace == .onReadable { self.readPiece() }
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
    case .nothing: pace = .onReadable
    case .ended: end(.ended)
    case .bytes(let bytes):
      pace = .continuing
      receive(bytes)
      queue.async { self.readPiece() }
    }
  }

  private func receive(_ bytes: ArraySlice<UInt8>) {
    switch state {
    case .new, .ended: break
    case .handshake(var handshake, let continuation):
      switch handshake.receive(bytes) {
      case .wait: state = .handshake(handshake, continuation)
      case .refused: end(.refused)
      case .begin(let words, let rest):
        state = .connecting
        send(words)
        continuation.resume(returning: .success([]))
        receiveMessages(rest[...])
      }
    case .connecting, .open: receiveMessages(bytes)
    }
  }

  private func receiveMessages(_ bytes: ArraySlice<UInt8>) {
    splitter.append(bytes)
    do throws(BusFault) {
      while let message = try splitter.next() { receive(message) }
    } catch {
      end(.fault(error))
    }
  }

  private func receive(_ message: BusMessage) {
    switch message.kind {
    case .reply(let serial): complete(serial, .success(message.body))
    case .failure(let name, let serial):
      let text: String = if case .string(let text)? = message.body.first { text } else { "" }
      complete(serial, .failure(.failed(name: name, text: text)))
    case .signal(let member):
      if case .open = state { observer(.signal(member, message.body)) }
    case .call: refuse(message)
    case .unknown: break
    }
  }

  /// We provide no methods. The error reply spares the caller the wait.
  private func refuse(_ message: BusMessage) {
    guard !message.flags.contains(.noReplyExpected) else { return }
    var reply = BusMessage(
      .failure(name: "org.freedesktop.DBus.Error.UnknownMethod", to: message.serial),
      serial: nextSerial())
    reply.destination = message.sender
    // A reply that cannot be encoded is dropped.
    if let bytes = try? reply.encoded() { send(bytes) }
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
