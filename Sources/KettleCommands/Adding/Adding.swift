import KettleControl
import KettleClient
import KettleModel

/// Hands transfers to the service.
struct Adding {
  let service: any ServiceCalling
  /// Leads to the service that runs, without starting one; nil when a lost reply stays lost.
  var reconnect: (@Sendable () async throws -> any ServiceCalling)?

  /// One message must not grow without bounds, nor hold the service up for long.
  static let batchCount = 1000
  /// Of the texts together; with everything around them it stays far below what the service
  /// takes as one message.
  static let batchByteCount = 256 * 1024

  /// Adds all of them in one request.
  func add(_ specs: [TransferSpec]) async throws -> [TransferID] {
    var line = AddingLine(service, reconnect)
    var all: [TransferID] = []
    try await line.add(CollectionOfOne(AddRequest(specs))) { ids, _ in all = ids }
    return all
  }

  /// Adds request after request, and tells the ids of each when it is in the store.
  func add(
    _ requests: some Sequence<AddRequest>, tell: ([TransferID], AddRequest) -> Void
  ) async throws {
    var line = AddingLine(service, reconnect)
    try await line.add(requests, tell: tell)
  }

  static func batches(_ specs: [TransferSpec]) -> [[TransferSpec]] {
    var batches: [[TransferSpec]] = []
    var batch: [TransferSpec] = []
    var byteCount = 0
    for spec in specs {
      let size = textByteCount(of: spec)
      if batch.count == batchCount || (byteCount + size > batchByteCount && !batch.isEmpty) {
        batches.append(batch)
        batch = []
        byteCount = 0
      }
      batch.append(spec)
      byteCount += size
    }
    return batch.isEmpty ? batches : batches + [batch]
  }

  private static func textByteCount(of spec: TransferSpec) -> Int {
    let texts = [
      spec.url.text, spec.title, spec.directory, spec.name, spec.caCertificatePath,
      spec.session.rawValue,
    ]
    let headers = spec.headers.flatMap { [$0.name, $0.value] }
    return (texts.compactMap { $0 } + headers).reduce(0) { $0 + $1.utf8.count }
  }
}

/// Requests to add that stand in line: a few are under way at once, so that the next one is written
/// and read while the store is busy with the last. They are answered in their order.
private struct AddingLine {
  private struct Place {
    let request: AddRequest
    var asked: AskedRequest<[TransferID]>
  }

  /// More would only lie in the socket.
  static let countMax = 4

  private var service: any ServiceCalling
  private let reconnect: (@Sendable () async throws -> any ServiceCalling)?
  /// A connection of our own, after the first one was lost.
  private var ownConnection: (any ServiceCalling)?
  private var places: [Place] = []

  init(
    _ service: any ServiceCalling, _ reconnect: (@Sendable () async throws -> any ServiceCalling)?
  ) {
    self.service = service
    self.reconnect = reconnect
  }

  /// Begins no other request when one was refused. What is under way by then is told all the same
  /// when it was added.
  mutating func add(
    _ requests: some Sequence<AddRequest>, tell: ([TransferID], AddRequest) -> Void
  ) async throws {
    do {
      for request in requests {
        if places.count == Self.countMax { try await finishFirst(tell) }
        await begin(request)
      }
      while !places.isEmpty { try await finishFirst(tell) }
    } catch {
      for place in places {
        if let ids = try? await place.asked.answer() { tell(ids, place.request) }
      }
      await ownConnection?.close()
      throw error
    }
    await ownConnection?.close()
  }

  private mutating func begin(_ request: AddRequest) async {
    places.append(await Self.place(request, service))
  }

  /// A request that could not be sent has that for an answer.
  private static func place(_ request: AddRequest, _ service: any ServiceCalling) async -> Place {
    do {
      return Place(request: request, asked: try await request.ask(service))
    } catch {
      return Place(request: request, asked: AskedRequest { throw error })
    }
  }

  private mutating func finishFirst(_ tell: ([TransferID], AddRequest) -> Void) async throws {
    let place = places.removeFirst()
    do {
      tell(try await place.asked.answer(), place.request)
    } catch ClientError.connectionLost {
      places.insert(place, at: 0)
      try await askAgain()
      let again = places.removeFirst()
      tell(try await again.asked.answer(), again.request)
    }
  }

  /// Asks everything that has no answer once more over a new connection, if that leads to the same
  /// service.
  private mutating func askAgain() async throws {
    guard let instance = service.instance, let next = try? await reconnect?() else {
      throw ClientError.connectionLost
    }
    guard next.instance == instance else {
      await next.close()
      throw ClientError.connectionLost
    }
    await ownConnection?.close()
    ownConnection = next
    service = next
    for index in places.indices {
      places[index] = await Self.place(places[index].request, next)
    }
  }
}
