import KettleControl
import KettleModel
import KettleSocket
import KettleStarter

/// Sends new transfers to the service.
struct TransferAdder {
  let service: any ServiceCalling
  /// Reconnects to the running service without starting one. nil: a lost reply is not recovered.
  var reconnect: (@Sendable () async throws -> any ServiceCalling)?
  /// In a fleet, the label or name of the hosts that may claim them; nil for any host.
  var on: String?

  /// Bounds the size of one message and the time that the service spends on it.
  static let batchCount = 1000
  /// The limit on the combined texts of one request. With everything around them the message stays
  /// far below the service's maximum.
  static let batchByteCount = 256 * 1024

  /// Adds all of them in one request.
  func add(_ specs: [TransferSpec]) async throws -> [TransferID] {
    var pipeline = AddPipeline(service: service, reconnect: reconnect)
    var all: [TransferID] = []
    try await pipeline.add(CollectionOfOne(AddRequest(specs))) { ids, _ in all = ids }
    return all
  }

  /// Sends the requests one by one and passes the ids of each to `report` once it is in the store.
  func add(
    _ requests: some Sequence<AddRequest>, report: ([TransferID], AddRequest) -> Void
  ) async throws {
    var pipeline = AddPipeline(service: service, reconnect: reconnect)
    try await pipeline.add(requests.lazy.map { $0.meant(for: on) }, report: report)
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
      spec.url.text, spec.title, spec.directory, spec.name?.text, spec.caCertificatePath,
      spec.session.rawValue,
    ]
    let headers = spec.headers.flatMap { [$0.name, $0.value] }
    let mirrors = spec.options.otherSources.map(\.url.text)
    let pieces = spec.options.described?.pieces?.given
    // Base64 makes four letters of three bytes.
    return (texts.compactMap { $0 } + headers + mirrors).reduce(0) { $0 + $1.utf8.count }
      + (pieces?.digests.count ?? 0) / 3 * 4
  }
}

/// A pipeline of add requests. A few are in flight at once, so that the next one is written and
/// read while the store is busy with the previous one. Replies arrive in request order.
private struct AddPipeline {
  private struct PendingRequest {
    let request: AddRequest
    var asked: PendingReply<[TransferID]>
  }

  /// More requests would only wait in the socket.
  static let countMax = 4

  private var service: any ServiceCalling
  private let reconnect: (@Sendable () async throws -> any ServiceCalling)?
  /// Our own connection, opened after the first one was lost.
  private var ownConnection: (any ServiceCalling)?
  private var pending: [PendingRequest] = []

  init(
    service: any ServiceCalling, reconnect: (@Sendable () async throws -> any ServiceCalling)?
  ) {
    self.service = service
    self.reconnect = reconnect
  }

  /// Sends no further request after a refusal. Requests already in flight are still reported if
  /// they were added.
  mutating func add(
    _ requests: some Sequence<AddRequest>, report: ([TransferID], AddRequest) -> Void
  ) async throws {
    do {
      for request in requests {
        if pending.count == Self.countMax { try await finishFirst(report) }
        await send(request)
      }
      while !pending.isEmpty { try await finishFirst(report) }
    } catch {
      for sent in pending {
        if let ids = try? await sent.asked.answer() { report(ids, sent.request) }
      }
      await ownConnection?.close()
      throw error
    }
    await ownConnection?.close()
  }

  private mutating func send(_ request: AddRequest) async {
    pending.append(await Self.send(request, over: service))
  }

  /// A request that cannot be sent gets the error as its answer.
  private static func send(
    _ request: AddRequest, over service: any ServiceCalling
  ) async -> PendingRequest {
    do {
      return PendingRequest(request: request, asked: try await request.send(over: service))
    } catch {
      return PendingRequest(request: request, asked: PendingReply { throw error })
    }
  }

  private mutating func finishFirst(_ report: ([TransferID], AddRequest) -> Void) async throws {
    let first = pending.removeFirst()
    do {
      report(try await first.asked.answer(), first.request)
    } catch ClientError.connectionLost {
      pending.insert(first, at: 0)
      try await resendAll()
      let again = pending.removeFirst()
      report(try await again.asked.answer(), again.request)
    }
  }

