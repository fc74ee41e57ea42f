import KettleControl
import KettleModel
import KettleRPC
import KettleSocket
import KettleStarter

/// Runs the process as `kettle-native-host`, which a browser starts, and returns its exit status.
package func runNativeHost(context: CommandContext) async -> Int32 {
  do {
    if let word = context.wordNotText { throw UsageError(.path(.notText(word))) }
    return try await NativeHost(context: context).run().rawValue
  } catch {
    let (sentences, code) = Sentences.report(of: error)
    for sentence in sentences { context.console.printError(sentence) }
    return code.rawValue
  }
}

/// Handles the requests of the WebExtension in order until the browser closes standard input.
struct NativeHost {
  let context: CommandContext

  private static let client: ClientIdentity = "kettle native-host"

  func run() async throws -> ExitCode {
    var frames = NativeFrames()
    while let message = try next(&frames) {
      try send(await reply(to: BrowserRequest(message)))
    }
    return .done
  }

  /// Returns nil at the end of the input.
  private func next(_ frames: inout NativeFrames) throws -> [UInt8]? {
    if !frames.isReady {
      try context.console.readInput { piece in
        frames.append(piece)
        return !frames.isReady
      }
    }
    do {
      if let message = try frames.next() { return message }
      try frames.end()
      return nil
    } catch NativeFrames.Problem.tooLong(let byteCount) {
      try send(BrowserReply.error(Sentences.of(.tooLong(byteCount: byteCount)), id: .null))
      throw NativeFrames.Problem.tooLong(byteCount: byteCount)
    }
  }

  private func send(_ reply: RPCValue) throws {
    let bytes = JSONWriter.bytes(reply)
    guard let frame = NativeFrames.frame(bytes) else {
      throw NativeFrames.Problem.tooLong(byteCount: bytes.count)
    }
    try context.console.writeOutput(frame)
  }

  private func reply(to request: BrowserRequest) async -> RPCValue {
    do {
      return BrowserReply.result(try await perform(request.call.get()), id: request.id)
    } catch {
      let sentence = Sentences.report(of: error).sentences.joined(separator: "; ")
      return BrowserReply.error(sentence, id: request.id)
    }
  }

  private func perform(_ call: BrowserRequest.Call) async throws -> RPCValue {
    switch call {
    case .hello: return BrowserReply.hello
    case .add(let download): return BrowserReply.added(try await add(download.spec))
    case .list: return BrowserReply.list(try await list())
    case .control(let verb, let id):
      let result = try await context.withService(for: Self.client) { service in
        try await service.call(
          ControlTransfers.self, .init(control: verb, selection: .ids([id])))
      }
      if let refusal = result.refused.first { throw RefusedControl(refusal: refusal) }
      return BrowserReply.added(id)
    case .begin(let id):
      let result = try await context.withService(for: Self.client) { service in
        try await service.call(BeginTransfer.self, .init(id: id))
      }
      if let why = result.refused { throw RefusedControl(refusal: .init(id: id, why: why)) }
      return BrowserReply.begun(result)
    }
  }

  private func add(_ spec: TransferSpec) async throws -> TransferID {
    try await context.withService(for: Self.client) { service in
      let adder = TransferAdder(
        service: service, reconnect: context.reconnection(for: Self.client))
      guard let id = try await adder.add([spec]).first else {
        throw ControlError(.internalError, AddTransfers.name)
      }
      return id
    }
  }

  /// Returns nil if no service runs. It is not started to show an empty list.
  private func list() async throws -> BrowserList? {
    do {
      return try await context.withService(for: Self.client, startIfNeeded: false) { service in
        let unfinished = try await service.call(
          ListTransfers.self,
          Viewport(
            filter: RowFilter(
              states: [.running, .verifying, .waiting, .queued, .scheduled, .paused]),
            sort: RowSort(isGrouped: true), count: BrowserList.unfinishedCountMax))
        let ended = try await service.call(
          ListTransfers.self,
          Viewport(
            filter: RowFilter(states: [.completed, .failed], scope: .uncleared),
            sort: RowSort(key: .finishedAt, isDescending: true),
            count: BrowserList.endedCountMax))
        return BrowserList(
          rows: unfinished.rows + ended.rows, unfinishedCount: unfinished.matchingCount,
          bytesPerSecond: unfinished.totals.bytesPerSecond)
      }
    } catch ClientError.notRunning {
      return nil
    }
  }
}

/// The service refused a control of one transfer.
struct RefusedControl: Error {
  var refusal: ControlRefusal
}

/// The messages of a browser on standard input: a length of 32 bits in the machine's byte order,
/// and as many bytes of JSON (native messaging of Chromium and Firefox).
struct NativeFrames: Sendable {
  enum Problem: Error, Hashable, Sendable {
    /// The message is longer than `receivedByteCountMax`. What follows cannot be read.
    case tooLong(byteCount: Int)
    /// The input ended within a message.
    case truncated
  }

  /// A request contains a URL and some cookies.
  static let receivedByteCountMax = 1 << 20
  /// A browser ends a host that sends more.
  static let sentByteCountMax = 1 << 20
  static let lengthByteCount = 4

  private var bytes: [UInt8] = []

  init() {}

  /// Returns a message with its length before it, or nil if it is too long for the browser.
  static func frame(_ message: [UInt8]) -> [UInt8]? {
    guard message.count <= sentByteCountMax else { return nil }
    return withUnsafeBytes(of: UInt32(message.count)) { Array($0) } + message
  }

  mutating func append(_ piece: Span<UInt8>) {
    piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  /// Whether `next` needs no more bytes.
  var isReady: Bool {
    guard let byteCount else { return false }
    return byteCount > Self.receivedByteCountMax || bytes.count - Self.lengthByteCount >= byteCount
  }

  /// Removes and returns the first message, or nil if it is not complete. Throws `tooLong`.
  mutating func next() throws(Problem) -> [UInt8]? {
    guard let byteCount else { return nil }
    guard byteCount <= Self.receivedByteCountMax else { throw .tooLong(byteCount: byteCount) }
    guard isReady else { return nil }
    let message = Array(bytes.dropFirst(Self.lengthByteCount).prefix(byteCount))
    bytes.removeFirst(Self.lengthByteCount + byteCount)
    return message
  }

  /// Throws `truncated` if a part of a message is left at the end of the input.
  func end() throws(Problem) {
    if !bytes.isEmpty { throw .truncated }
  }

  /// The length of the first message; nil if it is not there yet.
  private var byteCount: Int? {
    guard bytes.count >= Self.lengthByteCount else { return nil }
    var length: UInt32 = 0
    withUnsafeMutableBytes(of: &length) { $0.copyBytes(from: bytes.prefix(Self.lengthByteCount)) }
    return Int(length)
  }
}
