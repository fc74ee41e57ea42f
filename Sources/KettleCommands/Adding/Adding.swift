import KettleClient
import KettleControl
import KettleModel

/// Sends new transfers to the service.
struct Adding {
  let service: any ServiceCalling
  /// Reconnects to the running service without starting one. nil: a lost reply is not recovered.
  var reconnect: (@Sendable () async throws -> any ServiceCalling)?

  /// Bounds the size of one message and the time that the service spends on it.
  static let batchCount = 1000
  /// The limit on the combined texts of one request. With everything around them the message stays
  /// far below the service's maximum.
  static let batchByteCount = 256 * 1024

  /// Adds all of them in one request.
  func add(_ specs: [TransferSpec]) async throws -> [TransferID] {
    var line = AddingLine(service, reconnect)
    var all: [TransferID] = []
    try await line.add(CollectionOfOne(AddRequest(specs))) { ids, _ in all = ids }
    return all
  }

  /// Sends the requests one by one and passes the ids of each to `tell` once it is in the store.
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

/// A pipeline of add requests. A few are in flight at once, so that the next one is written and
/// read while the store is busy with the previous one. Replies arrive in request order.
private struct AddingLine {
  private struct Place {
    let request: AddRequest
    var asked: PendingReply<[TransferID]>
  }

  /// More requests would only wait in the socket.
  static let countMax = 4

  private var service: any ServiceCalling
  private let reconnect: (@Sendable () async throws -> any ServiceCalling)?
  /// Our own connection, opened after the first one was lost.
  private var ownConnection: (any ServiceCalling)?
  private var places: [Place] = []

  init(
    _ service: any ServiceCalling, _ reconnect: (@Sendable () async throws -> any ServiceCalling)?
  ) {
    self.service = service
    self.reconnect = reconnect
  }

  /// Sends no further request after a refusal. Requests already in flight are still reported if
  /// they were added.
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

  /// A request that cannot be sent gets the error as its answer.
  private static func place(_ request: AddRequest, _ service: any ServiceCalling) async -> Place {
    do {
      return Place(request: request, asked: try await request.ask(service))
    } catch {
      return Place(request: request, asked: PendingReply { throw error })
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

  /// Resends every unanswered request over a new connection, provided that it reaches the same
  /// service instance.
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