  /// Resends every unanswered request over a new connection, provided that it reaches the same
  /// service instance.
  private mutating func resendAll() async throws {
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
    for index in pending.indices {
      pending[index] = await Self.send(pending[index].request, over: next)
    }
  }
}

/// One request to add transfers. Sending it again is safe: its id keeps the same service instance
/// from adding twice.
struct AddRequest: Sendable {
  private enum Form: Sendable {
    case each(AddTransfers.Params)
    case alike(AddURLs.Params)
  }

  private var form: Form

  fileprivate func meant(for on: String?) -> AddRequest {
    var request = self
    switch form {
    case .each(var params):
      params.on = on
      request.form = .each(params)
    case .alike(var params):
      params.on = on
      request.form = .alike(params)
    }
    return request
  }

  /// Transfers of any kind.
  init(_ specs: [TransferSpec]) {
    form = .each(.init(transfers: specs, requestID: Self.newID()))
  }

  /// Files of a collection that are spread over a fleet, with their paths.
  init(_ files: [(spec: TransferSpec, path: MemberPath)]) {
    form = .each(
      .init(transfers: files.map(\.spec), requestID: Self.newID(), paths: files.map(\.path)))
  }

  /// The transfers for these URLs with the settings of `template`, in compact form where all URLs
  /// share them.
  init(_ urls: [TransferURL.Parsed], _ template: SpecTemplate) {
    if urls.count > 1, urls.allSatisfy({ $0.login == nil }), !template.differsByHost,
      let params = AddURLs.Params(
        urls: urls.map(\.url), template: template.spec(for: urls[0]), requestID: Self.newID())
    {
      form = .alike(params)
    } else {
      form = .each(
        .init(transfers: urls.map { template.spec(for: $0) }, requestID: Self.newID()))
    }
  }

  var urls: [TransferURL] {
    switch form {
    case .each(let params): params.transfers.map(\.url)
    case .alike(let params): params.urls
    }
  }

  /// The URL of each id of the answer: of each copy in a fleet, those of one URL together.
  func withURLs(_ ids: [TransferID]) -> [(TransferID, TransferURL)] {
    let urls = urls
    let copies = max(1, ids.count / max(1, urls.count))
    return ids.enumerated().compactMap { index, id in
      index / copies < urls.count ? (id, urls[index / copies]) : nil
    }
  }

  /// Returns one id for each URL, or with all machines one for each of them.
  func send(over service: any ServiceCalling) async throws -> PendingReply<[TransferID]> {
    switch form {
    case .each(let params):
      return try await service.send(AddTransfers.self, params).map { result in
        try Self.checked(
          result.ids, count: params.transfers.count, on: params.on, AddTransfers.name)
      }
    case .alike(let params):
      return try await service.send(AddURLs.self, params).map { result in
        try Self.checked(
          result.runs.ids, count: params.urls.count, on: params.on, AddURLs.name)
      }
    }
  }

  private static func checked(
    _ ids: [TransferID], count: Int, on: String?, _ method: String
  ) throws -> [TransferID] {
    let isForAll = on == FleetRequest.allMachines && ids.count >= count
    guard ids.count == count || isForAll else { throw ControlError(.internalError, method) }
    return ids
  }

  /// Random enough that no two programs ever choose the same id.
  private static func newID() -> String {
    (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
      .joined(separator: "-")
  }
}

/// Finds the URLs that are on the list already.
struct ListedURLs {
  let service: any ServiceCalling

  /// Returns, for each URL on the list, the first transfer with it.
  func find(_ urls: [String]) async throws -> [String: FindURLs.Found] {
    var found: [String: FindURLs.Found] = [:]
    for batch in Self.batches(urls) where !batch.isEmpty {
      let result = try await service.call(FindURLs.self, .init(urls: batch))
      for one in result.found { found[one.url] = one }
    }
    return found
  }

  /// Splits the URLs into batches that fit into one message, by count and by length.
  private static func batches(_ urls: [String]) -> [[String]] {
    var batches: [[String]] = [[]]
    var byteCount = 0
    for url in urls {
      byteCount += url.utf8.count
      if batches[batches.count - 1].count == FindURLs.countMax
        || byteCount > TransferAdder.batchByteCount
      {
        batches.append([])
        byteCount = url.utf8.count
      }
      batches[batches.count - 1].append(url)
    }
    return batches
  }
}
