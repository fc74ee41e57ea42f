/// What a client sent as JSON: one call, or a batch of them.
package enum JSONMessage: Hashable, Sendable {
  /// A call with the id that its reply repeats, or why it is none.
  package struct Entry: Hashable, Sendable {
    package var id: RPCValue
    package var call: Result<RPCCall, RPCError>

    package init(id: RPCValue, call: Result<RPCCall, RPCError>) {
      self.id = id
      self.call = call
    }
  }

  case single(Entry)
  case batch([Entry])

  package init(_ bytes: [UInt8]) {
    do throws(JSONReader.Problem) {
      self.init(try JSONReader.value(bytes))
    } catch {
      self = .single(Entry(id: .null, call: .failure(.notJSON)))
    }
  }

  package init(_ value: RPCValue) {
    switch value {
    // aria2 drops the elements of a batch that are no objects.
    case .list(let list): self = .batch(list.compactMap(\.object).map(Self.entry))
    case .object(let object): self = .single(Self.entry(object))
    case .null, .boolean, .integer, .real, .text:
      self = .single(Entry(id: .null, call: .failure(.invalidRequest)))
    }
  }

  private static func entry(_ object: [String: RPCValue]) -> Entry {
    guard let id = object["id"] else { return Entry(id: .null, call: .failure(.invalidRequest)) }
    guard let method = object["method"]?.text else {
      return Entry(id: id, call: .failure(.invalidRequest))
    }
    switch object["params"] {
    case nil: return Entry(id: id, call: .success(RPCCall(method: method, params: [])))
    case .list(let params):
      return Entry(id: id, call: .success(RPCCall(method: method, params: params)))
    default: return Entry(id: id, call: .failure(.invalidParams))
    }
  }
}

/// The replies of a message, in the order of its calls.
package struct JSONReply: Hashable, Sendable {
  package let value: RPCValue
  /// The status of the HTTP response. That of a batch is always 200.
  package let httpStatus: Int

  package init(to message: JSONMessage, _ results: [Result<RPCValue, RPCError>]) {
    switch message {
    case .single(let entry):
      let result = results.first ?? .failure(.invalidRequest)
      value = Self.value(id: entry.id, result)
      httpStatus = if case .failure(let error) = result { error.httpStatus } else { 200 }
    case .batch(let entries):
      value = .list(zip(entries, results).map { Self.value(id: $0.id, $1) })
      httpStatus = 200
    }
  }

  private static func value(id: RPCValue, _ result: Result<RPCValue, RPCError>) -> RPCValue {
    switch result {
    case .success(let value): ["jsonrpc": "2.0", "id": id, "result": value]
    case .failure(let error): ["jsonrpc": "2.0", "id": id, "error": error.object]
    }
  }
}
