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
