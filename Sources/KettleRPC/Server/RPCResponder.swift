import KettleSystem
import NIOCore

/// Answers the messages of clients: reads them, compares the secret, performs the calls, and writes
/// the replies.
package final class RPCResponder: Sendable {
  private let methods: any RPCPerforming
  private let secret: RPCSecret
  private let throttle = Mutex(FailureThrottle())

  package init(methods: any RPCPerforming, secret: RPCSecret) {
    self.methods = methods
    self.secret = secret
  }

  package func answer(_ exchange: RPCExchange) async {
    switch exchange.request {
    case .json(let bytes): await answer(JSONMessage(bytes), exchange)
    case .query(let text):
      let query = QueryMessage(text)
      await answer(query.message, exchange, callback: query.callback)
    case .xml(let bytes): await answerXML(bytes, exchange)
    }
  }

  private func answer(
    _ message: JSONMessage, _ exchange: RPCExchange, callback: String? = nil
  ) async {
    let calls: [Result<RPCCall, RPCError>] =
      switch message {
      case .single(let entry): [entry.call]
      case .batch(let entries): entries.map(\.call)
      }
    var check = SecretCheck(secret)
    let results = await answer(calls, of: exchange.client, &check) { $0.object }
    guard await mayAnswer(results, after: check, over: exchange) else { return exchange.refuse() }
    let reply = JSONReply(to: message, results)
    var bytes = JSONWriter.bytes(reply.value)
    if let callback { bytes = Array("\(callback)(".utf8) + bytes + Array(")".utf8) }
    exchange.respond(
      RPCResponse(
        httpStatus: reply.httpStatus, mediaType: callback == nil ? .json : .script, bytes: bytes))
  }

  private func answerXML(_ bytes: [UInt8], _ exchange: RPCExchange) async {
    let call: Result<RPCCall, RPCError>
    do throws(XMLValues.Problem) {
      let (method, params) = try XMLValues.call(bytes)
      call = .success(RPCCall(method: method, params: params))
    } catch {
      call = .failure(.notJSON)
    }
    var check = SecretCheck(secret)
    let results = await answer([call], of: exchange.client, &check) { $0.fault }
    guard await mayAnswer(results, after: check, over: exchange) else { return exchange.refuse() }
    let result = results.first ?? .failure(.invalidRequest)
    exchange.respond(
      RPCResponse(httpStatus: 200, mediaType: .xml, bytes: XMLValues.response(result)))
  }

  /// Slows down whoever presents a wrong secret. Returns false if the client gets no answer.
  private func mayAnswer(
    _ results: [Result<RPCValue, RPCError>], after check: SecretCheck, over exchange: RPCExchange
  ) async -> Bool {
    let isWrong = results.contains { result in
      switch result {
      case .success(let value): value.containsRefusal(RPCError.unauthorized)
      case .failure(let error): error == .unauthorized
      }
    }
    guard isWrong else { return true }
    let peer = exchange.client.address
    switch throttle.withLock({ $0.noteFailure(of: peer, secretCount: check.wrongCount) }) {
    case .tooMany: return false
    case .later(let milliseconds):
      await exchange.client.pause(milliseconds: milliseconds)
      throttle.withLock { $0.noteAnswer(to: peer) }
      return true
    }
  }

  // MARK: Calls

  /// Performs calls one after the other. Downloads that follow each other are added together.
  ///
  /// - Parameters:
  ///   - check: of the whole message.
  ///   - refusal: how a refused call within another one is written.
  private func answer(
    _ calls: [Result<RPCCall, RPCError>], of client: RPCClient, _ check: inout SecretCheck,
    refusal: (RPCError) -> RPCValue
  ) async -> [Result<RPCValue, RPCError>] {
    var results: [Result<RPCValue, RPCError>] = []
    var additions: [RPCAddition] = []
    for call in calls {
      let understood = understand(call, from: client, check: &check)
      if case .success(.addURIs(let uris, let options, nil)) = understood {
        additions.append(RPCAddition(uris: uris, options: options))
        continue
      }
      results += await add(&additions)
      switch understood {
      case .failure(let error): results.append(.failure(error))
      case .success(.multicall(let inner)):
        results.append(
          .success(await answerMulticall(inner, of: client, &check, refusal: refusal)))
      case .success(let method): results.append(await perform(method))
      }
    }
    return results + (await add(&additions))
  }

  private func add(
    _ additions: inout [RPCAddition]
  ) async -> [Result<RPCValue, RPCError>] {
    guard !additions.isEmpty else { return [] }
    defer { additions = [] }
    return await methods.addAll(additions)
  }

  private func perform(_ method: RPCMethod) async -> Result<RPCValue, RPCError> {
    do throws(RPCError) {
      return .success(try await methods.perform(method))
    } catch {
      return .failure(error)
    }
  }

  /// A result is a list of one element, an error a bare object.
  private func answerMulticall(
    _ calls: [Result<RPCCall, RPCError>], of client: RPCClient, _ check: inout SecretCheck,
    refusal: (RPCError) -> RPCValue
  ) async -> RPCValue {
    let results = await answer(calls, of: client, &check, refusal: refusal)
    return .list(
      results.map { result in
        switch result {
        case .success(let value): [value]
        case .failure(let error): refusal(error)
        }
      })
  }

  private func understand(
    _ call: Result<RPCCall, RPCError>, from client: RPCClient, check: inout SecretCheck
  ) -> Result<RPCMethod, RPCError> {
    do throws(RPCError) {
      var call = try call.get()
      let isAuthorized = check.admits(call.takeToken())
      if isAuthorized { client.joinAudience() }
      // Without the secret nobody learns what there is.
      guard isAuthorized || RPCMethod.openNames.contains(call.method) else { throw .unauthorized }
      return .success(try RPCMethod(call))
    } catch {
      return .failure(error)
    }
  }
}

extension RPCValue {
  /// Whether it is the answer to a multicall with a call that was refused like this.
  fileprivate func containsRefusal(_ error: RPCError) -> Bool {
    list?.contains { $0 == error.object || $0 == error.fault } ?? false
  }
}
