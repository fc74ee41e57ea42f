import KettleModel

/// A call of a method, before its name and its parameters are understood.
package struct RPCCall: Hashable, Sendable {
  package var method: String
  package var params: [RPCValue]

  package init(method: String, params: [RPCValue]) {
    self.method = method
    self.params = params
  }

  /// Takes the secret off the parameters. It is the first one if that is a text that begins with
  /// `token:`.
  package mutating func takeToken() -> String? {
    let mark = "token:"
    guard let first = params.first?.text, first.hasPrefix(mark) else { return nil }
    params.removeFirst()
    return String(first.dropFirst(mark.count))
  }
}

extension RPCCall {
  static let multicall = "system.multicall"

  /// The calls of a `system.multicall`; each may be refused by itself.
  package static func inner(
    _ params: [RPCValue]
  ) throws(RPCError) -> [Result<RPCCall, RPCError>] {
    guard let calls = params.first?.list else { throw .badParameter(at: 0) }
    return calls.map { value in
      guard let object = value.object, let method = object["methodName"]?.text else {
        return .failure(.refused("methodName is missing."))
      }
      if method == multicall { return .failure(.refused("Recursive system.multicall forbidden.")) }
      switch object["params"] {
      case nil: return .success(RPCCall(method: method, params: []))
      case .list(let params): return .success(RPCCall(method: method, params: params))
      default: return .failure(.invalidParams)
      }
    }
  }
}

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

/// A call in the query of a GET request.
package struct QueryMessage: Hashable, Sendable {
  package var message: JSONMessage
  /// The function that the reply is passed to (JSONP); nil for plain JSON.
  package var callback: String?

  /// - Parameter query: the text after the question mark.
  package init(_ query: String) {
    var fields: [String: String] = [:]
    for pair in query.split(separator: "&").prefix(16) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts.first else { continue }
      let value = parts.dropFirst().first.map { Self.decoded($0) } ?? ""
      fields[String(name)] = value
    }
    callback = fields["jsoncallback"].flatMap { Self.isFunctionName($0) ? $0 : nil }
    message = Self.message(fields)
  }

  private static func message(_ fields: [String: String]) -> JSONMessage {
    let params: RPCValue?
    do throws(JSONReader.Problem) {
      params = try fields["params"].map { text throws(JSONReader.Problem) in
        guard let bytes = Base64Bytes(padded(text))?.bytes else { throw .malformed }
        return try JSONReader.value(bytes)
      }
    } catch {
      return .single(.init(id: .null, call: .failure(.notJSON)))
    }
    guard let method = fields["method"] else {
      // The parameters alone are a batch.
      return params.map(JSONMessage.init)
        ?? .single(.init(id: .null, call: .failure(.invalidRequest)))
    }
    var object: [String: RPCValue] = ["method": .text(method)]
    object["id"] = fields["id"].map(RPCValue.text)
    object["params"] = params
    return JSONMessage(.object(object))
  }

  /// A plus sign belongs to Base64; a form would have encoded it.
  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentEncoding.decodedLeniently(text.utf8), as: UTF8.self)
  }

  private static func padded(_ text: String) -> String {
    let missing = (4 - text.utf8.count % 4) % 4
    return text + String(repeating: "=", count: missing)
  }

  /// The reply is a script of this origin, so nothing else may be in it.
  private static func isFunctionName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"):
          true
        default: false
        }
      }
  }
}

/// The reason for refusing a call, with the code and message of the reply.
package struct RPCError: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The text is not JSON, or larger than `RPCLimits` allow.
    case notJSON
    case invalidRequest
    case invalidParams
    /// A problem of the method itself.
    case refused
    case unauthorized
  }

  package let kind: Kind
  package let message: String

  private init(_ kind: Kind, _ message: String) {
    self.kind = kind
    // Names in it come from files and clients.
    self.message = message.sanitizedForDisplay(limit: .max)
  }

  /// JSON-RPC 2.0, section 5.1; every problem of a method is 1, as in aria2.
  package var code: Int64 {
    switch kind {
    case .notJSON: -32700
    case .invalidRequest: -32600
    case .invalidParams: -32602
    case .refused, .unauthorized: 1
    }
  }

  /// The status of the HTTP response, which some clients look at instead of the code.
  package var httpStatus: Int {
    switch kind {
    case .notJSON, .invalidParams: 500
    case .invalidRequest, .refused, .unauthorized: 400
    }
  }

  package var object: RPCValue {
    ["code": .integer(code), "message": .text(message)]
  }

  /// In XML-RPC.
  package var fault: RPCValue {
    ["faultCode": .integer(code), "faultString": .text(message)]
  }
}

/// Clients compare some of these texts, so they are aria2's.
extension RPCError {
  package static let notJSON = RPCError(.notJSON, "Parse error.")
  package static let invalidRequest = RPCError(.invalidRequest, "Invalid Request.")
  package static let invalidParams = RPCError(.invalidParams, "Invalid params.")
  package static let unauthorized = RPCError(.unauthorized, "Unauthorized")

  package static func refused(_ message: String) -> RPCError { RPCError(.refused, message) }

  package static func noSuchMethod(_ name: String) -> RPCError {
    .refused("No such method: \(String(name.prefix(200)))")
  }

  package static func invalidGID(_ text: String) -> RPCError {
    .refused("Invalid GID \(String(text.prefix(200)))")
  }

  package static func unknownGID(_ text: String) -> RPCError {
    .refused("GID \(text) is not found")
  }
  package static func ambiguousGID(_ text: String) -> RPCError {
    .refused("GID \(text) is not unique")
  }

  package static func noDownload(_ gid: GID) -> RPCError {
    .refused("No such download for GID#\(gid)")
  }

  package static func cannotBePaused(_ gid: GID) -> RPCError {
    .refused("GID#\(gid) cannot be paused now")
  }

  package static func cannotBeUnpaused(_ gid: GID) -> RPCError {
    .refused("GID#\(gid) cannot be unpaused now")
  }

  /// A parameter that is missing or has another type.
  package static func badParameter(at index: Int) -> RPCError {
    .refused("The parameter at \(index) has wrong type or is missing.")
  }
}
